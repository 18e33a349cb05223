"""The lowest price is above the highest.

The two are swapped, or one of them is wrong; a range shown from them makes no sense.
Source: https://schema.org/lowPrice and https://schema.org/highPrice, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.values import number
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "vocabulary"
SEVERITY = "warning"
APPLIES_TO = frozenset({"*"})
PROPERTIES = frozenset({"highPrice"})


def check(offer: Item) -> Iterator[FindingDraft]:
    low, high = number(offer.get("lowPrice")), number(offer.get("highPrice"))
    if low is not None and high is not None and low > high:
        yield offer.warning(
            "lowPrice",
            f"lowPrice ({low}) is above highPrice ({high})",
            "swap the two, or correct one",
            related=(("highPrice is here", (offer.node, "highPrice")),),
        )
