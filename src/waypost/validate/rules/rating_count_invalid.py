"""Rating or review count is not a number.

It must be a whole number without separators or words: "1,204 reviews" or -1 is dropped, and a rating without a
count is not shown.
Source: https://developers.google.com/search/docs/appearance/structured-data/review-snippet, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.numbers import LARGEST_EXACT, is_exact, is_whole, number
from waypost.formats.text import clip
from waypost.models.page import Node, Value
from waypost.validate.item import FindingDraft, Item
from waypost.validate.number_advice import number_advice
from waypost.validate.value_conditions import is_unusual_number

AUTHORITY = "google"
SEVERITY = "warning"
APPLIES_TO = frozenset({"AggregateRating"})
PROPERTIES = frozenset({"ratingCount", "reviewCount"})
WHEN = is_unusual_number
LOST_DIGITS = "write the right count: programs that read numbers as doubles change its last digits"


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if isinstance(value, Node):
        return
    count = number(value)
    if count is not None and count >= 0 and is_whole(count):
        if not is_exact(count):
            yield item.info(prop, f"{clip(str(value))!r} is above {LARGEST_EXACT}", LOST_DIGITS, index=index)
        return
    text = str(value).lower() if isinstance(value, bool) else " ".join(str(value).split())
    hint, correction, apart = number_advice(text, "write a whole number, without separators or words", whole=True)
    if correction and correction.startswith("-"):
        hint, correction = "write how many there are, or leave the rating out", None
    yield item.warning(
        prop,
        f"{clip(text)!r} is not a count",
        hint,
        index=index,
        edits=(item.rewrite(prop, correction, index),) if correction else (),
        safe=not apart,  # "over 100" and "100 reviews" may not be the same
    )
