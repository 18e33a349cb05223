"""Sorting of many distinct numbers in bounded memory: sorted runs are spooled to files and merged."""

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
"""Numbers in memory at a time: some 25 MB while being sorted."""
WIDTH = 8
_PIECE = 1 << 14


class Sorter:
    """Sorter of numbers below 2**64. `close` deletes the temporary files."""

    def __init__(self, run: int = RUN) -> None:
        self._run = run
        self._run_numbers = array("Q")
        self._spooled: list[IO[bytes]] = []
        self._files = ExitStack()

    def add(self, number: int) -> None:
        self._run_numbers.append(number)
        if len(self._run_numbers) >= self._run:
            self._spool()

    def _spool(self) -> None:
        file = self._files.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - `close` does
        # Unnamed temporary files vanish with the process, also after a crash.
        array("Q", sorted(self._run_numbers)).tofile(file)
        self._spooled.append(file)
        self._run_numbers = array("Q")

    def __iter__(self) -> Iterator[int]:
        """Distinct numbers in ascending order."""
        before = -1
        for number in heapq.merge(*map(_numbers, self._spooled), sorted(self._run_numbers)):
            if number != before:
                yield number
                before = number

    def close(self) -> None:
        self._run_numbers = array("Q")
        self._files.close()


def _numbers(file: IO[bytes]) -> Iterator[int]:
    file.seek(0)
    while data := file.read(_PIECE * WIDTH):
        yield from array("Q", data)


def packed(numbers: Iterable[int]) -> Iterator[bytes]:
    """Numbers as 8 bytes each, little-endian on any machine."""
    rest = iter(numbers)
    while piece := array("Q", islice(rest, _PIECE)):
        if sys.byteorder == "big":
            piece.byteswap()
        yield piece.tobytes()


def unpacked(data: memoryview) -> Sequence[int]:
    """Packed numbers, in place; copied on a big-endian machine only."""
    if sys.byteorder == "little":
        return data.cast("Q")
    copy = array("Q", data.tobytes())
    copy.byteswap()
    return copy
