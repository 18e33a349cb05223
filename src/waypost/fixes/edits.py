"""Edits of bytes: application, offsets before and after, and the sum of several rounds."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple


class Edit(NamedTuple):
    """Replacement of the bytes `start` to `end` (exclusive) by `data`."""

    start: int
    end: int
    data: bytes


def are_disjoint(edits: Sequence[Edit]) -> bool:
    """Whether sorted edits neither overlap nor insert at the same offset, where the order would be undefined."""
    return all(
        first.end <= second.start and not first.start == first.end == second.start == second.end
        for first, second in pairwise(edits)
    )


def apply_edits(data: bytes, edits: Sequence[Edit]) -> bytes:
    """Bytes after sorted, disjoint edits."""
    at = 0
    pieces: list[bytes] = []
    for edit in edits:
        pieces += (data[at : edit.start], edit.data)
        at = edit.end
    pieces.append(data[at:])
    return b"".join(pieces)


class OffsetMap:
    """Map from offsets after the edits to offsets before."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._edits = edits
        self._starts: list[int] = []
        self._ends: list[int] = []
        shift = 0
        for edit in edits:
            self._starts.append(edit.start + shift)
            shift += len(edit.data) - (edit.end - edit.start)
            self._ends.append(edit.end + shift)

    def original_range(self, at: int) -> tuple[int, int]:
        """(first, last) possible offset before the edits; equal outside edited ranges."""
        index = bisect_right(self._starts, at) - 1
        if index < 0:
            return at, at
        edit, end = self._edits[index], self._ends[index]
        # The end of a replacement still belongs to it; that of an insertion is the next original byte.
        if at < end or (at == end and edit.start < edit.end):
            return edit.start, edit.end
        where = at - end + edit.end
        return where, where


class PieceTable:
    """Piece table: edited bytes as ranges of the original and inserted bytes, over many rounds of edits."""

    def __init__(self, data: bytes) -> None:
        self._size = len(data)
        self._pieces: list[tuple[int, int] | bytes] = [(0, len(data))]

    def apply(self, edits: Sequence[Edit]) -> None:
        """Apply sorted edits, in offsets of the current bytes."""
        at = 0
        pieces: list[tuple[int, int] | bytes] = []
        for edit in edits:
            pieces += (*self._between(at, edit.start), edit.data)
            at = edit.end
        pieces += self._between(at, None)
        self._pieces = pieces

    def _between(self, start: int, end: int | None) -> list[tuple[int, int] | bytes]:
        """Pieces of a range of the current bytes."""
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
        """Differences from the original, as edits of the original."""
        found: list[Edit] = []
        at, put = 0, b""
        # The empty piece at the end flushes what was inserted or deleted last.
        for piece in [*self._pieces, (self._size, self._size)]:
            if isinstance(piece, bytes):
                put += piece
                continue
            if put or piece[0] > at:
                found.append(Edit(at, piece[0], put))
            at, put = piece[1], b""
        return found
