"""Edits of bytes: made, followed back, and kept as what became of the original."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple


class Edit(NamedTuple):
    """The bytes `start` to `end` (exclusive) become `data`."""

    start: int
    end: int
    data: bytes


def apart(edits: Sequence[Edit]) -> bool:
    """Do edits in order leave each other alone? What is inserted at one place has no order among its like."""
    return all(
        one.end < two.start or (one.end == two.start and one.start < one.end and two.start < two.end)
        for one, two in pairwise(edits)
    )


def applied(data: bytes, edits: Sequence[Edit]) -> bytes:
    """Bytes with edits in order made in them."""
    at = 0
    pieces: list[bytes] = []
    for edit in edits:
        pieces += (data[at : edit.start], edit.data)
        at = edit.end
    pieces.append(data[at:])
    return b"".join(pieces)


class Moved:
    """Offsets in edited bytes -> the range of the bytes before that they come from."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._edits = edits
        self._starts: list[int] = []
        self._ends: list[int] = []
        shift = 0
        for edit in edits:
            self._starts.append(edit.start + shift)
            shift += len(edit.data) - (edit.end - edit.start)
            self._ends.append(edit.end + shift)

    def back(self, at: int) -> tuple[int, int]:
        """(first, last) offset that `at` may have had; outside what was edited they are one."""
        index = bisect_right(self._starts, at) - 1
        if index < 0:
            return at, at
        edit, end = self._edits[index], self._ends[index]
        if at < end or (at == end and edit.start < edit.end):
            return edit.start, edit.end
        where = at - end + edit.end
        return where, where


class Table:
    """Bytes as pieces of the original and of what was put in: however often they are edited, no byte is lost."""

    def __init__(self, data: bytes) -> None:
        self._size = len(data)
        self._pieces: list[tuple[int, int] | bytes] = [(0, len(data))]

    def apply(self, edits: Sequence[Edit]) -> None:
        """Make edits in order, in offsets of the bytes as they are by now."""
        at = 0
        pieces: list[tuple[int, int] | bytes] = []
        for edit in edits:
            pieces += (*self._between(at, edit.start), edit.data)
            at = edit.end
        pieces += self._between(at, None)
        self._pieces = pieces

    def _between(self, start: int, end: int | None) -> list[tuple[int, int] | bytes]:
        """The pieces that make up a range of the bytes as they are by now."""
        found: list[tuple[int, int] | bytes] = []
        at = 0
        for piece in self._pieces:
            size = len(piece) if isinstance(piece, bytes) else piece[1] - piece[0]
            low, high = max(start - at, 0), size if end is None else min(end - at, size)
            if low < high:
                found.append(piece[low:high] if isinstance(piece, bytes) else (piece[0] + low, piece[0] + high))
            at += size
        return found

    def changes(self) -> list[Edit]:
        """What differs from the original, as edits of it."""
        found: list[Edit] = []
        at, put = 0, b""
        for piece in [*self._pieces, (self._size, self._size)]:
            if isinstance(piece, bytes):
                put += piece
                continue
            if put or piece[0] > at:
                found.append(Edit(at, piece[0], put))
            at, put = piece[1], b""
        return found
