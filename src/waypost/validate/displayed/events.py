"""State of an event, days, authors and pay against the page."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal

from waypost.formats.date_guesses import guess
from waypost.formats.numbers import number
from waypost.formats.patterns import pattern
from waypost.models.page import LangString, Node, Span
from waypost.reader.visible import APART, STRUCK, UNCERTAIN, Text
from waypost.validate.displayed.amounts import amounts_in
from waypost.validate.displayed.page import Difference, Displayed, texts_of
from waypost.validate.displayed.words import has_words, letters_of, plain

_STATES = {
    "cancelled": frozenset({"EventCancelled"}),
    "postponed": frozenset({"EventPostponed", "EventRescheduled"}),
    "rescheduled": frozenset({"EventRescheduled", "EventPostponed"}),
    "online": frozenset({"EventMovedOnline", "EventRescheduled"}),
}
"""Words of the page -> states of the markup that they agree with."""
_LONGEST_STATE = 60
_DAY = pattern(r"\d{4}-\d\d-\d\d(?!\d)")
_WRITTEN_DAY = pattern(
    r"\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{4}|\d{4} ?[年년] ?\d{1,2} ?[月월] ?\d{1,2} ?[日일]"
    r"|\d{1,2}(?:st|nd|rd|th|er|º|\.)? (?:of |de |d')?[^\W\d_]{3,12}\.?,?(?: de)? \d{4}"
    r"|[^\W\d_]{3,12}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}"
)
_OF_DAYS = frozenset(
    {"date", "dates", "time", "timestamp", "publish", "published", "pubdate", "posted", "updated", "byline", "meta",
     "dateline", "datepublished"}
)  # fmt: skip
_OF_AUTHORS = frozenset({"author", "authors", "byline", "writer", "autor"})
_LONGEST_LINE = 160
_MOST_DAYS = 20_000
_LONGEST_AUTHOR = 50
_NAME = pattern(r"[^\W\d_][^\W\d_'’.-]*(?: [^\W\d_][^\W\d_'’.-]*){1,3}")
_NOT_BY = frozenset({"editor", "writer", "staff", "team", "min", "read", "follow", "comments", "share", "author"})
_TIMES_OF_PAY = (12, 13, 14, 52, 40, 160, 168, 173, 174, 260, 2080, 1950, 8)


def status_difference(display: Displayed, event: Node) -> Iterator[Difference]:
    """Difference of the state of an event from words that stand alone near the heading."""
    states = [(index, text.rpartition("/")[2]) for index, text in texts_of(event, "eventStatus")]
    stated = {state for _, state in states}
    for line in display.head():
        for text in line.texts:
            if len(text.text) > _LONGEST_STATE and not text.level:
                continue
            if text.flags & (UNCERTAIN | STRUCK):
                continue
            state = _state_of(display, text)
            if state and not stated & _STATES[state]:
                number_, words = states[0] if states else (0, "EventScheduled")
                prop = "eventStatus" if states else None
                yield Difference(event, prop, number_, "status", words, text.text, Span(text.start, text.end))
                return


def _state_of(display: Displayed, text: Text) -> str:
    for state in _STATES:
        if display.words.begins(state, text.text, 200 if text.level == 1 and ":" in text.text else 12):
            return state
        if text.level == 1 and display.words.ends(state, text.text.rpartition("(")[2]) and "(" in text.text:
            return state
    return ""


def day_difference(display: Displayed, item: Node, props: tuple[str, ...], what: str) -> Iterator[Difference]:
    """Difference of the days of an item from the only day near the heading."""
    days: list[tuple[str, int, str, date]] = []
    for prop in props:
        for index, text in texts_of(item, prop):
            if (found := _DAY.match(text)) and (day := _day(found[0])):
                days.append((prop, index, text, day))
    if not days:
        return
    found_days = list(_days_in(display))
    if len({day for day, _, _, _ in found_days}) != 1:
        return
    day, words, span, is_update = found_days[0]
    if is_update and not any(prop == "dateModified" for prop, *_ in days):
        return
    # A day of difference comes from time zones; half a century from a misread number.
    if any(abs((each - day).days) <= 1 for *_, each in days):
        return
    prop, index, text, near = days[0]
    if abs((near - day).days) < _MOST_DAYS and not any(display.is_displayed(item, p, i) for p, i, *_ in days):
        yield Difference(item, prop, index, what, text, words, span)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _days_in(display: Displayed) -> Iterator[tuple[date, str, Span, bool]]:
    """(day, text, span, whether it is of a change) of the days near the heading, in elements for days."""
    for line in display.head()[1:]:
        if len(line.joined) > _LONGEST_LINE or not any(c.isdigit() for c in line.joined):
            continue
        is_marked = any(t.tag == "time" or not _OF_DAYS.isdisjoint(t.hints[:6]) for t in line.texts)
        if not is_marked or any(t.flags & (UNCERTAIN | APART) for t in line.texts):
            continue
        is_update = any(phrase in line.joined.casefold() for phrase in display.words.of("updated"))
        for found in _WRITTEN_DAY.finditer(line.joined):
            written = guess(found[0], display.page.language or "en")
            if written and (day := _day(written[:10])):
                yield day, found[0], line.span(*found.span()), is_update


def author_difference(display: Displayed, article: Node) -> Iterator[Difference]:
    """Difference of the author of an article from the only name in an element for authors near the heading."""
    names: list[tuple[Node, str, int, str]] = []
    for index, value in enumerate(article.props.get("author", ())):
        if isinstance(value, Node):
            if not display.vocabulary.are_a(value.types, frozenset({"Person"})):
                return
            names += [(value, "name", n, text) for n, text in texts_of(value, "name")]
            if value.get("name") is None:
                return
        elif isinstance(value, str | LangString):
            names.append((article, "author", index, value))
    seen = _authors_in(display)
    if not names or len({plain(name) for name, _ in seen}) != 1:
        return
    text, span = seen[0]
    words_there = letters_of(text)
    if not words_there or not has_words(text):
        return
    for node, prop, index, name in names:
        written = letters_of(name)
        is_other = written and has_words(name) and not written & words_there and name.isascii() == text.isascii()
        if not is_other or display.is_displayed(node, prop, index) or "://" in name:
            return
    node, prop, index, name = names[0]
    yield Difference(node, prop, index, "author", name, text, span)


def _authors_in(display: Displayed) -> list[tuple[str, Span]]:
    found: list[tuple[str, Span]] = []
    for line in display.head()[1:]:
        for text in line.texts:
            if _OF_AUTHORS.isdisjoint(text.hints[:6]) or len(text.text) > _LONGEST_AUTHOR:
                continue
            words = _without_by(display, text.text)
            if words and _NAME.fullmatch(words) and _NOT_BY.isdisjoint(words.casefold().split()):
                start = text.end - len(words) if text.text.endswith(words) else text.start
                found.append((words, Span(start, text.end)))
    return found


def _without_by(display: Displayed, text: str) -> str:
    head = display.words.begins("by", text, _LONGEST_AUTHOR)
    flat = " ".join(text.split()).strip(" :|,·•")
    if head and flat.casefold().startswith(head) and not flat.casefold()[len(head) : len(head) + 1].isalnum():
        return flat[len(head) :].strip(" :|,·•")
    return flat


def salary_difference(display: Displayed, job: Node) -> Iterator[Difference]:
    """Difference of the pay of a job from the only amount, or the only range, that the page calls pay."""
    written: list[tuple[Node, str, int, str, Decimal]] = []
    for holder in job.nodes("baseSalary"):
        for node in (holder, *holder.nodes("value")):
            for prop in ("value", "minValue", "maxValue"):
                written += [
                    (node, prop, n, text, value)
                    for n, text in texts_of(node, prop)
                    if (value := number(text.replace(",", ""))) is not None and value > 0
                ]
    if not written:
        return
    lines = display.lines.all()
    words = display.words.of("salary")
    called = [
        number_
        for number_, line in enumerate(lines)
        if len(line.joined) <= _LONGEST_LINE and any(word in line.joined.casefold() for word in words)
    ]
    near = {number_ for each in called for number_ in (each, each + 1)}
    amounts = [each for each in amounts_in(lines, display.words) if each.line in near and each.kind != "struck"]
    if not 1 <= len({each.numbers for each in amounts}) <= 2:
        return
    seen = [value * times for each in amounts for value in each.numbers for times in (1, 1000)]
    if any(_is_pay(value, other) for *_, value in written for other in seen):
        return
    node, prop, index, text, _ = written[0]
    yield Difference(node, prop, index, "pay", text, amounts[0].text, amounts[0].span)


def _is_pay(value: Decimal, seen: Decimal) -> bool:
    """Is it the same pay, for the same or for another period?"""
    large, small = max(value, seen), min(value, seen)
    ratio = large / small
    return any(abs(ratio - times) <= times * Decimal("0.02") for times in (1, *_TIMES_OF_PAY))
