"""Lines of a page from its main heading on: texts that stand next to each other, joined."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator

import msgspec

from waypost.models.page import Span
from waypost.reader.visible import APART, Text
from waypost.validate.displayed.words import Words, of_kind, plain

MOST_LINES = 250
_MOST_TEXTS = 100  # of a line
BETWEEN = "\n"
"""White space between two texts: no number goes on behind it, as one does behind a space."""
_LONGEST_HEADING = 60
_HEADINGS = frozenset({"heading", "title", "header", "headline"})


class Line(msgspec.Struct, frozen=True):
    """Texts of one paragraph.

    joined  their text, with `BETWEEN` between them; `starts` the place of each in it.
    level   of the heading that the first of them stands in; 0 without.
    """

    texts: tuple[Text, ...]
    joined: str
    starts: tuple[int, ...]
    level: int


def text_at(line: Line, place: int) -> int:
    """Number of the text at a place of `joined`."""
    return max(bisect_left(line.starts, place + 1) - 1, 0)


def span_of(line: Line, start: int, end: int) -> Span:
    """Span in the source of a part of `joined`."""
    first, last = text_at(line, start), text_at(line, max(end - 1, start))
    one, two = line.texts[first], line.texts[last]
    # References and runs of white space are longer in the source: the text as a whole is marked then.
    begin = one.start + (start - line.starts[first] if one.end - one.start == len(one.text) else 0)
    finish = two.start + end - line.starts[last] if two.end - two.start == len(two.text) else two.end
    return Span(begin, max(finish, begin + 1))


class Lines(msgspec.Struct, frozen=True):
    """Lines of texts: those `known` by now, and `more`, read as they are requested."""

    more: Iterator[Line]
    known: list[Line]


def lines_of(texts: Iterable[Text], words: Words) -> Lines:
    """Lines of texts, without those of navigation and up to a heading over other items."""
    return Lines(_lines(texts, words), [])


def each_line(lines: Lines) -> Iterator[Line]:
    """Lines one by one, the next one read when it is requested."""
    number = 0
    while True:
        if number == len(lines.known):
            line = next(lines.more, None)
            if line is None:
                return
            lines.known.append(line)
        yield lines.known[number]
        number += 1


def all_lines(lines: Lines) -> list[Line]:
    for line in lines.more:
        lines.known.append(line)
    return lines.known


def first_lines(lines: Lines, most: int) -> list[Line]:
    found: list[Line] = []
    for line in each_line(lines):
        found.append(line)
        if len(found) == most:
            break
    return found


def _lines(texts: Iterable[Text], words: Words) -> Iterator[Line]:
    for number, group in enumerate(_paragraphs(texts)):
        line = _line(group)
        if number >= MOST_LINES or (number and is_over_others(line, words)):
            return
        yield line


def _paragraphs(texts: Iterable[Text]) -> Iterator[list[Text]]:
    """Texts of each paragraph. A line of people has few texts; the rest of a longer one is left out."""
    group: list[Text] = []
    for text in texts:
        if text.flags & APART:
            continue
        if group and text.block != group[0].block:
            yield group
            group = []
        if len(group) < _MOST_TEXTS:
            group.append(text)
    if group:
        yield group


def _line(texts: list[Text]) -> Line:
    joined = ""
    starts: list[int] = []
    for text in texts:
        # Two words, or two numbers, of two elements are apart also without white space between them.
        if joined and (text.spaced or (joined[-1].isalnum() and text.text[0].isalnum())):
            joined += BETWEEN
        starts.append(len(joined))
        joined += text.text
    return Line(tuple(texts), joined, tuple(starts), texts[0].level)


def is_over_others(line: Line, words: Words) -> bool:
    """Is a line a heading over other items, such as "You may also like"?"""
    is_heading = line.level > 1 or not _HEADINGS.isdisjoint(line.texts[0].hints[:3])
    if not is_heading or len(line.joined) > _LONGEST_HEADING:
        return False
    flat = plain(line.joined)
    return any(phrase in flat for phrase in of_kind(words, "related"))


def until_next_heading(lines: Iterable[Line], most: int) -> Iterator[Line]:
    """Lines before the first heading of level 2, at most a number of them."""
    for number, line in enumerate(lines):
        if line.level == 2 or number >= most:
            return
        yield line
