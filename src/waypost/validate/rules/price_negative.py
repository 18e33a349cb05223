"""The price is below zero.

Nobody is paid to take the goods. A price of 0 is fine: it means free of charge.
Source: https://developers.google.com/search/docs/appearance/structured-data/product-snippet, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.text import clip
from waypost.formats.values import number
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "google"
SEVERITY = "error"
PROPERTIES = frozenset({"price", "lowPrice", "highPrice", "minPrice", "maxPrice"})


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    amount = number(value)
    if amount is not None and amount < 0:
        yield item.error(prop, f"{prop} is below zero ({clip(str(value))})", "correct the sign", index=index)
