"""Invalid date format.

Consumers read `2026-05-03` or `2026-05-03T18:30:00+02:00` and drop what they cannot read; `03/04/2026` is two different
days on the two sides of an ocean. Where only one day can be meant ("March 3, 2026", "2026-5-3", or "3. Mai 2026" on a
page whose `lang` is German) the date can be rewritten safely. A four-digit year or a year and month is a valid, if
coarse, date.
Source: https://schema.org/Date, https://schema.org/DateTime and ISO 8601-1:2019, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.date_guesses import both_days, guess, guess_time, is_closed, of_epoch, two_times
from waypost.formats.dates import InvalidDate, Moment, TimeOfDay, read, read_time
from waypost.formats.numbers import is_whole, number
from waypost.formats.text import clip
from waypost.models.page import Node, Value
from waypost.validate.item import FindingDraft, Item
from waypost.validate.rules.time_invalid import TIMES_ALONE
from waypost.validate.value_conditions import is_unusual_date
from waypost.validate.value_kinds import KINDS

AUTHORITY = "vocabulary"
SEVERITY = "warning"
PROPERTIES = KINDS.date | KINDS.time
VALUES = frozenset({"text", "number"})
WHEN = is_unusual_date


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if isinstance(value, Node | bool):
        return
    year = None if isinstance(value, str) else number(value)
    if year is not None and 1000 <= year <= 2999 and is_whole(year):
        return  # a number in JSON
    text = str(value)
    if not _has_wrong_form(read(text)) or prop in TIMES_ALONE:
        return  # a time alone is reported by time-invalid
    # Properties that take a date or a time accept a time alone; what looks like one is reported by time-invalid.
    if prop in KINDS.time and (
        not _has_wrong_form(read_time(text)) or guess_time(text) or two_times(text) or is_closed(text)
    ):
        return
    start, slash, end = text.partition("/")
    if slash and not isinstance(read(start), InvalidDate) and not isinstance(read(end), InvalidDate):
        return  # reported by date-is-an-interval
    correction = guess(text, item.context.page.language)
    # A number of seconds since 1970, most likely.
    instant = None if correction else of_epoch(text)
    yield item.warning(
        prop,
        f"{clip(text)!r} is not an ISO 8601 date",
        f"write {correction or instant}" if correction or instant else _advice(text),
        index=index,
        edits=(item.rewrite(prop, correction or instant or "", index),) if correction or instant else (),
        safe=instant is None,
    )


def _advice(text: str) -> str:
    """Hint with both days that "03/04/2026" can mean, or with the form of a date."""
    if days := both_days(text):
        return f"write {days[0]} or {days[1]}, whichever day is meant"
    return "write year, month and day as YYYY-MM-DD"


def _has_wrong_form(found: Moment | TimeOfDay | InvalidDate) -> bool:
    return isinstance(found, InvalidDate) and found.kind == "form"
