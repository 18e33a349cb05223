"""ISO 8601 as structured data uses it: what a text says about time, or exactly what is wrong with it.

Nothing here guesses. `read` answers with a `Moment` or a `Slip`, `read_time` and `read_duration` likewise;
`guess` turns a few other spellings into ISO 8601 where only one reading is possible.
A date without a time of day means its whole day; times without an offset are local to nobody in particular.
Source: ISO 8601-1:2019 in the parts that schema.org, XML Schema and RFC 3339 share, read 2026-11-20.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone
from functools import lru_cache
from typing import Literal, NamedTuple

from waypost.formats.patterns import pattern

Form = Literal["year", "month", "date", "week", "ordinal", "datetime", "ancient"]
Fault = Literal["form", "calendar", "clock", "offset"]


class Moment(NamedTuple):
    """A point or stretch of time that a text names.

    first, last  its first and last instant, both inclusive: aware UTC when the text has an offset, else
                 naive local time. Of "ancient" years (before 1 or after 9999) the nearest representable.
    zoned        the text has an offset or Z.
    notes        what is unusual about the spelling though it can be read: "basic" (no separators),
                 "space" (for the T), "offset-basic" (+0000), "offset-short" (+02), "24:00", "leap-second",
                 "comma", "lower-case".
    """

    form: Form
    first: datetime
    last: datetime
    zoned: bool
    notes: tuple[str, ...] = ()


class Slip(NamedTuple):
    """Why a text is no ISO 8601: its form, a day the calendar lacks, a time no clock shows, an impossible offset."""

    fault: Fault
    detail: str


class Clock(NamedTuple):
    """A time of day: seconds since midnight (24:00 is 86400) and the offset in minutes, None without one."""

    seconds: float
    offset: int | None
    notes: tuple[str, ...] = ()


class Duration(NamedTuple):
    """A length of time. Months and weeks are kept apart because they have no length in seconds."""

    months: float
    seconds: float
    negative: bool = False

    @property
    def is_empty(self) -> bool:
        return not self.months and not self.seconds


_DATE = (
    r"(?P<year>\d{4})(?:-(?P<month>\d\d)(?:-(?P<day>\d\d))?|-?W(?P<week>\d\d)(?:-?(?P<weekday>\d))?"
    r"|-(?P<ordinal>\d{3})|(?P<basic>\d{4}))?"
)
_CLOCK = r"(?P<hour>\d\d)(?::?(?P<minute>\d\d)(?::?(?P<second>\d\d)(?P<fraction>[.,]\d+)?)?)?"
_OFFSET = r"(?P<offset>[Zz]|[+\-\u2212]\d\d(?::?\d\d)?)?"
_MOMENT = pattern(rf"{_DATE}(?:(?P<joint>[Tt ])\s?{_CLOCK} ?{_OFFSET})?", re.ASCII)
_TIME = pattern(rf"[Tt]?{_CLOCK} ?{_OFFSET}", re.ASCII)
_ANCIENT = pattern(r"(?P<sign>[+\-\u2212])\d{4,10}(?:-(?P<month>\d\d)(?:-(?P<day>\d\d))?)?|0000", re.ASCII)
_NUMBER = r"(\d+(?:[.,]\d+)?)"
_DURATION = pattern(
    rf"(?P<sign>[+\-\u2212]?)P(?:{_NUMBER}Y)?(?:{_NUMBER}M)?(?:{_NUMBER}W)?(?:{_NUMBER}D)?"
    rf"(?:(?P<clock>T)(?:{_NUMBER}H)?(?:{_NUMBER}M)?(?:{_NUMBER}S)?)?",
    re.ASCII,
)
_MOST = 80
_INSTANT = timedelta(microseconds=1)
_BEGINNING, _END = datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999)  # noqa: DTZ001 - local to nobody
_FAR_WEST, _FAR_EAST = timedelta(hours=12), timedelta(hours=14)


@lru_cache(maxsize=4096)
def read(text: str) -> Moment | Slip:
    """What date, or date and time, a text names."""
    text = text.strip()
    match = _MOMENT.fullmatch(text) if len(text) <= _MOST else None
    if match is None:
        return _ancient(text) or Slip("form", "it is not written as ISO 8601")
    found = match.groupdict()
    notes: list[str] = []
    day = _day(found, notes)
    if isinstance(day, Slip):
        return day
    form, first, after = day
    if found["joint"] is None:
        last = _END if after is None else after - _INSTANT
        return Moment(form, first, last, False, tuple(notes))
    if form in ("year", "month") or (form == "week" and found["weekday"] is None):
        return Slip("form", "a time of day needs a whole date before it")
    return _at(first, found, notes)


def moment(text: object) -> Moment | None:
    """The moment a value names, None if it is no text or cannot be read."""
    found = read(text) if isinstance(text, str) else None
    return found if isinstance(found, Moment) else None


def _day(found: dict[str, str | None], notes: list[str]) -> tuple[Form, datetime, datetime | None] | Slip:
    """(form, first instant, first instant afterwards or None at the end of time)."""
    year = int(found["year"] or 0)
    if year == 0:
        return Slip("calendar", "there is no year 0000")
    if found["basic"]:
        notes.append("basic")
        found = {**found, "month": found["basic"][:2], "day": found["basic"][2:]}
    if found["week"]:
        return _of_week(year, int(found["week"]), int(found["weekday"] or 0))
    if found["ordinal"]:
        number = int(found["ordinal"])
        days = (_next_year(year) - datetime(year, 1, 1)).days if year < 9999 else 365  # noqa: DTZ001 - local to nobody
        if not 1 <= number <= days:
            return Slip("calendar", f"the year {year} has no day {number}")
        return "ordinal", *_whole(datetime(year, 1, 1) + timedelta(days=number - 1), 1)  # noqa: DTZ001
    month, day = found["month"], found["day"]
    if month is None:
        return "year", datetime(year, 1, 1), _next_year(year) if year < 9999 else None  # noqa: DTZ001
    if not 1 <= int(month) <= 12:
        return Slip("calendar", f"there is no month {month}")
    first = datetime(year, int(month), 1)  # noqa: DTZ001
    if day is None:
        return "month", *_whole(first, _days_in(year, int(month)))
    if not 1 <= int(day) <= _days_in(year, int(month)):
        return Slip("calendar", f"{first:%B} {year} has {_days_in(year, int(month))} days, not a day {day}")
    return "date", *_whole(first.replace(day=int(day)), 1)


def _next_year(year: int) -> datetime:
    return datetime(year + 1, 1, 1)  # noqa: DTZ001


def _whole(first: datetime, days: int) -> tuple[datetime, datetime | None]:
    try:
        return first, first + timedelta(days=days)
    except OverflowError:
        return first, None


def _days_in(year: int, month: int) -> int:
    if month == 2:
        leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        return 29 if leap else 28
    return 30 if month in (4, 6, 9, 11) else 31


def _of_week(year: int, week: int, weekday: int) -> tuple[Form, datetime, datetime | None] | Slip:
    if weekday > 7:
        return Slip("calendar", f"a week has no day {weekday}")
    try:
        monday = date.fromisocalendar(year, week, weekday or 1)
    except ValueError:
        return Slip("calendar", f"the year {year} has no week {week:02}")
    return "week", *_whole(datetime(monday.year, monday.month, monday.day), 1 if weekday else 7)  # noqa: DTZ001


def _at(day: datetime, found: dict[str, str | None], notes: list[str]) -> Moment | Slip:
    clock = _clock(found)
    if isinstance(clock, Slip):
        return clock
    if found["joint"] == " ":
        notes.append("space")
    elif found["joint"] == "t":
        notes.append("lower-case")
    grain = timedelta(seconds=1) if found["second"] else timedelta(minutes=1) if found["minute"] else timedelta(hours=1)
    if found["fraction"]:
        grain = _INSTANT
    try:
        first = day + timedelta(seconds=clock.seconds)
        last = first + grain - _INSTANT
        if clock.offset is not None:
            zone = timezone(timedelta(minutes=clock.offset))
            first, last = first.replace(tzinfo=zone).astimezone(UTC), last.replace(tzinfo=zone).astimezone(UTC)
    except OverflowError:
        first = last = (_END if day.year > 5000 else _BEGINNING).replace(tzinfo=None if clock.offset is None else UTC)
    return Moment("datetime", first, last, clock.offset is not None, (*notes, *clock.notes))


def _clock(found: dict[str, str | None]) -> Clock | Slip:
    hour, minute, second = (int(found[part] or 0) for part in ("hour", "minute", "second"))
    notes: list[str] = []
    if found["fraction"] and found["fraction"][0] == ",":
        notes.append("comma")
    if second == 60 and minute in (59, 29, 44):
        notes.append("leap-second")  # 23:59:60 in UTC; other offsets shift hour and minute
        second = 59
    if hour > 24 or minute > 59 or second > 59 or (hour == 24 and (minute or second)):
        shown = ":".join(part for part in (found["hour"], found["minute"], found["second"]) if part)
        return Slip("clock", f"no clock shows {shown}")
    if hour == 24:
        notes.append("24:00")
    fraction = float("0." + found["fraction"][1:16]) if found["fraction"] else 0.0
    offset = _offset(found["offset"], notes)
    if isinstance(offset, Slip):
        return offset
    return Clock(hour * 3600 + minute * 60 + second + fraction, offset, tuple(notes))


def _offset(text: str | None, notes: list[str]) -> int | Slip | None:
    """Minutes east of UTC."""
    if text is None:
        return None
    if text in "Zz":
        if text == "z":
            notes.append("lower-case")
        return 0
    digits = text[1:].replace(":", "")
    if ":" not in text:
        notes.append("offset-basic" if len(digits) == 4 else "offset-short")
    hours, minutes = int(digits[:2]), int(digits[2:] or 0)
    if hours > 14 or minutes > 59 or (hours == 14 and minutes):
        return Slip("offset", f"no place on earth is {text} from UTC")
    return (hours * 60 + minutes) * (1 if text[0] == "+" else -1)


def _ancient(text: str) -> Moment | None:
    """Years outside 0001..9999, as `-0043-03-15`: readable, but beyond what can be compared exactly."""
    match = _ANCIENT.fullmatch(text)
    if match is None:
        return None
    edge = _END if match["sign"] == "+" else _BEGINNING
    return Moment("ancient", edge, edge, False)


@lru_cache(maxsize=1024)
def read_time(text: str) -> Clock | Slip:
    """A time of day: 09:30, 09:30:00, 0930, 9:30+02:00."""
    text = text.strip()
    match = _TIME.fullmatch(text) if len(text) <= _MOST else None
    return _clock(match.groupdict()) if match else Slip("form", "it is not written as hh:mm or hh:mm:ss")


_SECONDS = (604800, 86400, 3600, 60, 1)


@lru_cache(maxsize=1024)
def read_duration(text: str) -> Duration | None:
    """An ISO 8601 duration with at least one component, else None. P2W and PT30.5M are fine; PT is not."""
    text = text.strip()
    return _read_duration(text) if len(text) <= _MOST else None


@lru_cache(maxsize=2048)
def _read_duration(text: str) -> Duration | None:
    match = _DURATION.fullmatch(text)
    if match is None:
        return None
    parts = [part for key, part in zip(_PARTS, match.groups(), strict=True) if key is None]
    clock = parts[4:]
    if all(part is None for part in parts) or (match["clock"] and all(part is None for part in clock)):
        return None
    amounts = [float(part.replace(",", ".")) if part else 0.0 for part in parts]
    seconds = sum(amount * unit for amount, unit in zip(amounts[2:], _SECONDS, strict=True))
    return Duration(amounts[0] * 12 + amounts[1], seconds, match["sign"] not in ("", "+"))


_PARTS: list[str | None] = [None] * _DURATION.groups
for _name, _at_group in _DURATION.groupindex.items():
    _PARTS[_at_group - 1] = _name


def is_before(one: Moment, other: Moment) -> bool:
    """Is every instant of `one` earlier than every instant of `other`, whatever the missing offsets are?

    Two moments without offsets are taken to be in one place. Where only one has an offset, the other may
    be up to 14 hours ahead of UTC or 12 behind.
    """
    if one.zoned == other.zoned:
        return one.last < other.first
    if one.zoned:
        return _utc_naive(one.last) < _shift(other.first, -_FAR_EAST)
    return _shift(one.last, _FAR_WEST) < _utc_naive(other.first)


def last_instant(one: Moment) -> datetime:
    """Up to when, this instant included, it may not be over somewhere on earth; aware."""
    return one.last if one.zoned else _shift(one.last, _FAR_WEST).replace(tzinfo=UTC)


def first_instant(one: Moment) -> datetime:
    """From when on it may have begun somewhere on earth; aware."""
    return one.first if one.zoned else _shift(one.first, -_FAR_EAST).replace(tzinfo=UTC)


def is_past(one: Moment, now: datetime) -> bool:
    """Is it over everywhere on earth? `now` is aware."""
    return last_instant(one) < now


def is_future(one: Moment, now: datetime) -> bool:
    """Has it begun nowhere on earth?"""
    return now < first_instant(one)


def _utc_naive(when: datetime) -> datetime:
    return when.astimezone(UTC).replace(tzinfo=None)


def _shift(when: datetime, by: timedelta) -> datetime:
    try:
        return when + by
    except OverflowError:
        return when


_MONTHS = {
    name: number
    for number, names in enumerate(
        ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
         "september sep sept", "october oct", "november nov", "december dec"), 1)
    for name in names.split()
}  # fmt: skip
_SLASHED = pattern(r"(\d{4})([/.\-])(\d{1,2})\2(\d{1,2})", re.ASCII)
_YEAR_LAST = pattern(r"(\d{1,2})([/\-])(\d{1,2})\2(\d{4})", re.ASCII)
_DOTTED = pattern(r"(\d{1,2})\.(\d{1,2})\.(\d{4})", re.ASCII)
_MONTH_FIRST = pattern(r"(?:[a-z]{3,9},? )?([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})", re.ASCII)
_DAY_FIRST = pattern(r"(?:[a-z]{3,9},? )?(\d{1,2})(?:st|nd|rd|th)?\.? (?:of )?([a-z]{3,9})\.?,? (\d{4})", re.ASCII)


def guess(text: str) -> str | None:
    """The ISO date that a date written otherwise can only mean; None where two readings are possible.

    "2026-5-3", "2026/05/03", "31.5.2026", "12/31/2026", "March 3, 2026" and "3 March 2026" have one reading;
    "03/04/2026" has two.
    """
    flat = " ".join(text.split()).casefold()
    if len(flat) > _MOST:
        return None
    if found := _SLASHED.fullmatch(flat):
        return _as_date(found[1], found[3], found[4])
    if (found := _DOTTED.fullmatch(flat)) and (int(found[1]) > 12 or int(found[1]) == int(found[2])):
        return _as_date(found[3], found[2], found[1])
    if found := _YEAR_LAST.fullmatch(flat):
        one, other = found[1], found[3]
        if int(one) > 12 >= int(other):
            return _as_date(found[4], other, one)
        return _as_date(found[4], one, other) if int(other) > 12 >= int(one) else None
    if found := _MONTH_FIRST.fullmatch(flat):
        return _as_date(found[3], str(_MONTHS.get(found[1], 0)), found[2])
    if found := _DAY_FIRST.fullmatch(flat):
        return _as_date(found[3], str(_MONTHS.get(found[2], 0)), found[1])
    return None


def _as_date(year: str, month: str, day: str) -> str | None:
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None


_WORDS = pattern(
    r"(\d+(?:[.,]\d+)?) ?(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|weeks?)(?![a-z])[., ]*(?:and )?",
    re.ASCII,
)
_UNIT_OF = {"s": "S", "m": "M", "h": "H", "d": "D", "w": "W"}
_UNTIMED = pattern(r"p((?:\d+h)?\d+m\d+(?:\.\d+)?s|\d+h(?:\d+m)?|\d+(?:\.\d+)?s)", re.ASCII)  # the T was forgotten
_CLOCKED = pattern(r"(\d{1,3}):([0-5]\d):([0-5]\d)", re.ASCII)


def guess_duration(text: str) -> str | None:
    """The ISO duration that "30 minutes", "1 h 20 min" or "01:20:00" can only mean, else None ("5:30" has two)."""
    flat = " ".join(text.split()).casefold()
    if len(flat) > _MOST:
        return None
    if found := _CLOCKED.fullmatch(flat):
        parts = dict(zip("HMS", (int(each) for each in found.groups()), strict=True))
        return "PT" + ("".join(f"{n}{unit}" for unit, n in parts.items() if n) or "0S")
    if found := _UNTIMED.fullmatch(flat):
        return f"PT{found[1].upper()}"
    units: dict[str, str] = {}
    position = 0
    while position < len(flat):
        found = _WORDS.match(flat, position)
        if found is None or (unit := _UNIT_OF[found[2][0]]) in units:
            return None
        units[unit] = found[1].replace(",", ".")
        position = found.end()
    days = "".join(units[unit] + unit for unit in "WD" if unit in units)
    clock = "".join(units[unit] + unit for unit in "HMS" if unit in units)
    return f"P{days}{'T' + clock if clock else ''}" if units else None
