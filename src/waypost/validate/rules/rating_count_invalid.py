"""Rating or review count is not a number.

It must be a whole number without separators or words: "1,204 reviews" or -1 is dropped, and a rating without a
count is not shown.
Source: https://developers.google.com/search/docs/appearance/structured-data/review-snippet, read 2026-11-20.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from waypost.formats.numbers import number
from waypost.formats.patterns import pattern
from waypost.formats.text import clip
from waypost.models.page import Node, Value
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_conditions import is_unusual_number

AUTHORITY = "google"
SEVERITY = "warning"
APPLIES_TO = frozenset({"AggregateRating"})
PROPERTIES = frozenset({"ratingCount", "reviewCount"})
WHEN = is_unusual_number

MOST = 60
ONE_NUMBER = pattern(r"(?:[^\d.,+-]*[\s(])?(\d{1,3}(?:[,. '’]\d{3})+|\d+)(?:[\s)][^\d.,+]*)?", re.ASCII)
"""Form of a text with one whole number among words."""


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if isinstance(value, Node):
        return
    count = number(value)
    if count is not None and count >= 0 and count == count.to_integral_value():
        return
    text = " ".join(str(value).split())
    found = ONE_NUMBER.fullmatch(text) if len(text) <= MOST else None
    correction = "".join(c for c in found[1] if c.isdecimal()) if found else None
    yield item.warning(
        prop,
        f"{clip(text)!r} is not a count",
        f"write {correction}" if correction else "write a whole number, without separators or words",
        index=index,
        edits=(item.rewrite(prop, correction, index),) if correction else (),
        safe=found is None or found[1] == text,  # "over 100" and "100 reviews" may not be the same
    )
