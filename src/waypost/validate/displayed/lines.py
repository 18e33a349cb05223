"""Lines of a page from its main heading on: texts that stand next to each other, joined."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from waypost.models.page import Span
from waypost.reader.visible import APART, Text
from waypost.validate.displayed.words import Words, plain

MOST_LINES = 250
_MOST_TEXTS = 100  # of a line
BETWEEN = "\n"
"""White space between two texts: no number goes on behind it, as one does behind a space."""
_LONGEST_HEADING = 60
_HEADINGS = frozenset({"heading", "title", "header", "headline"})


class Line(NamedTuple):
    """Texts of one paragraph. `joined` is their text, with `BETWEEN` between them, `starts` the place of each in it."""

    texts: tuple[Text, ...]
    joined: str
    starts: tuple[int, ...]

    @property
    def level(self) -> int:
        return self.texts[0].level

    def text_at(self, place: int) -> int:
        """Number of the text at a place of `joined`."""
        return max(bisect_right(self.starts, place) - 1, 0)

    def span(self, start: int, end: int) -> Span:
        """Span in the source of a part of `joined`."""
        first, last = self.text_at(start), self.text_at(max(end - 1, start))
        one, two = self.texts[first], self.texts[last]
        # References and runs of white space are longer in the source: the text as a whole is marked then.
        begin = one.start + (start - self.starts[first]) * (one.end - one.start == len(one.text))
        finish = two.start + end - self.starts[last] if two.end - two.start == len(two.text) else two.end
        return Span(begin, max(finish, begin + 1))


class Lines:
    """Lines of texts, read as they are requested, without those of navigation and up to a heading over other items."""

    def __init__(self, texts: Iterable[Text], words: Words) -> None:
        self._more = _lines(texts, words)
        self._known: list[Line] = []

    def __iter__(self) -> Iterator[Line]:
        number = 0
        while number < len(self._known) or self._read():
            yield self._known[number]
            number += 1

    def all(self) -> list[Line]:
        return list(self)

    def _read(self) -> bool:
        line = next(self._more, None)
        if line is None:
            return False
        self._known.append(line)
        return True


def _lines(texts: Iterable[Text], words: Words) -> Iterator[Line]:
    display = (text for text in texts if not text.flags & APART)
    for number, (_, group) in enumerate(groupby(display, key=attrgetter("block"))):
        # A line of people has few texts; the rest of a longer one is left out.
        line = _line(list(group)[:_MOST_TEXTS])
        if number >= MOST_LINES or (number and is_over_others(line, words)):
            return
        yield line


def _line(texts: list[Text]) -> Line:
    joined, starts = "", []
    for text in texts:
        # Two words, or two numbers, of two elements are apart also without white space between them.
        if joined and (text.spaced or (joined[-1].isalnum() and text.text[0].isalnum())):
            joined += BETWEEN
        starts.append(len(joined))
        joined += text.text
    return Line(tuple(texts), joined, tuple(starts))


def is_over_others(line: Line, words: Words) -> bool:
    """Is a line a heading over other items, such as "You may also like"?"""
    is_heading = line.level > 1 or not _HEADINGS.isdisjoint(line.texts[0].hints[:3])
    if not is_heading or len(line.joined) > _LONGEST_HEADING:
        return False
    flat = plain(line.joined)
    return any(phrase in flat for phrase in words.of("related"))


def until_next_heading(lines: Iterable[Line], most: int) -> list[Line]:
    """Lines before the first heading of level 2, at most a number of them."""
    found: list[Line] = []
    for line in lines:
        if line.level == 2 or len(found) >= most:
            break
        found.append(line)
    return found
