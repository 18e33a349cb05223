"""Results of a run by the number of the input, on disk where there are many."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import IO, overload

import msgspec

from waypost.lint.page import Result
from waypost.lint.run import FEW
from waypost.models.finding import FileReport

_ENCODE = msgspec.msgpack.Encoder().encode
_DECODE = msgspec.msgpack.Decoder(FileReport).decode


def _temporary_file() -> IO[bytes]:
    import tempfile  # only large runs need it

    return tempfile.TemporaryFile()


class ResultList(Sequence[Result]):
    """Results in the order of the inputs, a fixed number of them.

    The reports of more than `FEW` pages are kept in a temporary file without a name, and `[number]` reads a copy from
    there: a changed copy must be stored again. `in_memory` keeps every report and returns the report itself.
    """

    def __init__(self, number: int, *, in_memory: bool = False) -> None:
        self._results = [Result()] * number
        self._spans: dict[int, tuple[int, int]] = {}
        self._file = None if in_memory or number <= FEW else _temporary_file()

    def __len__(self) -> int:
        return len(self._results)

    @overload
    def __getitem__(self, index: int) -> Result: ...
    @overload
    def __getitem__(self, index: slice) -> list[Result]: ...
    def __getitem__(self, index: int | slice) -> Result | list[Result]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        result = self._results[index]
        if self._file is None or (span := self._spans.get(index)) is None:
            return result
        self._file.seek(span[0])
        return msgspec.structs.replace(result, file=_DECODE(self._file.read(span[1])))

    def __setitem__(self, index: int, result: Result) -> None:
        self._results[index] = result
        if self._file is not None and result.file is not None:
            data = _ENCODE(result.file)
            self._spans[index] = self._file.seek(0, os.SEEK_END), len(data)
            self._file.write(data)
            self._results[index] = msgspec.structs.replace(result, file=None)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


class ReportFiles(Sequence[FileReport]):
    """Reports of the pages that have one, then `more`; every iteration reads them again."""

    def __init__(self, results: Sequence[Result], more: Sequence[FileReport]) -> None:
        self._results = results
        self._more = more
        self.skipped = sum(result.file is None for result in results)

    def __len__(self) -> int:
        return len(self._results) - self.skipped + len(self._more)

    def __iter__(self) -> Iterator[FileReport]:
        yield from (result.file for result in self._results if result.file is not None)
        yield from self._more

    @overload
    def __getitem__(self, index: int) -> FileReport: ...
    @overload
    def __getitem__(self, index: slice) -> list[FileReport]: ...
    def __getitem__(self, index: int | slice) -> FileReport | list[FileReport]:
        return list(self)[index]
