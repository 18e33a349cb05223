"""Date format is valid but rarely supported.

Week dates (`2026-W18-7`), day numbers (`2026-123`), dates without hyphens (`20260503`) and a space instead of the
T are in the standard or close to it. The profiles of the standard that web software reads (RFC 3339, XML Schema)
allow none of these forms.
Source: RFC 3339 (5.6) and XML Schema 1.1 Part 2 (3.3.7, 3.3.9), read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.dates import Moment, TimeOfDay, is_several_days, normal_form, read, read_time
from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item
from waypost.validate.rules.time_invalid import TIMES_ALONE
from waypost.validate.value_conditions import is_unusual_date
from waypost.validate.value_kinds import KINDS

AUTHORITY = "waypost"
SEVERITY = "warning"
PROPERTIES = KINDS.date | KINDS.time
VALUES = frozenset({"text"})
WHEN = is_unusual_date

# Note of a readable date or time -> what it is.
UNCOMMON = {
    "basic": "a date without hyphens",
    "space": "a date and a time with a space between them",
    "clock-basic": "a time without colons",
    "comma": "a time with a comma before its fraction",
    "minus": "a time whose offset has a minus sign in place of a hyphen",
}


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if not isinstance(value, str):
        return
    is_time = prop in TIMES_ALONE
    found = read_time(value) if is_time else read(value)
    if not isinstance(found, Moment | TimeOfDay):
        return
    # In ISO 8601, but in neither RFC 3339 nor XML Schema.
    form = found.form if isinstance(found, Moment) else "time"
    what = {"week": "a week date", "ordinal": "the number of a day"}.get(form)
    what = what or next((UNCOMMON[note] for note in UNCOMMON if note in found.notes), None)
    if what is None:
        return
    # A week is several days, none of which can be said to be meant.
    is_week = isinstance(found, Moment) and form == "week" and is_several_days(found)
    right = None if is_week else normal_form(value, is_time=is_time)
    yield item.warning(
        prop, f"{clip(value)!r} is {what}", f"write {right}" if right else "write the day as YYYY-MM-DD", index=index,
        edits=(item.rewrite(prop, right, index),) if right else (),
    )  # fmt: skip
