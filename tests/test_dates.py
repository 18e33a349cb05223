"""ISO 8601: every date that exists is read, none that does not, and order survives time zones."""
# ruff: noqa: DTZ001 - local to nobody

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.formats.date_guesses import guess, guess_duration
from waypost.formats.dates import (
    Duration,
    InvalidDate,
    Moment,
    TimeOfDay,
    is_before,
    is_future,
    is_past,
    moment,
    read,
    read_duration,
    read_time,
)

OFFSETS = st.integers(-12 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(st.dates())
def test_a_date_covers_its_full_day(day: date) -> None:
    found = moment(day.isoformat())

    assert found is not None
    assert found.form == "date"
    assert found.first == datetime(day.year, day.month, day.day)
    assert found.last - found.first == timedelta(days=1, microseconds=-1)


@given(st.dates(date(1, 1, 8), date(9999, 12, 20)))
def test_week_and_ordinal_dates_name_the_same_day(day: date) -> None:
    year, week, weekday = day.isocalendar()

    for text in (f"{year:04}-W{week:02}-{weekday}", f"{day.year:04}-{day:%j}", f"{day.year:04}{day:%m%d}"):
        found = moment(text)
        assert found is not None
        assert found.first.date() == found.last.date() == day


@given(st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1), timezones=OFFSETS))
def test_what_datetime_writes_is_read_as_the_same_instant(when: datetime) -> None:
    found = moment(when.isoformat())

    assert found is not None
    assert found.zoned
    assert found.first == when


@given(st.integers(0, 9999), st.integers(0, 99), st.integers(0, 99))
def test_date_is_read_exactly_when_the_calendar_has_it(year: int, month: int, day: int) -> None:
    try:
        expected: date | None = date(year, month, day)
    except ValueError:
        expected = None

    found = read(f"{year:04}-{month:02}-{day:02}")

    assert isinstance(found, InvalidDate) == (expected is None)


@given(
    st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1), timezones=OFFSETS),
    st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1), timezones=OFFSETS),
)
def test_order_is_that_of_the_instants_whatever_the_offsets(one: datetime, other: datetime) -> None:
    first, second = moment(one.isoformat()), moment(other.isoformat())

    assert first is not None
    assert second is not None
    assert not is_before(first, second) or one < other
    assert not (is_before(first, second) and is_before(second, first))
    if other - one > timedelta(seconds=1):
        assert is_before(first, second)


@given(st.text(max_size=100))
def test_nothing_that_can_be_written_breaks_the_readers(text: str) -> None:
    assert isinstance(read(text), Moment | InvalidDate)
    assert isinstance(read_time(text), TimeOfDay | InvalidDate)
    assert isinstance(read_duration(text), Duration | None)
    assert isinstance(guess(text), str | None)
    assert isinstance(guess_duration(text), str | None)


@given(st.text(alphabet="0123456789-:TZ+W. /PYMDHS", max_size=30))
def test_no_text_breaks_the_readers_of_dates(text: str) -> None:
    found = read(text)

    if isinstance(found, Moment):
        assert found.first <= found.last


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("2026-02-31", "calendar"),
        ("2026-13-01", "calendar"),
        ("2026-W54", "calendar"),
        ("2025-366", "calendar"),
        ("0000-00-00", "calendar"),
        ("2026-05-03T25:00", "clock"),
        ("2026-05-03T24:01", "clock"),
        ("2026-05-03T10:60", "clock"),
        ("2026-05-03T10:00+15:00", "offset"),
        ("2026-5-3", "form"),
        ("03/04/2026", "form"),
        ("2026-05T10:00", "form"),
        ("1", "form"),
        ("", "form"),
        ("２０２６-05-03", "form"),
    ],
)
def test_a_typo_is_named_by_its_kind(text: str, error: str) -> None:
    found = read(text)

    assert isinstance(found, InvalidDate)
    assert found.kind == error


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("2026-05-03T10:00:00+0000", "offset-basic"),
        ("2026-05-03T10:00:00+02", "offset-short"),
        ("2026-05-03T24:00:00Z", "24:00"),
        ("2016-12-31T23:59:60Z", "leap-second"),
        ("2026-05-03 10:00", "space"),
        ("20260503", "basic"),
        ("2026-05-03T10:00:00,5Z", "comma"),
    ],
)
def test_an_unusual_spelling_is_read_and_noted(text: str, note: str) -> None:
    found = moment(text)

    assert found is not None
    assert note in found.notes


def test_midnight_at_the_end_is_the_next_day() -> None:
    found = moment("2026-12-31T24:00:00Z")

    assert found is not None
    assert found.first == datetime(2027, 1, 1, tzinfo=UTC)


def test_time_without_offset_is_past_only_when_past_everywhere() -> None:
    day = moment("2026-11-20")
    assert day is not None

    assert not is_past(day, datetime(2026, 11, 21, 11, 59, tzinfo=UTC))
    assert is_past(day, datetime(2026, 11, 21, 12, 0, 1, tzinfo=UTC))
    assert not is_future(day, datetime(2026, 11, 19, 10, 0, 1, tzinfo=UTC))
    assert is_future(day, datetime(2026, 11, 19, 9, 59, tzinfo=UTC))


@pytest.mark.parametrize(
    ("text", "seconds", "months"),
    [
        ("PT30M", 1800, 0),
        ("P2W", 1209600, 0),
        ("PT30.5M", 1830, 0),
        ("P1Y2M", 0, 14),
        ("PT1H1S", 3601, 0),
        ("P0D", 0, 0),
    ],
)
def test_durations_are_read_in_full(text: str, seconds: float, months: float) -> None:
    found = read_duration(text)

    assert found is not None
    assert (found.seconds, found.months) == (seconds, months)


@pytest.mark.parametrize("text", ["P", "PT", "P1DT", "1H", "PT1H30", "30 minutes", "P1M1Y", ""])
def test_duration_needs_its_letters_in_order_and_a_component(text: str) -> None:
    assert read_duration(text) is None


@pytest.mark.parametrize(
    ("text", "intended"),
    [
        ("2026-5-3", "2026-05-03"),
        ("2026/05/03", "2026-05-03"),
        ("31.12.2026", "2026-12-31"),
        ("12/31/2026", "2026-12-31"),
        ("31-12-2026", "2026-12-31"),
        ("March 3, 2026", "2026-03-03"),
        ("3rd of March 2026", "2026-03-03"),
        ("Tuesday, 3 Mar 2026", "2026-03-03"),
        ("2027-3-5T19:30-4:00", "2027-03-05T19:30-04:00"),
        ("Mon, 02 Nov 2026 08:00:00 GMT", "2026-11-02T08:00:00Z"),
        ("Mon Nov 02 2026 08:00:00 GMT+0100 (Central European Standard Time)", "2026-11-02T08:00:00+01:00"),
        ("2026-11-02 8:00 UTC", "2026-11-02T08:00Z"),
        ("03/04/2026 10:00 GMT", None),
        ("2027-3-5T29:30-4:00", None),
        ("03/04/2026", None),
        ("3.4.2026", None),
        ("2026/13/40", None),
        ("tomorrow", None),
    ],
)
def test_date_is_guessed_only_where_one_reading_is_possible(text: str, intended: str | None) -> None:
    assert guess(text) == intended


@pytest.mark.parametrize(
    ("text", "language", "intended"),
    [
        ("3. Mai 2026", "de", "2026-05-03"),
        ("Sonntag, den 3. Mai 2026", "de-DE", "2026-05-03"),
        ("1er août 2026", "fr-CA", "2026-08-01"),
        ("3 de marzo de 2026", "es", "2026-03-03"),
        ("3 marzo 2026", "it", "2026-03-03"),
        ("3 de março de 2026", "pt-BR", "2026-03-03"),
        ("3 mei 2026", "nl", "2026-05-03"),
        ("3 maja 2026", "pl", "2026-05-03"),
        ("den 3 maj 2026", "sv", "2026-05-03"),
        ("3. toukokuuta 2026", "fi", "2026-05-03"),
        ("2026. május 3.", "hu", "2026-05-03"),
        ("3 мая 2026 г.", "ru", "2026-05-03"),
        ("3 Mayıs 2026", "tr", "2026-05-03"),
        ("2026年5月3日", "ja", "2026-05-03"),
        ("2026년 5월 3일", None, "2026-05-03"),
        ("May 3, 2026", "de", "2026-05-03"),  # English on any page
        ("3. Mai 2026", None, None),  # of an unknown language
        ("3. Mai 2026", "xx", None),
        ("listopad 3, 2026", "hr", "2026-10-03"),  # another month than in Czech
        ("listopad 3, 2026", "cs", "2026-11-03"),
        ("mar 3 2026", "es", "2026-03-03"),  # the English abbreviation; in Spanish also a Tuesday
        ("3 mar may 2026", "es", None),
        ("3. Mai", "de", None),
        ("3. Mai 26", "de", None),
        ("31. April 2026", "de", None),
        ("3. Mai 2026, 18 Uhr", "de", "2026-05-03T18:00"),
        ("3. Mai 2026, 18", "de", None),
        ("March 3, 2026 at 6:05 p.m.", None, "2026-03-03T18:05"),
        ("March 3, 2026 at 12 am", None, "2026-03-03T00:00"),
        ("March 3, 2026 at 13 pm", None, None),
        ("3. Mai bis 5. Mai 2026", "de", None),
    ],
)
def test_month_is_read_in_the_language_of_the_page(text: str, language: str | None, intended: str | None) -> None:
    assert guess(text, language) == intended


@pytest.mark.parametrize(
    ("text", "intended"),
    [
        ("30 minutes", "PT30M"),
        ("1 h 20 min", "PT1H20M"),
        ("1 hour and 5 mins", "PT1H5M"),
        ("1h30m", "PT1H30M"),
        ("01:20:00", "PT1H20M"),
        ("5:30", None),
        ("30", None),
        ("2 hours 2 hours", None),
        ("overnight", None),
    ],
)
def test_duration_is_guessed_only_where_one_reading_is_possible(text: str, intended: str | None) -> None:
    assert guess_duration(text) == intended
