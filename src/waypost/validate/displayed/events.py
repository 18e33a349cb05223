"""State of an event, days, authors and pay against the page."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import msgspec

from waypost.formats.date_guesses import guess
from waypost.formats.dates import day_number
from waypost.formats.numbers import number
from waypost.formats.patterns import pattern
from waypost.models.page import Node, Span
from waypost.reader.visible import APART, STRUCK, UNCERTAIN, Text
from waypost.validate.displayed.amounts import Amount, amounts_in
from waypost.validate.displayed.lines import all_lines, span_of
from waypost.validate.displayed.page import Difference, Displayed, head_of, is_displayed, texts_of
from waypost.validate.displayed.words import begins, ends, has_words, letters_of, of_kind, plain

_STATES = {
    "cancelled": frozenset({"EventCancelled"}),
    "postponed": frozenset({"EventPostponed", "EventRescheduled"}),
    "rescheduled": frozenset({"EventRescheduled", "EventPostponed"}),
    "online": frozenset({"EventMovedOnline", "EventRescheduled"}),
}
"""Words of the page -> states of the markup that they agree with."""
_LONGEST_STATE = 60
_DIGIT = pattern(r"\d")
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
_PEOPLE = frozenset({"Person"})
_ABOUT = Decimal("0.02")
_TIMES_OF_PAY = (12, 13, 14, 52, 40, 160, 168, 173, 174, 260, 2080, 1950, 8)


def status_difference(display: Displayed, event: Node) -> Iterator[Difference]:
    """Difference of the state of an event from words that stand alone near the heading."""
    states = [(index, text.rpartition("/")[2]) for index, text in texts_of(event, "eventStatus")]
    stated = {state for _, state in states}
    for line in head_of(display):
        for text in line.texts:
            if len(text.text) > _LONGEST_STATE and not text.level:
                continue
            if text.flags & (UNCERTAIN | STRUCK):
                continue
            state = _state_of(display, text)
            if state and stated.isdisjoint(_STATES[state]):
                number_, words = states[0] if states else (0, "EventScheduled")
                prop = "eventStatus" if states else None
                yield Difference(event, prop, number_, "status", words, text.text, Span(text.start, text.end))
                return


def _state_of(display: Displayed, text: Text) -> str:
    for state in _STATES:
        if begins(display.words, state, text.text, 200 if text.level == 1 and ":" in text.text else 12):
            return state
        if text.level == 1 and ends(display.words, state, text.text.rpartition("(")[2]) and "(" in text.text:
            return state
    return ""


class _Day(msgspec.Struct, frozen=True):
    """Day, as a number, of the markup, or of the page; `is_update`: of a change."""

    prop: str
    place: int
    text: str
    span: Span
    day: int
    is_update: bool


def day_difference(display: Displayed, item: Node, props: tuple[str, ...], what: str) -> Iterator[Difference]:
    """Difference of the days of an item from the only day near the heading."""
    stated: list[_Day] = []
    for prop in props:
        for index, text in texts_of(item, prop):
            found = _DAY.match(text)
            day = day_number(found[0]) if found else None
            if day is not None:
                stated.append(_Day(prop, index, text, Span(0, 0), day, prop == "dateModified"))
    if not stated:
        return
    # The page is read up to the first day, and further only where that differs.
    seen = _days_in(display)
    first, near = next(seen, None), stated[0]
    if first is None:
        return
    if first.is_update and not any(each.is_update for each in stated):
        return
    # A day of difference comes from time zones; half a century from a misread number.
    if any(abs(each.day - first.day) <= 1 for each in stated) or abs(near.day - first.day) >= _MOST_DAYS:
        return
    is_known = any(is_displayed(display, item, each.prop, each.place) for each in stated)
    if not is_known and all(each.day == first.day for each in seen):
        yield Difference(item, near.prop, near.place, what, near.text, first.text, first.span)


def _days_in(display: Displayed) -> Iterator[_Day]:
    """Days near the heading, in elements for days."""
    for number_, line in enumerate(head_of(display)):
        if not number_ or len(line.joined) > _LONGEST_LINE or _DIGIT.search(line.joined) is None:
            continue
        is_marked = any(text.tag == "time" or not _OF_DAYS.isdisjoint(text.hints[:6]) for text in line.texts)
        if not is_marked or any(text.flags & (UNCERTAIN | APART) for text in line.texts):
            continue
        is_update = any(phrase in line.joined.casefold() for phrase in of_kind(display.words, "updated"))
        for found in _WRITTEN_DAY.finditer(line.joined):
            written = guess(found[0], display.page.language or "en")
            day = day_number(written[:10]) if written else None
            if day is not None:
                yield _Day("", 0, found[0], span_of(line, found.start(), found.end()), day, is_update)


class _Name(msgspec.Struct, frozen=True):
    """Name of an author in the markup."""

    node: Node
    prop: str
    place: int
    text: str


def author_difference(display: Displayed, article: Node) -> Iterator[Difference]:
    """Difference of the author of an article from the only name in an element for authors near the heading."""
    names: list[_Name] = []
    for index, value in enumerate(article.props.get("author", ())):
        if isinstance(value, Node):
            if not display.vocabulary.are_a(value.types, _PEOPLE) or value.get("name") is None:
                return
            names += [_Name(value, "name", n, text) for n, text in texts_of(value, "name")]
        elif isinstance(value, str):
            names.append(_Name(article, "author", index, value))
    # The page is read up to the first name, and further only where that differs.
    seen = _authors_in(display)
    author = next(seen, None) if names else None
    if author is None:
        return
    text, span = author
    words_there = letters_of(text)
    if not words_there or not has_words(text):
        return
    for name in names:
        written = letters_of(name.text)
        is_other = bool(written) and has_words(name.text) and written.isdisjoint(words_there)
        if not is_other or name.text.isascii() != text.isascii() or "://" in name.text:
            return
        if is_displayed(display, name.node, name.prop, name.place):
            return
    first = names[0]
    if all(plain(each) == plain(text) for each, _ in seen):
        yield Difference(first.node, first.prop, first.place, "author", first.text, text, span)


def _authors_in(display: Displayed) -> Iterator[tuple[str, Span]]:
    for number_, line in enumerate(head_of(display)):
        for text in line.texts if number_ else ():
            if _OF_AUTHORS.isdisjoint(text.hints[:6]) or len(text.text) > _LONGEST_AUTHOR:
                continue
            words = _without_by(display, text.text)
            if words and _NAME.fullmatch(words) and _NOT_BY.isdisjoint(words.casefold().split()):
                start = text.end - len(words) if text.text.endswith(words) else text.start
                yield words, Span(start, text.end)


def _without_by(display: Displayed, text: str) -> str:
    head = begins(display.words, "by", text, _LONGEST_AUTHOR)
    flat = " ".join(text.split()).strip(" :|,·•")
    if head and flat.casefold().startswith(head) and not flat.casefold()[len(head) : len(head) + 1].isalnum():
        return flat[len(head) :].strip(" :|,·•")
    return flat


class _Pay(msgspec.Struct, frozen=True):
    """Amount of the pay in the markup."""

    node: Node
    prop: str
    place: int
    text: str
    value: Decimal


def salary_difference(display: Displayed, job: Node) -> Iterator[Difference]:
    """Difference of the pay of a job from the only amount, or the only range, that the page calls pay."""
    written: list[_Pay] = []
    for holder in job.nodes("baseSalary"):
        for node in (holder, *holder.nodes("value")):
            for prop in ("value", "minValue", "maxValue"):
                for index, text in texts_of(node, prop):
                    value = number(text.replace(",", ""))
                    if value is not None and value > 0:
                        written.append(_Pay(node, prop, index, text, value))
    if not written:
        return
    lines = all_lines(display.lines)
    words = of_kind(display.words, "salary")
    near: set[int] = set()
    for number_, line in enumerate(lines):
        if len(line.joined) <= _LONGEST_LINE and any(word in line.joined.casefold() for word in words):
            near.add(number_)
            near.add(number_ + 1)
    amounts = [each for each in amounts_in(lines, display.words) if each.line in near and each.kind != "struck"]
    if not amounts or _are_many(amounts):
        return
    seen = [value * times for each in amounts for value in each.numbers for times in (1, 1000)]
    if any(_is_pay(each.value, other) for each in written for other in seen):
        return
    first = written[0]
    yield Difference(first.node, first.prop, first.place, "pay", first.text, amounts[0].text, amounts[0].span)


def _are_many(amounts: list[Amount]) -> bool:
    """Do amounts mean more than two numbers, the bounds of a range?"""
    others = [each for each in amounts if each.numbers != amounts[0].numbers]
    return any(each.numbers != others[0].numbers for each in others)


def _is_pay(value: Decimal, seen: Decimal) -> bool:
    """Is it the same pay, for the same or for another period?"""
    large, small = max(value, seen), min(value, seen)
    return any(abs(large - small * times) <= small * times * _ABOUT for times in (1, *_TIMES_OF_PAY))
