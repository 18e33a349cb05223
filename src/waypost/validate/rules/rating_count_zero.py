"""Rating without any ratings.

With counts of 0 there is nothing to average, and stars are not shown; software prints zeroes for products without
ratings. Leave the rating out until the first rating.
Source: https://developers.google.com/search/docs/appearance/structured-data/review-snippet, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.numbers import number
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "google"
SEVERITY = "warning"
APPLIES_TO = frozenset({"AggregateRating"})
PROPERTIES = frozenset({"ratingCount", "reviewCount"})


def check(item: Item) -> Iterator[FindingDraft]:
    counts = [(prop, number(item.get(prop))) for prop in ("ratingCount", "reviewCount") if item.has(prop)]
    # One count above zero is enough for a rating.
    if counts and all(count == 0 for _, count in counts):
        (prop, _), *others = counts
        related = tuple((f"{other} is 0 too", (item.node, other)) for other, _ in others)
        yield item.warning(prop, f"{prop} is 0", "leave the rating out until the first one is given", related=related)
