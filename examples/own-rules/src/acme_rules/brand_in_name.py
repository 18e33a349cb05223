"""A product's name repeats the brand.

A list of search results shows the brand next to the name, so that "Acme Acme kettle" is what customers read.
Source: https://docs.example.com/product-names, read 2026-11-29.
"""

from collections.abc import Iterator

from waypost.rules import FindingDraft, Item, Node

SEVERITY = "warning"
APPLIES_TO = {"Product"}
PROPERTIES = {"name"}


def check(product: Item) -> Iterator[FindingDraft]:
    brand = product.get("brand")
    name = brand.get("name") if isinstance(brand, Node) else brand
    title = product.text("name") or ""
    if isinstance(name, str) and title.casefold().startswith(f"{name.strip().casefold()} "):
        yield product.warning("name", f"the name begins with the brand {name}", "leave the brand out of the name")
