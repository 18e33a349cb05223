"""Many numbers into order, each once, in bounded memory: runs that fit are sorted, put aside and merged."""

from __future__ import annotations

import heapq
import sys
import tempfile
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from typing import IO

RUN = 1 << 19
"""Numbers held in memory at a time: some 25 MB while they are sorted."""
WIDTH = 8
_PIECE = 1 << 14


class Sorter:
    """Takes numbers below 2**64 in any order. `close` lets go of what was put aside."""

    def __init__(self, run: int = RUN) -> None:
        self._run = run
        self._held = array("Q")
        self._aside: list[IO[bytes]] = []
        self._files = ExitStack()

    def add(self, number: int) -> None:
        self._held.append(number)
        if len(self._held) >= self._run:
            self._put_aside()

    def _put_aside(self) -> None:
        file = self._files.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - `close` does
        array("Q", sorted(self._held)).tofile(file)
        self._aside.append(file)
        self._held = array("Q")

    def __iter__(self) -> Iterator[int]:
        """Every number once, in order."""
        before = -1
        for number in heapq.merge(*map(_numbers, self._aside), sorted(self._held)):
            if number != before:
                yield number
                before = number

    def close(self) -> None:
        self._held = array("Q")
        self._files.close()


def _numbers(file: IO[bytes]) -> Iterator[int]:
    file.seek(0)
    while data := file.read(_PIECE * WIDTH):
        yield from array("Q", data)


def packed(numbers: Iterable[int]) -> Iterator[bytes]:
    """Numbers as 8 bytes each, the lowest byte first, whatever the machine."""
    rest = iter(numbers)
    while piece := array("Q", islice(rest, _PIECE)):
        if sys.byteorder == "big":
            piece.byteswap()
        yield piece.tobytes()


def unpacked(data: memoryview) -> Sequence[int]:
    """Packed numbers, to be looked at in place; copied only where the machine writes numbers the other way round."""
    if sys.byteorder == "little":
        return data.cast("Q")
    copy = array("Q", data.tobytes())
    copy.byteswap()
    return copy
