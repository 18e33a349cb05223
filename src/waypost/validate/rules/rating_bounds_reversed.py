"""Best rating is not above the worst.

A scale from 5 down to 1 is read by no one: `bestRating` is the highest value of the scale and `worstRating` the
lowest, even where a low number is the better mark. A bound that is not given is 1 or 5.
Source: https://schema.org/bestRating and https://schema.org/worstRating, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.numbers import number
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "vocabulary"
SEVERITY = "warning"
APPLIES_TO = frozenset({"Rating"})
PROPERTIES = frozenset({"bestRating", "worstRating"})


def check(item: Item) -> Iterator[FindingDraft]:
    worst, best = number(item.get("worstRating")), number(item.get("bestRating"))
    # Without a bestRating readers assume 5.
    if best is None and worst is not None and worst >= 5:
        yield item.warning("worstRating", f"worstRating ({worst}) is not below the usual best of 5", "give bestRating")
    elif worst is None and best is not None and best <= 1:
        yield item.warning("bestRating", f"bestRating ({best}) is not above the usual worst of 1", "give worstRating")
    elif best is not None and worst is not None and worst >= best:
        yield item.warning(
            "worstRating", f"bestRating ({best}) is not above worstRating ({worst})", "swap the two, or correct one"
        )
