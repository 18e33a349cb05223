"""Colours and line folding for terminals."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from waypost.report._frame import visible

# Bright blue (94): the plain one (34) is nearly black on a black ground.
_CODES = {
    "error": "1;31", "warning": "1;33", "info": "1;36", "bold": "1", "dim": "2", "gutter": "94", "good": "32",
    "supported": "32", "restricted": "33", "retired": "2", "title": "1;94",
}  # fmt: skip


class Paint:
    """ANSI colours, or plain text."""

    def __init__(self, on: bool) -> None:
        self.on = on

    def __call__(self, text: str, how: str) -> str:
        return f"\x1b[{_CODES[how]}m{text}\x1b[0m" if self.on and text else text


def cells(text: str) -> int:
    """Columns of a terminal that a text takes: two for a wide character, none for a combining one."""
    return len(text) if text.isascii() else sum(map(width_of, text))


def width_of(char: str) -> int:
    if " " <= char <= "~":
        return 1
    # Combining and format characters take no cell; wide and fullwidth ones take two (UAX #11).
    if unicodedata.category(char) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1


def folded(text: str, width: int | None, first: int, indent: str) -> str:
    """Text folded at words to `width` columns; `first`: used cells of the first line."""
    if width is None or first + cells(text) <= width:
        return text
    lines, room, line = [], max(width - first, 20), ""
    for word in text.split(" "):
        if line and cells(line) + 1 + cells(word) > room:
            lines.append(line)
            line, room = word, max(width - len(indent), 20)
        else:
            line = f"{line} {word}" if line else word
    return f"\n{indent}".join([*lines, line])


def wrapped(text: str, room: int) -> Iterator[str]:
    """Lines of at most `room` cells, broken at spaces, and inside a word only where the word is too long."""
    line = ""
    for word in visible(text).split(" "):
        for piece in _pieces(word, room):
            if line and cells(line) + 1 + cells(piece) > room:
                yield line
                line = piece
            else:
                line = f"{line} {piece}" if line else piece
    if line:
        yield line


def _pieces(word: str, room: int) -> Iterator[str]:
    start, used = 0, 0
    for at, char in enumerate(word):
        size = width_of(char)
        if used + size > room:
            yield word[start:at]
            start, used = at, 0
        used += size
    if word[start:]:
        yield word[start:]
