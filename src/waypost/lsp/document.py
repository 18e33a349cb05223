"""A document as an editor holds it: its text, and places in the editor's units turned into offsets and back.

The Language Server Protocol ends lines at LF, CRLF and a lone CR and at nothing else (3.17, "Text Documents"),
and counts characters in the units that both sides have agreed on. A document never changes: an edit makes a new one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import Literal, NamedTuple, Self

Units = Literal["utf-8", "utf-16", "utf-32"]
_LINE_END = re.compile(r"\r\n|\r|\n")


class Position(NamedTuple):
    """A place as the editor counts it: line and character from 0."""

    line: int
    character: int


class Document:
    """The text of one version of a document.

    version  as the editor numbers it; None where it does not.
    data     the text in UTF-8: what is judged, and what offsets in bytes count in.
    """

    def __init__(self, text: str, units: Units, version: int | None = None, language: str = "") -> None:
        self.text = text
        self.units = units
        self.version = version
        self.language = language

    @cached_property
    def data(self) -> bytes:
        return self.text.encode("utf-8", "replace")

    def changed(self, start: Position, end: Position, text: str, version: int | None) -> Self:
        """The document with a range replaced; places beyond a line's or the text's end mean that end."""
        low, high = sorted((self.offset(start), self.offset(end)))
        return self.replaced(self.text[:low] + text + self.text[high:], version)

    def replaced(self, text: str, version: int | None) -> Self:
        return type(self)(text, self.units, version, self.language)

    def offset(self, at: Position) -> int:
        """The code point that a position means."""
        if at.line < 0:
            return 0
        if at.line >= len(self._starts):
            return len(self.text)
        start, end = self._starts[at.line], self._ends[at.line]
        line = self.text[start:end]
        character = max(at.character, 0)
        if self.units == "utf-32" or line.isascii():
            return start + min(character, len(line))
        passed = 0
        for index, char in enumerate(line):
            passed += _size(char, self.units)
            if passed > character:
                return start + index
        return end

    def position(self, offset: int) -> Position:
        """A code point's place."""
        line = bisect_right(self._starts, offset) - 1
        start = self._starts[line]
        return Position(line, _length(self.text[start : max(min(offset, self._ends[line]), start)], self.units))

    def offset_of_byte(self, at: int) -> int:
        """The code point that a byte of `data` belongs to."""
        if self.text.isascii():
            return min(max(at, 0), len(self.text))
        line = max(bisect_right(self._byte_starts, at) - 1, 0)
        return self._starts[line] + len(self.data[self._byte_starts[line] : at].decode("utf-8", "ignore"))

    def position_of_byte(self, at: int) -> Position:
        return self.position(self.offset_of_byte(at))

    def byte(self, offset: int) -> int:
        """The byte of `data` at which a code point begins."""
        return offset if self.text.isascii() else len(self.text[:offset].encode("utf-8", "replace"))

    def position_of_column(self, line: int, column: int) -> Position:
        """The place of a line and a column in code points, both from 1; a byte-order mark is no column."""
        if line > len(self._starts):
            return self.position(len(self.text))
        mark = line == 1 and self.text.startswith("\ufeff")
        return self.position(min(self._starts[line - 1] + column - 1 + mark, self._ends[line - 1]))

    @cached_property
    def _breaks(self) -> list[tuple[int, int]]:
        return [found.span() for found in _LINE_END.finditer(self.text)]

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(end for _, end in self._breaks)]

    @cached_property
    def _ends(self) -> list[int]:
        return [*(start for start, _ in self._breaks), len(self.text)]

    @cached_property
    def _byte_starts(self) -> list[int]:
        starts, at = [], 0
        for low, high in zip(self._starts, [*self._starts[1:], len(self.text)], strict=True):
            starts.append(at)
            at += len(self.text[low:high].encode("utf-8", "replace"))
        return starts


def _size(char: str, units: Units) -> int:
    code = ord(char)
    if units == "utf-16":
        return 1 + (code > 0xFFFF)
    return 1 + (code > 0x7F) + (code > 0x7FF) + (code > 0xFFFF)


def _length(text: str, units: Units) -> int:
    if units == "utf-32" or text.isascii():
        return len(text)
    if units == "utf-16":
        return len(text.encode("utf-16-le", "surrogatepass")) // 2
    return len(text.encode("utf-8", "surrogatepass"))
