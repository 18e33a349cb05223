"""Code frames: a line of a page for a terminal, with a mark under the location."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

from waypost.formats.text import without_hidden

_TAB = 4
_ELLIPSIS = "…"
_JOINERS = frozenset("\u200c\u200d")
"""Invisible, but words of several scripts and composed pictures need them."""


class Frame(NamedTuple):
    """Printed line and the mark below: `before` blank cells, then `length` marked cells."""

    text: str
    before: int
    length: int


def visible(text: str) -> str:
    """Text with control and invisible characters replaced by pictures or `<U+202E>`."""
    return text if text.isprintable() and text.isascii() else "".join(_cell(char, 0)[0] for char in text)


def frame(line: str, start: int, end: int, width: int) -> Frame:
    """Part of a line in `width` cells around the code points `start` to `end` (exclusive, from 0)."""
    # Only a window around the location is measured: a minified page is a line of megabytes.
    start = min(max(start, 0), len(line))
    end = max(end, start + 1)
    if len(line) <= width:
        first, last = 0, len(line)
    else:
        first = max(0, start - width)
        last = min(len(line), start + width)
    cells = [_cell(char, 0) for char in line[first:last]]
    at = start - first
    low, high = _window(cells, at, width, cut_left=first > 0, cut_right=last < len(line))
    return _drawn(
        line[first + low : first + high], at - low, end - first - low, low + first > 0, high + first < len(line)
    )


def _window(
    cells: list[tuple[str, int]], at: int, width: int, *, cut_left: bool, cut_right: bool
) -> tuple[int, int]:  # fmt: skip
    """(first, last) character to show: all if they fit, else a third before the location, the rest after."""
    total = sum(size if char != "\t" else _TAB for char, size in cells)
    if total <= width and not cut_left and not cut_right:
        return 0, len(cells)
    room = width - 2
    low, used = at, 0
    while low > 0 and used + cells[low - 1][1] <= room // 3:
        low -= 1
        used += cells[low][1]
    high = at
    while high < len(cells) and used + cells[high][1] <= room:
        used += cells[high][1]
        high += 1
    while low > 0 and used + cells[low - 1][1] <= room:
        low -= 1
        used += cells[low][1]
    return low, high


def _drawn(chars: str, start: int, end: int, left: bool, right: bool) -> Frame:
    out: list[str] = [_ELLIPSIS] if left else []
    column = before = 1 if left else 0
    length = 0
    for index, char in enumerate(chars):
        printed, size = _cell(char, column)
        if index < start:
            before += size
        elif index < end:
            length += size
        column += size
        out.append(printed)
    if right:
        out.append(_ELLIPSIS)
    return Frame("".join(out), before, max(length, 1))


def _cell(char: str, column: int) -> tuple[str, int]:
    """(printed form, number of cells) of a character at a column."""
    if " " <= char <= "~":
        return char, 1
    if char == "\t":
        size = _TAB - column % _TAB
        return " " * size, size
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code), 1
    if code == 0x7F:
        return "␡", 1
    category = unicodedata.category(char)
    # Invisible, or able to reorder what the eye sees: always spelled out (UAX 9, Trojan Source).
    if category in {"Cc", "Cs", "Cn", "Zl", "Zp"} or (char not in _JOINERS and not without_hidden(char)):
        spelled = f"<U+{code:04X}>"
        return spelled, len(spelled)
    if category in {"Mn", "Me", "Cf"}:
        return char, 0
    return char, 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1
