"""Date does not exist in the calendar.

`2026-02-31`, `2026-13-01` and `0000-00-00` cannot be read as any day; consumers drop them, or worse, count on into
the next month. The usual cause is a database's empty date, or a sum done by hand.
Source: ISO 8601-1:2019 and https://schema.org/Date, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.dates import InvalidDate, read
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
    if not isinstance(value, str):
        return
    found = read(value)
    if isinstance(found, InvalidDate) and found.kind == "calendar":
        yield item.warning(
            prop,
            f"{clip(value)!r} is not in the calendar: {found.detail}",
            "correct it, or leave the property out",
            index=index,
        )
