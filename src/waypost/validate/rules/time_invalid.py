"""Invalid time of day.

`25:00` or an offset of `+15:00` cannot be read, and the full date is lost. Hours run from 00 to 24 (24:00 is the
end of the day), minutes and seconds to 59; a leap second may say 60. A time without a date is written `09:30` or
`09:30:00`, not `9.30 am`.
Source: https://schema.org/Time and ISO 8601-1:2019, read 2026-11-20.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from waypost.formats.date_guesses import guess_time, is_closed, two_times
from waypost.formats.dates import InvalidDate, read, read_time
from waypost.formats.patterns import pattern
from waypost.formats.text import clip
from waypost.models.page import Node, Value
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_conditions import is_unusual_date
from waypost.validate.value_kinds import KINDS

AUTHORITY = "vocabulary"
SEVERITY = "warning"
TIMES_ALONE = frozenset({"opens", "closes", "cutoffTime"})
PROPERTIES = KINDS.date | KINDS.time | TIMES_ALONE
VALUES = frozenset({"text", "number"})
WHEN = is_unusual_date

_PAIRS = {"opens": ("opens", "closes"), "closes": ("opens", "closes"), "startTime": ("startTime", "endTime"),
          "endTime": ("startTime", "endTime")}  # fmt: skip
# Also a time with an offset from UTC, of which there is none in use west of -11:00 on land.
_LIKE_AN_OFFSET = pattern(r"\d\d:\d\d(?::\d\d(?:\.\d+)?)?-(\d\d):\d\d", re.ASCII)


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if isinstance(value, Node | bool) or (not isinstance(value, str) and prop not in TIMES_ALONE):
        return
    text = str(value)
    if prop not in KINDS.date and (times := two_times(text)) and _are_two(item, prop, text):
        first, second = _PAIRS.get(prop, ("", ""))
        each = f"{times[0]} as {first} and {times[1]} as {second}" if first else f"{times[0]} or {times[1]}"
        yield item.warning(prop, f"{prop} has two times in it, {clip(text)!r}", f"write {each}", index=index)
        return
    found = read(text)
    correction: str | None = None
    hint: str | None = None
    # The value may be a time alone, or belong to date-invalid.
    if prop in TIMES_ALONE or (isinstance(found, InvalidDate) and found.kind == "form" and prop not in KINDS.date):
        clock = read_time(text)
        if not isinstance(clock, InvalidDate):
            return
        found = clock
        correction = guess_time(text)
        if is_closed(text):
            hint = "write 00:00 as opens and as closes for a day without opening hours"
        if found.kind == "form" and prop not in TIMES_ALONE and not correction and not hint:
            return  # reported by date-invalid
    elif not isinstance(found, InvalidDate) or found.kind in ("form", "calendar"):
        return
    yield item.warning(
        prop, f"{clip(text)!r} is not a time: {found.detail}",
        f"write {correction}" if correction else hint or _RANGES[found.kind], index=index,
        edits=(item.rewrite(prop, correction, index),) if correction else (),
    )  # fmt: skip


_RANGES = {
    "form": "write hours and minutes as hh:mm, in 24 hours",
    "clock": "hours go to 23, minutes and seconds to 59",
    "offset": "an offset from UTC lies between -12:00 and +14:00",
}


def _are_two(item: Item, prop: str, text: str) -> bool:
    """Are both times times of the day? 09:00-05:00 may be a time five hours behind UTC."""
    found = _LIKE_AN_OFFSET.fullmatch(text.strip())
    if found is None or int(found[1]) > 11:
        return True
    first, second = _PAIRS.get(prop, (prop, prop))
    other = item.text(second if prop == first else first)
    return first != second and other in (None, text.strip())
