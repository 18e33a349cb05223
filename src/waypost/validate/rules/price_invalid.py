"""The price is not a plain number.

Consumers read `1299.00`: a decimal point, no thousands separator, no currency sign, no words. "1.299,00 €" or "from
5" is dropped, and the offer is as good as without a price. The currency has a property of its own. Where only one
number can be meant, the price can be rewritten safely; `1,299` alone can be read in two ways. It is an error where
the offer is what makes a product or an app eligible. A `priceRange` is a text for people and may have signs.
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
from waypost.validate.value_kinds import holders

AUTHORITY = "google"
SEVERITY = "error"
PROPERTIES = frozenset({"price", "lowPrice", "highPrice", "minPrice", "maxPrice"})

RATED = ("aggregateRating", "review", "reviews")


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if isinstance(value, Node) or number(value) is not None:
        return
    text = str(value)
    correction = plain_price(text)
    yield FindingDraft(
        severity="error" if _carries(item, prop) else "warning",
        node=item.node,
        prop=prop,
        index=index,
        message=f"{clip(text)!r} is not a plain number",
        hint=f"write {correction}" if correction else "write digits and a decimal point only, as in 1299.00",
        edits=(item.rewrite(prop, correction, index),) if correction else (),
    )


def _carries(offer: Item, prop: str) -> bool:
    """Does the rich result of a product or an app require this price?"""
    if prop not in ("price", "lowPrice"):
        return False
    are_a = offer.context.registry.vocabulary.are_a
    for holder, via in holders(offer.node):
        if via != "offers":
            continue
        if are_a(holder.types, frozenset({"SoftwareApplication"})):
            return True
        if are_a(holder.types, frozenset({"Product"})) and not any(holder.get(rated) for rated in RATED):
            return True
    return False
