"""Dates, times and durations of ISO 8601, as structured data uses the standard.

`read` returns a `Moment` or an `InvalidDate`, `read_time` a `TimeOfDay` or an `InvalidDate`, all without guessing;
`guess` turns a few other spellings into ISO 8601 where only one reading is possible.
A date without a time of day means the whole day; times without an offset have no known time zone.
Source: ISO 8601-1:2019 in the parts that schema.org, XML Schema and RFC 3339 share, read 2026-11-20.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone
from functools import lru_cache
from typing import Literal, NamedTuple

from waypost.formats.patterns import pattern

Form = Literal["year", "month", "date", "week", "ordinal", "datetime", "ancient"]
DateErrorKind = Literal["form", "calendar", "clock", "offset"]


class Moment(NamedTuple):
    """Point or period of time.

    first, last  first and last instant, both inclusive: aware UTC for a text with an offset, else
                 naive local time. Of "ancient" years (before 1 or after 9999) the nearest representable.
    zoned        the text has an offset or Z.
    notes        unusual but readable spellings: "basic" (no separators), "space" (for the T), "clock-basic" (1830),
                 "minus" (U+2212 in the offset), "offset-basic" (+0000), "offset-short" (+02), "24:00", "leap-second",
                 "comma", "lower-case".
    """

    form: Form
    first: datetime
    last: datetime
    zoned: bool
    notes: tuple[str, ...] = ()


class InvalidDate(NamedTuple):
    """Reason why a text is not ISO 8601: form, day outside the calendar, time outside the day, impossible offset."""

    kind: DateErrorKind
    detail: str


class TimeOfDay(NamedTuple):
    """Time of day: seconds since midnight (24:00 is 86400) and offset in minutes, None without an offset."""

    seconds: float
    offset: int | None
    notes: tuple[str, ...] = ()


class Duration(NamedTuple):
    """Length of time. Months and years are in `months`, since their length in seconds varies."""

    months: float
    seconds: float

    @property
    def is_empty(self) -> bool:
        return not self.months and not self.seconds


_DATE = (
    r"(?P<year>\d{4})(?:-(?P<month>\d\d)(?:-(?P<day>\d\d))?|-?W(?P<week>\d\d)(?:-?(?P<weekday>\d))?"
    r"|-(?P<ordinal>\d{3})|(?P<basic>\d{4}))?"
)
_CLOCK = r"(?P<hour>\d\d)(?:(?P<colon>:?)(?P<minute>\d\d)(?::?(?P<second>\d\d)(?P<fraction>[.,]\d+)?)?)?"
_OFFSET = r"(?P<offset>[Zz]|[+\-\u2212]\d\d(?::?\d\d)?)?"
# ASCII: `\d` would also match the digits of other scripts, which ISO 8601 does not have.
_MOMENT = pattern(rf"{_DATE}(?:(?P<joint>[Tt ])\s?{_CLOCK} ?{_OFFSET})?", re.ASCII)
_PLAIN_DAY = pattern(r"\d{4}-\d\d-\d\d", re.ASCII)
_TIME = pattern(rf"[Tt]?{_CLOCK} ?{_OFFSET}", re.ASCII)
_ANCIENT = pattern(r"(?P<sign>[+\-\u2212])\d{4,10}(?:-(?P<month>\d\d)(?:-(?P<day>\d\d))?)?|0000", re.ASCII)
_NUMBER = r"(\d+(?:[.,]\d+)?)"
_DURATION = pattern(
    rf"(?P<sign>[+\-\u2212]?)P(?:{_NUMBER}Y)?(?:{_NUMBER}M)?(?:{_NUMBER}W)?(?:{_NUMBER}D)?"
    rf"(?:(?P<clock>T)(?:{_NUMBER}H)?(?:{_NUMBER}M)?(?:{_NUMBER}S)?)?",
    re.ASCII,
)
# Characters: longer texts are prose, and are not matched at all.
LONGEST = 80
_INSTANT = timedelta(microseconds=1)
_BEGINNING, _END = datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999)  # noqa: DTZ001 - no time zone is known
# Offsets that are in use: UTC-12 on ships at the date line, UTC+14 on the Line Islands.
_FAR_WEST, _FAR_EAST = timedelta(hours=12), timedelta(hours=14)


@lru_cache(maxsize=4096)
def read(text: str) -> Moment | InvalidDate:
    """Date, or date and time, of a text."""
    text = text.strip()
    match = _MOMENT.fullmatch(text) if len(text) <= LONGEST else None
    if match is None:
        return _ancient(text) or InvalidDate("form", "it is not written as ISO 8601")
    found = match.groupdict()
    notes: list[str] = []
    day = _day(found, notes)
    if isinstance(day, InvalidDate):
        return day
    form, first, after = day
    if found["joint"] is None:
        last = _END if after is None else after - _INSTANT
        return Moment(form, first, last, False, tuple(notes))
    if form in ("year", "month") or (form == "week" and found["weekday"] is None):
        return InvalidDate("form", "a time of day needs a complete date before it")
    return _at(first, found, notes)


def moment(text: object) -> Moment | None:
    """Moment of a value, None for other values and unreadable strings."""
    found = read(text) if isinstance(text, str) else None
    return found if isinstance(found, Moment) else None


_MONTH_WORDS = ("January", "February", "March", "April", "May", "June",
           "July", "August", "September", "October", "November", "December")  # fmt: skip


def day_number(text: str) -> int | None:
    """Number of a day, "2026-11-29", counted from one day to the next; None for a day that the calendar lacks."""
    try:
        return date.fromisoformat(text).toordinal() if _PLAIN_DAY.fullmatch(text) else None
    except ValueError:
        return None


def day_in_words(value: str) -> str:
    """12 December 2026, December 2026 or 2026, of an ISO 8601 date or date-time."""
    year, _, rest = value[:10].partition("-")
    month, _, day = rest.partition("-")
    parts = (str(int(day)) if day else "", _MONTH_WORDS[int(month) - 1] if month else "", year)
    return " ".join(part for part in parts if part)


def _day(found: dict[str, str | None], notes: list[str]) -> tuple[Form, datetime, datetime | None] | InvalidDate:
    """(form, first instant, first instant afterwards or None at the end of time)."""
    year = int(found["year"] or 0)
    if year == 0:
        return InvalidDate("calendar", "there is no year 0000")
    if found["basic"]:
        notes.append("basic")
        found = {**found, "month": found["basic"][:2], "day": found["basic"][2:]}
    if found["week"]:
        return _of_week(year, int(found["week"]), int(found["weekday"] or 0))
    if found["ordinal"]:
        number = int(found["ordinal"])
        # Python's calendar has no year 10000; 9999 is not a leap year.
        days = (_next_year(year) - datetime(year, 1, 1)).days if year < 9999 else 365  # noqa: DTZ001 - no time zone is known
        if not 1 <= number <= days:
            return InvalidDate("calendar", f"the year {year} has no day {number}")
        return "ordinal", *_whole(datetime(year, 1, 1) + timedelta(days=number - 1), 1)  # noqa: DTZ001
    month, day = found["month"], found["day"]
    if month is None:
        return "year", datetime(year, 1, 1), _next_year(year) if year < 9999 else None  # noqa: DTZ001
    if not 1 <= int(month) <= 12:
        return InvalidDate("calendar", f"there is no month {month}")
    first = datetime(year, int(month), 1)  # noqa: DTZ001
    if day is None:
        return "month", *_whole(first, _days_in(year, int(month)))
    if not 1 <= int(day) <= _days_in(year, int(month)):
        return InvalidDate("calendar", f"{first:%B} {year} has {_days_in(year, int(month))} days")
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


def _of_week(year: int, week: int, weekday: int) -> tuple[Form, datetime, datetime | None] | InvalidDate:
    if weekday > 7:
        return InvalidDate("calendar", f"a week has no day {weekday}")
    try:
        monday = date.fromisocalendar(year, week, weekday or 1)
    except ValueError:
        return InvalidDate("calendar", f"the year {year} has no week {week:02}")
    return "week", *_whole(datetime(monday.year, monday.month, monday.day), 1 if weekday else 7)  # noqa: DTZ001


def _at(day: datetime, found: dict[str, str | None], notes: list[str]) -> Moment | InvalidDate:
    clock = _clock(found)
    if isinstance(clock, InvalidDate):
        return clock
    if found["joint"] == " ":
        notes.append("space")
    elif found["joint"] == "t":
        notes.append("lower-case")
    # A time covers as much as it does not say: 10:30 lasts until 10:31.
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


def _clock(found: dict[str, str | None]) -> TimeOfDay | InvalidDate:
    hour, minute, second = (int(found[part] or 0) for part in ("hour", "minute", "second"))
    notes: list[str] = []
    if found["fraction"] and found["fraction"][0] == ",":
        notes.append("comma")
    if found["minute"] and not found["colon"]:
        notes.append("clock-basic")
    if second == 60 and minute in (59, 29, 44):
        notes.append("leap-second")  # 23:59:60 in UTC; other offsets shift hour and minute
        second = 59
    if hour > 24 or minute > 59 or second > 59 or (hour == 24 and (minute or second)):
        text = ":".join(part for part in (found["hour"], found["minute"], found["second"]) if part)
        return InvalidDate("clock", f"no clock shows {text}")
    if hour == 24:
        notes.append("24:00")
    # Sixteen digits are more than a float holds.
    fraction = float("0." + found["fraction"][1:16]) if found["fraction"] else 0.0
    offset = _offset(found["offset"], notes)
    if isinstance(offset, InvalidDate):
        return offset
    return TimeOfDay(hour * 3600 + minute * 60 + second + fraction, offset, tuple(notes))


def _offset(text: str | None, notes: list[str]) -> int | InvalidDate | None:
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
    if text[0] == "\u2212":
        notes.append("minus")
    hours, minutes = int(digits[:2]), int(digits[2:] or 0)
    # The offsets in use reach from -12:00 (ships at the date line) to +14:00 (Line Islands).
    if minutes > 59 or hours * 60 + minutes > (14 if text[0] == "+" else 12) * 60:
        return InvalidDate("offset", f"no place on earth is {text} from UTC")
    return (hours * 60 + minutes) * (1 if text[0] == "+" else -1)


def _ancient(text: str) -> Moment | None:
    """Moment of a year outside 0001..9999, as `-0043-03-15`: readable, but outside the range of `datetime`."""
    match = _ANCIENT.fullmatch(text)
    if match is None:
        return None
    edge = _END if match["sign"] == "+" else _BEGINNING
    return Moment("ancient", edge, edge, False)


@lru_cache(maxsize=1024)
def read_time(text: str) -> TimeOfDay | InvalidDate:
    """Time of day from 09:30, 09:30:00, 0930 or 09:30+02:00."""
    text = text.strip()
    match = _TIME.fullmatch(text) if len(text) <= LONGEST else None
    return _clock(match.groupdict()) if match else InvalidDate("form", "it is not written as hh:mm or hh:mm:ss")


def normal_form(text: str, *, is_time: bool = False) -> str:
    """Readable date, or date and time, as RFC 3339 writes it, with the digits of the text; `is_time`: a time of day."""
    text = text.strip()
    match = (_TIME if is_time else _MOMENT).fullmatch(text)
    assert match is not None
    found: dict[str, str | None] = match.groupdict()
    day = ""
    if not is_time:
        moment = read(text if found["joint"] is None else re.split("[Tt ]", text, maxsplit=1)[0])
        assert isinstance(moment, Moment)
        day = moment.first.date().isoformat()
        if found["joint"] is None:
            return day
    clock = f"{found['hour']}:{found['minute'] or '00'}"
    if found["second"]:
        clock += f":{found['second']}{(found['fraction'] or '').replace(',', '.')}"
    offset = (found["offset"] or "").replace(":", "").replace("\u2212", "-").upper()
    if offset and offset != "Z":
        offset = f"{offset[:3]}:{offset[3:] or '00'}"
    return f"{day}{'T' if day else ''}{clock}{offset}"


_SECONDS = (604800, 86400, 3600, 60, 1)


@lru_cache(maxsize=1024)
def read_duration(text: str) -> Duration | None:
    """Duration with at least one component, else None. P2W and PT30.5M are valid; PT is not."""
    text = text.strip()
    match = _DURATION.fullmatch(text) if len(text) <= LONGEST else None
    if match is None:
        return None
    # The numbers are the groups without a name.
    parts = match.group(2, 3, 4, 5, 7, 8, 9)  # from years to seconds, without the sign and the T
    clock = parts[4:]
    # A designator without a number is not a duration (ISO 8601-1:2019, 5.5.2): neither P nor PT.
    if all(part is None for part in parts) or (match["clock"] and all(part is None for part in clock)):
        return None
    amounts = [float(part.replace(",", ".")) if part else 0.0 for part in parts]
    seconds = sum(amount * unit for amount, unit in zip(amounts[2:], _SECONDS, strict=True))
    return Duration(amounts[0] * 12 + amounts[1], seconds)


def is_before(first: Moment, second: Moment) -> bool:
    """Whether the first moment ends before the second begins, with every possible value of a missing offset.

    Two moments without offsets share a time zone. Next to a moment with an offset, a moment without may
    be up to 14 hours ahead of UTC or 12 behind.
    """
    if first.zoned == second.zoned:
        return first.last < second.first
    if first.zoned:
        return _utc_naive(first.last) < _shift(second.first, -_FAR_EAST)
    return _shift(first.last, _FAR_WEST) < _utc_naive(second.first)


def starts_at_midnight(moment: Moment) -> bool:
    """Does the moment start at midnight, in UTC or an hour east of it?"""
    return moment.first.hour in (0, 23)


def is_several_days(moment: Moment) -> bool:
    """Does the moment end on another day than it starts?"""
    return moment.first.date() != moment.last.date()


def follows_within_a_minute(first: Moment, second: Moment) -> bool:
    """Does the second moment start less than a minute after the end of the first? Both have an offset, or neither."""
    return second.first - first.last < timedelta(minutes=1)


def last_instant(moment: Moment) -> datetime:
    """Latest possible end of a moment anywhere on earth, inclusive; aware."""
    return moment.last if moment.zoned else _shift(moment.last, _FAR_WEST).replace(tzinfo=UTC)


def first_instant(moment: Moment) -> datetime:
    """Earliest possible start of a moment anywhere on earth; aware."""
    return moment.first if moment.zoned else _shift(moment.first, -_FAR_EAST).replace(tzinfo=UTC)


def day_of(when: datetime) -> str:
    """Day of an instant, as 2026-11-20."""
    return when.date().isoformat()


def is_past(moment: Moment, now: datetime) -> bool:
    """Whether a moment is over everywhere on earth. `now` is aware."""
    return last_instant(moment) < now


def is_future(moment: Moment, now: datetime) -> bool:
    """Whether a moment has begun nowhere on earth. `now` is aware."""
    return now < first_instant(moment)


def _utc_naive(when: datetime) -> datetime:
    return when.astimezone(UTC).replace(tzinfo=None)


def _shift(when: datetime, by: timedelta) -> datetime:
    try:
        return when + by
    except OverflowError:  # in the years 1 and 9999, where some hours decide nothing
        return when
