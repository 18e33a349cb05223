"""Price is not a number.

Consumers read `1299.00`: a decimal point, no thousands separator, no currency sign, no words. "1.299,00 €" or "from
5" is dropped, and the offer is as good as without a price. The currency has a property of its own. Where only one
number can be meant, the price can be rewritten safely; `1,299` alone can be read in two ways. A `priceRange`
is text for people and may contain currency signs.
Source: https://schema.org/price and
https://developers.google.com/search/docs/appearance/structured-data/product-snippet, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.numbers import number
from waypost.formats.prices import plain_price
from waypost.formats.text import clip
from waypost.models.page import Node, Value
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "google"
SEVERITY = "warning"
PROPERTIES = frozenset({"price", "lowPrice", "highPrice", "minPrice", "maxPrice"})


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if isinstance(value, Node) or number(value) is not None:
        return
    text = str(value)
    correction = plain_price(text)
    yield item.warning(
        prop,
        f"{clip(text)!r} is not a plain number",
        f"write {correction}" if correction else "write digits and a decimal point only, as in 1299.00",
        index=index,
        edits=(item.rewrite(prop, correction, index),) if correction else (),
    )
