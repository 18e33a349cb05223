"""The value is a placeholder that nobody filled in.

"undefined", "[object Object]", "{{ title }}", "%%title%%" or "Lorem ipsum" is what a template or a script prints
when the real value was missing; it is shown to searchers as it is.
Source: own measurement of pages in the wild, read 2026-11-20.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from waypost.shapes.page import Value
from waypost.text import clip
from waypost.validate.item import Draft, Item

AUTHORITY = "waypost"
SEVERITY = "warning"
PROPERTIES = frozenset(
    {"name", "headline", "title", "description", "url", "image", "logo", "author", "publisher", "brand", "sku", "price",
     "alternateName", "streetAddress", "addressLocality", "telephone", "email", "thumbnailUrl", "contentUrl", "text",
     "keywords", "articleSection", "priceCurrency", "datePublished", "recipeYield", "recipeCategory", "recipeCuisine"}
)  # fmt: skip
EXACT = frozenset({"undefined", "null", "nan", "[object object]", "todo", "tbd", "fixme", "xxx", "(null)", "none none"})
TEMPLATE = re.compile(
    r"\{\{[^{}]{1,80}\}\}|\{%[^%]{1,80}%\}|<%[^%]{1,80}%>|<\?php|\$\{[\w. ]{1,60}\}|%%[a-z_]{3,30}%%"
    r"|\[object Object\]|^lorem ipsum\b|/undefined(?:/|$)|^TODO:",
    re.IGNORECASE,
)


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[Draft]:
    if not isinstance(value, str):
        return
    found = len(value) < LONGEST and value.strip().lower() in EXACT
    if not found and (value[:5].lower() in STARTS or any(map(value.__contains__, MARKS))):
        found = TEMPLATE.search(value, 0, 300) is not None
    if found:
        yield item.warning(
            prop, f"{clip(value)!r} is a placeholder", "fill it in, or leave the property out", index=index
        )


LONGEST = 20
STARTS = frozenset({"lorem", "todo:"})
MARKS = ("{", "%", "<", "[", "/undefined")
