"""The currency is no longer money.

The code was once right, but the currency has been replaced; prices in it cannot be compared or converted.
Source: ISO 4217 as of the registry's table, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.currencies import currencies
from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "vocabulary"
SEVERITY = "warning"
PROPERTIES = frozenset({"priceCurrency", "currency", "salaryCurrency"})


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    gone = currencies().withdrawn.get(value.strip()) if isinstance(value, str) else None
    if gone:
        yield item.warning(
            prop,
            f"{clip(str(value))!r} was replaced by {gone['now']} in {gone['year']}",
            f"give the price in {gone['now']}",
            index=index,
        )
