"""The page says of itself that it is the same as something.

`sameAs` takes the address of another page that says without doubt what is meant: an encyclopedia's article, an
official site, a profile. The page's own address adds nothing; it belongs to `url`.
Source: https://schema.org/sameAs, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.shapes.page import Node, Value
from waypost.validate.item import Draft, Item

AUTHORITY = "vocabulary"
SEVERITY = "info"
PROPERTIES = frozenset({"sameAs"})


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[Draft]:
    text = value.id if isinstance(value, Node) else value
    page = item.scene.page.url
    if page and isinstance(text, str) and text.strip() == page:
        yield item.info(
            prop, "sameAs is the page's own address", "give it as url, and another page as sameAs", index=index
        )
