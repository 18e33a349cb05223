"""True or false where neither makes sense.

PHP prints `"image": false` or `"description": false` for an empty field: consumers drop the value, and the
property counts as missing. Addresses, numbers and prices have rules of their own.
Source: schema.org release 30.1 (rangeIncludes), read 2026-11-28.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_kinds import KINDS

AUTHORITY = "vocabulary"
SEVERITY = "warning"
PROPERTIES = frozenset({"*"})
VALUES = frozenset({"boolean"})
_CHECKED_ELSEWHERE = (
    KINDS.url
    | KINDS.number
    | KINDS.integer
    | {"image", "logo", "screenshot", "price", "lowPrice", "highPrice", "minPrice", "maxPrice"}
    | {"ratingValue", "bestRating", "worstRating", "latitude", "longitude"}
)


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if not isinstance(value, bool) or prop in _CHECKED_ELSEWHERE:
        return
    term = item.context.registry.vocabulary.properties.get(prop)
    # Unknown properties have a rule of their own.
    if term is None or not term.r or "Boolean" in term.r:
        return
    written = str(value).lower()
    yield item.warning(prop, f"{prop} is {written}", "give the value, or leave the property out", index=index)
