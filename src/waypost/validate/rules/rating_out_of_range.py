"""The rating lies outside its own scale.

A rating counts from 1 to 5 unless `worstRating` and `bestRating` say otherwise, so "87" without a `bestRating` of
100, or 6 of 5, cannot be drawn as stars. A percentage or a fraction carries its own scale. A zero for a product
without ratings is outside, too: leave the rating out until the first rating. A rating of no item costs no result:
there the finding is a warning.
Source: https://developers.google.com/search/docs/appearance/structured-data/review-snippet, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from waypost.formats.numbers import number, rating
from waypost.formats.text import clip
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_kinds import holders

AUTHORITY = "google"
SEVERITY = "error"
APPLIES_TO = frozenset({"Rating", "AggregateRating"})
PROPERTIES = frozenset({"ratingValue"})


def check(item: Item) -> Iterator[FindingDraft]:
    held_by = {via for _, via in holders(item.node)}
    if held_by and held_by.isdisjoint(STARS):
        return  # a claim's truth or a work's age rating has a scale of its own
    for index, value in item.values("ratingValue"):
        found = rating(value)
        if found is None:
            continue
        worst, best = number(item.get("worstRating")), number(item.get("bestRating"))
        low, high = _scale(worst, best) if found.out_of is None else (Decimal(0), found.out_of)
        if low > high or low <= found.value <= high:
            continue
        if not found.value and 0 in (number(item.get("ratingCount")), number(item.get("reviewCount"))):
            continue  # reported by rating-count-zero
        scale = "the usual scale of 1 to 5" if worst is None and best is None else f"its scale of {low} to {high}"
        hint = (
            "leave the rating out until somebody has rated"
            if not found.value
            else "give bestRating and worstRating, or correct it"
        )
        report = item.error if held_by or item.is_a("AggregateRating") else item.warning
        yield report("ratingValue", f"the rating {clip(str(value))} is outside {scale}", hint, index=index)


def _scale(worst: Decimal | None, best: Decimal | None) -> tuple[Decimal, Decimal]:
    """Lowest and highest rating; 1 and 5 where the item gives none that contradict."""
    if worst is not None:
        return worst, max(Decimal(5), worst) if best is None else best
    return (Decimal(1), Decimal(5)) if best is None else (min(Decimal(1), best), best)


STARS = frozenset({"aggregateRating", "reviewRating", "starRating"})
