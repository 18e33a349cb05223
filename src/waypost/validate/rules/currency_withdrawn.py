"""Currency is no longer in use.

The code was once right, but the currency has been replaced; prices in it cannot be compared or converted. The
suggested currency is the one of today, although another may have stood between (`BEF` became `EUR`, `BYB` by way of
`BYR` became `BYN`); the amount must be converted too.
Source: ISO 4217, list three (historic denominations), as of the registry's table, read 2026-11-23.
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
        now, year = gone["now"], gone["year"]
        what = f"was replaced by {now} in {year}" if now else f"has not been a currency since {year}"
        hint = f"give the price in {now}" if now else "give the price in a currency of today"
        yield item.warning(prop, f"{clip(str(value))!r} {what}", hint, index=index)
