"""Something stops being valid before it starts.

An offer, price, or opening time whose end lies before its beginning is never valid, so consumers ignore it.
Source: https://schema.org/validFrom, https://schema.org/validThrough and
https://schema.org/priceValidUntil, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.dates import is_before, moment
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "vocabulary"
SEVERITY = "error"
APPLIES_TO = frozenset({"*"})
PAIRS = (
    ("validFrom", "validThrough"),
    ("validFrom", "priceValidUntil"),
    ("validFrom", "validUntil"),
    ("availabilityStarts", "availabilityEnds"),
    ("availableFrom", "availableThrough"),
    ("ownedFrom", "ownedThrough"),
)
PROPERTIES = frozenset(end for _, end in PAIRS)


def check(item: Item) -> Iterator[FindingDraft]:
    for start, end in PAIRS:
        first, last = moment(item.text(start)), moment(item.text(end))
        if first and last and is_before(last, first):
            yield item.error(
                end,
                f"{end} ({item.text(end)}) is before {start} ({item.text(start)})",
                "swap the two dates, or correct the year",
                related=((f"{start} is here", (item.node, start)),),
            )
