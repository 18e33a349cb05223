"""Documents of an editor: text, and conversion between offsets and positions in the editor's units.

The Language Server Protocol ends lines at LF, CRLF and a lone CR and at nothing else (3.17, "Text Documents"),
and counts characters in the units agreed with the editor. Documents are immutable: an edit makes a new document.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import Literal, NamedTuple, Self

Units = Literal["utf-8", "utf-16", "utf-32"]
# `str.splitlines` also ends lines at U+2028, form feeds and others, where no editor does.
_LINE_END = re.compile(r"\r\n|\r|\n")


class Position(NamedTuple):
    """Position in the editor's units: line and character from 0."""

    line: int
    character: int


class Document:
    """Version of a document.

    version  the editor's number; None without a number.
    data     text in UTF-8, as validated; byte offsets refer to `data`.
    """

    def __init__(self, text: str, units: Units, version: int | None = None, language: str = "") -> None:
        self.text = text
        self.units = units
        self.version = version
        self.language = language

    @cached_property
    def data(self) -> bytes:
        # An editor may send half a surrogate pair, which UTF-8 has no bytes for.
        return self.text.encode("utf-8", "replace")

    def changed(self, start: Position, end: Position, text: str, version: int | None) -> Self:
        """Document with a range replaced; positions beyond the end of a line or the text are clamped."""
        # A range may come with its ends exchanged.
        low, high = sorted((self.offset(start), self.offset(end)))
        return self.replaced(self.text[:low] + text + self.text[high:], version)

    def replaced(self, text: str, version: int | None) -> Self:
        return type(self)(text, self.units, version, self.language)

    def offset(self, at: Position) -> int:
        """Code point of a position."""
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
                # Within a character of several units: its beginning.
                return start + index
        return end

    def position(self, offset: int) -> Position:
        """Position of a code point."""
        line = bisect_right(self._starts, offset) - 1
        start = self._starts[line]
        return Position(line, _length(self.text[start : max(min(offset, self._ends[line]), start)], self.units))

    def offset_of_byte(self, at: int) -> int:
        """Code point of a byte of `data`."""
        if self.text.isascii():
            return min(max(at, 0), len(self.text))
        line = max(bisect_right(self._byte_starts, at) - 1, 0)
        # A byte within a character counts to the character's beginning.
        return self._starts[line] + len(self.data[self._byte_starts[line] : at].decode("utf-8", "ignore"))

    def position_of_byte(self, at: int) -> Position:
        return self.position(self.offset_of_byte(at))

    def byte(self, offset: int) -> int:
        """First byte in `data` of a code point."""
        return offset if self.text.isascii() else len(self.text[:offset].encode("utf-8", "replace"))

    def position_of_column(self, line: int, column: int) -> Position:
        """Position of a 1-based line and column in code points; a byte-order mark is not a column."""
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
