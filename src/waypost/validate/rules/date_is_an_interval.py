"""Date range where one date is expected.

`2026-05-01/2026-05-03` is good ISO 8601, but consumers read a single date in a property: the value is dropped.
Properties made for intervals (temporalCoverage) may hold intervals.
Source: https://schema.org/Date and https://schema.org/temporalCoverage, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.dates import Moment, read
from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_conditions import is_unusual_date
from waypost.validate.value_kinds import KINDS

AUTHORITY = "vocabulary"
SEVERITY = "warning"
PROPERTIES = KINDS.date | KINDS.time
VALUES = frozenset({"text"})
WHEN = is_unusual_date


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if not isinstance(value, str) or "/" not in value:
        return
    start, _, end = value.strip().partition("/")
    # ISO 8601-2:2019 writes an open end as two dots.
    if not isinstance(read(start), Moment) or not (end.strip() == ".." or isinstance(read(end), Moment)):
        return
    yield item.warning(
        prop,
        f"{prop} has two dates in it, {clip(value)!r}",
        f"write {clip(start.strip())} here, and the last day in the property for the end",
        index=index,
    )
