"""Invalid time of day.

`25:00` or an offset of `+15:00` cannot be read, and the full date is lost. Hours run from 00 to 24 (24:00 is the
end of the day), minutes and seconds to 59; a leap second may say 60. A time without a date is written `09:30` or
`09:30:00`, not `9.30 am`.
Source: https://schema.org/Time and ISO 8601-1:2019, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.dates import InvalidDate, read, read_time
from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_conditions import is_unusual_date
from waypost.validate.value_kinds import KINDS

AUTHORITY = "vocabulary"
SEVERITY = "warning"
PROPERTIES = KINDS.date | KINDS.time | {"opens", "closes", "cutoffTime"}
VALUES = frozenset({"text"})
WHEN = is_unusual_date

ALONE = frozenset({"opens", "closes", "cutoffTime"})


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if not isinstance(value, str):
        return
    found = read(value)
    # The value may be a time alone, or belong to date-invalid.
    if isinstance(found, InvalidDate) and found.kind == "form" and prop not in KINDS.date:
        clock = read_time(value)
        if not isinstance(clock, InvalidDate):
            return
        found = clock
        if found.kind == "form" and prop not in ALONE:
            return  # reported by date-invalid
    if not isinstance(found, InvalidDate) or (found.kind == "form" and prop in KINDS.date) or found.kind == "calendar":
        return
    yield item.warning(
        prop,
        f"{clip(value)!r} is not a time: {found.detail}",
        "write hours and minutes as 09:30, offsets as +02:00",
        index=index,
    )
