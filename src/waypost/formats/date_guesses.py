"""Other spellings of dates, times and durations, turned into ISO 8601 where only one reading is possible."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path

import msgspec

from waypost.formats.dates import LONGEST, Moment, TimeOfDay, read, read_duration, read_time
from waypost.formats.patterns import pattern

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
    if len(flat) > LONGEST:
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
    if len(flat) > LONGEST:
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
    found = _WRITTEN_TIME.fullmatch(flat) if len(flat) <= LONGEST else None
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
    parts = _BETWEEN_TIMES.split(flat) if len(flat) <= LONGEST else []
    if len(parts) != 2:
        return None
    first, second = (
        part if isinstance(read_time(part), TimeOfDay) and ":" in part else guess_time(part) for part in parts
    )
    return (first, second) if first and second else None


def is_closed(text: str) -> bool:
    """Whether a text in the place of a time says that a place is closed."""
    return text.strip().casefold() in _CLOSED
