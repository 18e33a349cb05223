"""Rating is out of range.

A rating counts from 1 to 5 unless `worstRating` and `bestRating` say otherwise, so "87" without a `bestRating` of
100, or 6 of 5, cannot be drawn as stars. A percentage or a fraction carries its own scale. A zero for a product
without ratings is outside, too, unless its counts are 0: leave the rating out until the first rating.
Source: https://developers.google.com/search/docs/appearance/structured-data/review-snippet, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from waypost.formats.numbers import number, rating
from waypost.formats.text import clip
from waypost.validate.item import FindingDraft, Item
from waypost.validate.ratings import COUNTS, scale_missed
from waypost.validate.value_kinds import holders, nearest

AUTHORITY = "google"
SEVERITY = "warning"
APPLIES_TO = frozenset({"Rating", "AggregateRating"})
PROPERTIES = frozenset({"ratingValue"})


def check(item: Item) -> Iterator[FindingDraft]:
    held_by = {via for _, via in holders(item.node)}
    if held_by and held_by.isdisjoint(STARS):
        return  # a claim's truth or a work's age rating has a scale of its own
    if _has_misspelled_bound(item):
        return
    for index, value in item.values("ratingValue"):
        scale = scale_missed(item.node, value)
        if scale is None:
            continue
        low, high = scale
        is_usual = number(item.get("worstRating")) is None and number(item.get("bestRating")) is None
        named = "the usual scale of 1 to 5" if is_usual else f"its scale of {low} to {high}"
        found = rating(value)
        hint = "give bestRating and worstRating, or correct it"
        if found is not None and not found.value:
            # A 0 comes from shops without any rating; a count says that there is one.
            count = next(((prop, count) for prop in COUNTS if (count := number(item.get(prop)))), None)
            hint = (
                f"{count[0]} is {count[1]}: give the average, or leave the rating out"
                if count
                else "leave the rating out until the first one is given"
            )
        message = f"the rating {clip(str(value))} is outside {named}"
        yield item.warning("ratingValue", message, hint, index=index)


def _has_misspelled_bound(item: Item) -> bool:
    """Is there a bound whose name is misspelled? `unknown-property` reports the name, which costs the scale."""
    vocabulary = item.context.registry.vocabulary
    unknown = (name for name in islice(item.node.props, _MOST_COMPARED) if name not in vocabulary.properties)
    return any(not _BOUNDS.isdisjoint(nearest(vocabulary, "properties", name)) for name in unknown)


_BOUNDS = frozenset({"bestRating", "worstRating"})
_MOST_COMPARED = 200
STARS = frozenset({"aggregateRating", "reviewRating", "starRating"})
