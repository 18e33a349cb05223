"""Dates, times and durations of ISO 8601, as structured data uses the standard.

`read` returns a `Moment` or an `InvalidDate`, `read_time` a `TimeOfDay` or an `InvalidDate`, all without guessing;
`guess` turns a few other spellings into ISO 8601 where only one reading is possible.
A date without a time of day means the whole day; times without an offset have no known time zone.
Source: ISO 8601-1:2019 in the parts that schema.org, XML Schema and RFC 3339 share, read 2026-11-20.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

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
_TIME = pattern(rf"[Tt]?{_CLOCK} ?{_OFFSET}", re.ASCII)
_ANCIENT = pattern(r"(?P<sign>[+\-\u2212])\d{4,10}(?:-(?P<month>\d\d)(?:-(?P<day>\d\d))?)?|0000", re.ASCII)
_NUMBER = r"(\d+(?:[.,]\d+)?)"
_DURATION = pattern(
    rf"(?P<sign>[+\-\u2212]?)P(?:{_NUMBER}Y)?(?:{_NUMBER}M)?(?:{_NUMBER}W)?(?:{_NUMBER}D)?"
    rf"(?:(?P<clock>T)(?:{_NUMBER}H)?(?:{_NUMBER}M)?(?:{_NUMBER}S)?)?",
    re.ASCII,
)
# Characters: longer texts are prose, and are not matched at all.
_MOST = 80
_INSTANT = timedelta(microseconds=1)
_BEGINNING, _END = datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999)  # noqa: DTZ001 - no time zone is known
# Offsets that are in use: UTC-12 on ships at the date line, UTC+14 on the Line Islands.
_FAR_WEST, _FAR_EAST = timedelta(hours=12), timedelta(hours=14)


@lru_cache(maxsize=4096)
def read(text: str) -> Moment | InvalidDate:
    """Date, or date and time, of a text."""
    text = text.strip()
    match = _MOMENT.fullmatch(text) if len(text) <= _MOST else None
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
    match = _TIME.fullmatch(text) if len(text) <= _MOST else None
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


_CLOSED = frozenset({"closed", "geschlossen", "fermé", "cerrado", "chiuso", "gesloten"})
_WRITTEN_TIME = pattern(
    r"(\d{1,2})(?:([:.h])([0-5]\d)(?::([0-5]\d))?)?( ?(?:uhr|hrs?|h|am|pm|a\.m\.?|p\.m\.?|o'clock|noon))?"
    r" ?([+-]\d\d:?\d\d|z)?",
    re.ASCII,
)
_BETWEEN_TIMES = pattern(r" ?(?:-|–|—|to|until|till|bis) ?")


def guess_time(text: str) -> str | None:
    """hh:mm for a time of day in another spelling ("9:00", "5 PM", "9h30"); None where two readings are possible."""
    flat = " ".join(text.split()).casefold()
    if flat in ("noon", "midday"):
        return "12:00"
    found = _WRITTEN_TIME.fullmatch(flat) if len(flat) <= _MOST else None
    if found is None:
        return None
    hour, _, minute, second, unit, offset = found.groups()
    unit = (unit or "").strip()
    if unit == "noon":
        return "12:00" if hour == "12" and minute in (None, "00") else None
    # 17:00 PM has one reading, too.
    if unit[:1] == "p" and 12 < int(hour) < 24:
        unit = "h"
    clock = _clock_24(hour, minute, unit)
    if clock is None:
        return None
    zone = (offset or "").upper()
    zone = f"{zone[:3]}:{zone[3:]}" if len(zone) == 5 else zone
    written = f"{clock}{':' + second if second else ''}{zone}"
    return written if isinstance(read_time(written), TimeOfDay) else None


def two_times(text: str) -> tuple[str, str] | None:
    """Both times of day of "12:00-15:00" or "9am to 5pm", else None."""
    flat = " ".join(text.split()).casefold()
    parts = _BETWEEN_TIMES.split(flat) if len(flat) <= _MOST else []
    if len(parts) != 2:
        return None
    first, second = (
        part if isinstance(read_time(part), TimeOfDay) and ":" in part else guess_time(part) for part in parts
    )
    return (first, second) if first and second else None


def is_closed(text: str) -> bool:
    """Whether a text in the place of a time says that a place is closed."""
    return text.strip().casefold() in _CLOSED


_SECONDS = (604800, 86400, 3600, 60, 1)


@lru_cache(maxsize=1024)
def read_duration(text: str) -> Duration | None:
    """Duration with at least one component, else None. P2W and PT30.5M are valid; PT is not."""
    text = text.strip()
    match = _DURATION.fullmatch(text) if len(text) <= _MOST else None
    if match is None:
        return None
    # The numbers are the groups without a name.
    parts = [part for key, part in zip(_PARTS, match.groups(), strict=True) if key is None]
    clock = parts[4:]
    # A designator without a number is not a duration (ISO 8601-1:2019, 5.5.2): neither P nor PT.
    if all(part is None for part in parts) or (match["clock"] and all(part is None for part in clock)):
        return None
    amounts = [float(part.replace(",", ".")) if part else 0.0 for part in parts]
    seconds = sum(amount * unit for amount, unit in zip(amounts[2:], _SECONDS, strict=True))
    return Duration(amounts[0] * 12 + amounts[1], seconds)


_PARTS: list[str | None] = [None] * _DURATION.groups
for _name, _at_group in _DURATION.groupindex.items():
    _PARTS[_at_group - 1] = _name


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
_DAY_BEFORE_DOT = frozenset(
    {"bg", "cs", "da", "de", "et", "fi", "hr", "is", "lv", "mk", "nb", "nn", "no", "pl", "ro", "ru", "sk", "sl", "sr",
     "tr", "uk"}
)  # fmt: skip
"""Languages in which 3.4.2026 is the third of April only."""
_MONTH_FIRST = pattern(r"(?:[a-z]{3,9},? )?([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})", re.ASCII)
_DAY_FIRST = pattern(r"(?:[a-z]{3,9},? )?(\d{1,2})(?:st|nd|rd|th)?\.? (?:of )?([a-z]{3,9})\.?,? (\d{4})", re.ASCII)


@cache
def month_names() -> dict[str, dict[str, str]]:
    """Language -> `months`, twelve lists of names separated by commas, and `between`, words to skip."""
    data = Path(__file__).resolve().parent.parent / "data" / "months.json"
    languages: dict[str, dict[str, str]] = msgspec.json.decode(data.read_bytes())["languages"]
    return languages


@cache
def _words_of(language: str) -> dict[str, int]:
    """Word of a language -> number of the month, 0 for a word to skip."""
    entry = month_names().get(language, {})
    words = dict.fromkeys(entry.get("between", "").split(), 0)
    for number, names in enumerate(entry.get("months", "").split(","), 1):
        words |= dict.fromkeys(names.split(), number)
    return words


_CJK_DATE = pattern(r"(\d{4}) ?[年년] ?(\d{1,2}) ?[月월] ?(\d{1,2}) ?[日일]", re.ASCII)
_BETWEEN_WORDS = pattern(r"[ .,/'’-]+")
_TOKEN = pattern(r"([0-9]*)(.*)", re.DOTALL)


def _guess_named(flat: str, language: str) -> str | None:
    """ISO date of a date with the name of a month in a language."""
    known = _words_of(language.partition("-")[0].lower())
    year, month, day = "", 0, ""
    for token in filter(None, _BETWEEN_WORDS.split(flat)):
        found = _TOKEN.fullmatch(token)
        assert found is not None
        digits, word = found.groups()
        number = known.get(word) if word else 0
        if number is None or (number and (digits or month)) or len(digits) == 3 or len(digits) > 4:
            return None
        # A second year or a second day: two readings, hence none.
        if year if len(digits) == 4 else digits and day:
            return None
        if len(digits) == 4:
            year = digits
        else:
            day = day or digits
        month = month or number
    return _as_date(year, str(month), day) if year and month and day else None


_AT = pattern(
    r"(.{6,}?)(?:,? (?:at|um|à|alle|a las|às|om|kl\.?)|,| [-–|])? "
    r"(\d{1,2})(?:([:.h])([0-5]\d)(?::([0-5]\d))?)?( ?(?:uhr|h|am|pm|a\.m\.|p\.m\.|o'clock))?"
)
_COMPACT = pattern(r"(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?", re.ASCII)
_EPOCH = pattern(r"1\d{9}(?:\d{3})?", re.ASCII)


_ZONED = pattern(
    r"(.{6,}?)(?:,? |t)(\d{1,2})(:[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?)"
    r" ?(?:(?:gmt|utc)?([+-])(\d{1,2}):?([0-5]\d)|gmt|utc|z)(?: \([^()]*\)|\[[^\[\]]*\])?",
    re.ASCII,
)


_LOCAL = pattern(r"(.{6,}?)t(\d{1,2})(:[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?)", re.ASCII)


def guess(text: str, language: str | None = None) -> str | None:
    """ISO date, or date and time, for one in another spelling; None where two readings are possible.

    The time is as exact as it is written: "12. März 2026 18 Uhr" is 2026-03-12T18:00 on a German page. With an offset
    are read what calendars and programs print: "2027-3-5T19:30-4:00", "Mon, 02 Nov 2026 08:00:00 GMT".
    """
    flat = " ".join(text.split()).casefold()
    if len(flat) > _MOST:
        return None
    if day := _guess_day(flat, language):
        return day
    if (found := _ZONED.fullmatch(flat)) and (day := _guess_day(found[1], language)):
        offset = f"{found[4]}{found[5]:>02}:{found[6]}" if found[4] else "Z"
        correction = f"{day}T{found[2]:>02}{found[3]}{offset}"
        return correction if isinstance(read(correction), Moment) else None
    # Without an offset: "2027-9-13T10:00".
    if (found := _LOCAL.fullmatch(flat)) and (day := _guess_day(found[1], language)) and int(found[2]) < 24:
        return f"{day}T{found[2]:>02}{found[3]}"
    if found := _COMPACT.fullmatch(flat):
        clock = f"{found[4]}:{found[5]}" + (f":{found[6]}" if found[6] else "")
        day = _as_date(found[1], found[2], found[3])
        return f"{day}T{clock}" if day and isinstance(read_time(clock), TimeOfDay) else None
    found = _AT.fullmatch(flat)
    clock_24 = found and _clock_24(found[2], found[4], (found[6] or "").strip())
    if not found or clock_24 is None:
        return None
    day = found[1] if isinstance(read(found[1]), Moment) and len(found[1]) == 10 else _guess_day(found[1], language)
    return f"{day}T{clock_24}{':' + found[5] if found[5] else ''}" if day else None


def of_epoch(text: str) -> str | None:
    """Date and time of seconds or milliseconds since 1970 as ISO 8601 in UTC; None for another text."""
    flat = text.strip()
    if not _EPOCH.fullmatch(flat):
        return None
    made = datetime.fromtimestamp(int(flat[:10]), UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{made}{'.' + flat[10:] if flat[10:].strip('0') else ''}Z"


def _clock_24(hour: str, minute: str | None, unit: str) -> str | None:
    """hh:mm of a time of day; None for an hour that the clock does not have, or a number that need not be an hour."""
    number = int(hour)
    if not (minute or unit) or number > 23:
        return None
    if unit[:1] in {"a", "p"}:
        if not 1 <= number <= 12:
            return None
        number = number % 12 + 12 * (unit[0] == "p")
    return f"{number:02}:{minute or '00'}"


def _guess_day(flat: str, language: str | None) -> str | None:
    """ISO date for a date in another spelling; None where two readings are possible.

    "2026-5-3", "2026/05/03", "31.5.2026", "12/31/2026", "March 3, 2026" and "3 March 2026" have one reading;
    "03/04/2026" has two. `language` (BCP 47) adds the names of months in that language: "3. Mai 2026".
    """
    if found := _SLASHED.fullmatch(flat):
        return _as_date(found[1], found[3], found[4])
    # Dots are written with the day first; elsewhere 3.4.2026, where the day may be a month, stays open.
    if (found := _DOTTED.fullmatch(flat)) and (
        int(found[1]) > 12 or int(found[1]) == int(found[2])
        or (language or "").partition("-")[0].lower() in _DAY_BEFORE_DOT
    ):  # fmt: skip
        return _as_date(found[3], found[2], found[1])
    if found := _YEAR_LAST.fullmatch(flat):
        # Only a number over 12 distinguishes the day from the month.
        left, right = found[1], found[3]
        if int(left) > 12 >= int(right):
            return _as_date(found[4], right, left)
        return _as_date(found[4], left, right) if int(right) > 12 >= int(left) else None
    if (found := _MONTH_FIRST.fullmatch(flat)) and found[1] in _MONTHS:
        return _as_date(found[3], str(_MONTHS[found[1]]), found[2])
    if (found := _DAY_FIRST.fullmatch(flat)) and (made := _as_date(found[3], str(_MONTHS.get(found[2], 0)), found[1])):
        return made
    if found := _CJK_DATE.fullmatch(flat):
        return _as_date(*found.groups())
    return _guess_named(flat, language) if language else None


def both_days(text: str) -> tuple[str, str] | None:
    """Both ISO dates that "03/04/2026" can mean, the one with the day first in front; None for another text."""
    found = _YEAR_LAST.fullmatch(text.strip())
    left, right, year = (found[1], found[3], found[4]) if found else ("", "", "")
    if not found and (dotted := _DOTTED.fullmatch(text.strip())):
        left, right, year = dotted.groups()
    if not year or left == right:
        return None
    first, second = _as_date(year, right, left), _as_date(year, left, right)
    return (first, second) if first and second else None


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
    """ISO duration for "30 minutes", "1 h 20 min" or "01:20:00", else None ("5:30" has two readings)."""
    flat = " ".join(text.split()).casefold()
    if len(flat) > _MOST:
        return None
    if found := _CLOCKED.fullmatch(flat):
        parts = dict(zip("HMS", map(int, found.groups()), strict=True))
        return "PT" + ("".join(f"{n}{unit}" for unit, n in parts.items() if n) or "0S")
    if found := _UNTIMED.fullmatch(flat):
        return f"PT{found[1].upper()}"
    # The P was forgotten: T1M54S.
    if flat[:1] == "t" and read_duration(f"P{flat.upper()}") is not None:
        return f"P{flat.upper()}"
    units: dict[str, str] = {}
    position = 0
    while position < len(flat):
        found = _WORDS.match(flat, position)
        # A unit that comes twice is not a single duration.
        if found is None or (unit := _UNIT_OF[found[2][0]]) in units:
            return None
        units[unit] = found[1].replace(",", ".")
        position = found.end()
    days = "".join(units[unit] + unit for unit in "WD" if unit in units)
    clock = "".join(units[unit] + unit for unit in "HMS" if unit in units)
    return f"P{days}{'T' + clock if clock else ''}" if units else None
