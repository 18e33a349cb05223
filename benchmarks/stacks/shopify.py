"""Render `snippets/STEP.liquid` with python-liquid and a made product, into page.html.

Filters of Shopify that Liquid lacks are here as Shopify documents them (shopify.dev/docs/api/liquid; from general
knowledge, not read for this).
"""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

from liquid import CachingFileSystemLoader, Environment

environment = Environment(loader=CachingFileSystemLoader("snippets", ext=".liquid"))
environment.add_filter("json", json.dumps)
environment.add_filter("money", lambda cents: f"€{int(cents) / 100:.2f}".replace(".", ","))
environment.add_filter("image_url", lambda image, width: f"//shop.example.com/cdn/{image}?width={width}")
product = {
    "title": 'Loma "gooseneck" kettle', "vendor": "Loma", "price": 6490, "featured_image": "loma.jpg",
    "url": "/products/loma-kettle", "selected_or_first_available_variant": {"sku": "LK-12", "available": True},
}  # fmt: skip
values = {"product": product, "shop": {"url": "https://shop.example.com"}, "cart": {"currency": {"iso_code": "EUR"}}}
snippet = environment.get_template(sys.argv[1]).render(**values)
title = "Loma gooseneck kettle"
page = SimpleNamespace(title=title, head=snippet)
Path("page.html").write_text(
    f'<!doctype html>\n<html lang="en"><head><title>{page.title}</title>\n{page.head}</head>\n'
    f"<body><h1>{page.title}</h1><p>€64.90, in stock</p></body></html>\n",
    "utf-8",
)
