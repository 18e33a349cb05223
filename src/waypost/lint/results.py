"""Results of a run by the number of the input, on disk where there are many."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, overload

import msgspec

from waypost.formats.decoders import decoder
from waypost.lint.inputs import IN_MEMORY
from waypost.lint.page import Result
from waypost.models.finding import FileReport

if TYPE_CHECKING:
    from waypost.spill import Rows

_ENCODE = msgspec.msgpack.Encoder().encode
_DECODE: Callable[[bytes], FileReport] = decoder(FileReport)
_DECODE_NOTE: Callable[[bytes], tuple[str, str | None]] = decoder(tuple[str, str | None])


class ResultList(Sequence[Result]):
    """Results in the order of the inputs, a fixed number of them.

    More than `IN_MEMORY` are in a temporary file, and `[number]` reads a copy from there: a changed copy must be stored
    again. `in_memory` keeps every result and returns the result itself.
    """

    def __init__(self, number: int, *, in_memory: bool = False) -> None:
        self._length = number
        self._results = [Result()] * number
        self._rows: Rows | None = None
        if not in_memory and number > IN_MEMORY:
            from waypost.spill import Rows  # only large runs need it

            self._results, self._rows = [], Rows()

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Result: ...
    @overload
    def __getitem__(self, index: slice) -> list[Result]: ...
    def __getitem__(self, index: int | slice) -> Result | list[Result]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(self._length))]
        if self._rows is None:
            return self._results[index]
        report, facts, note = self._rows.get(range(self._length)[index])
        why, address = _DECODE_NOTE(note) if note else ("", None)
        return Result(_DECODE(report) if report else None, why=why, facts=facts or b"", address=address)

    def __setitem__(self, index: int, result: Result) -> None:
        if self._rows is None:
            self._results[index] = result
            return
        report = _ENCODE(result.file) if result.file is not None else None
        note = _ENCODE((result.why, result.address)) if result.why or result.address else None
        self._rows.put(index, report, result.facts or None, note)

    def files(self) -> Iterator[FileReport]:
        """Reports of the pages that have one."""
        if self._rows is None:
            return (result.file for result in self._results if result.file is not None)
        return (_DECODE(report) for _, report in self._rows.column("a"))

    def count_files(self) -> int:
        """Number of the pages that have a report."""
        return sum(1 for _ in (self.files() if self._rows is None else self._rows.column("a")))

    @property
    def facts(self) -> Sequence[bytes]:
        """Facts of the pages."""
        return [result.facts for result in self._results] if self._rows is None else _Facts(self._rows, self._length)

    def addresses(self) -> Iterator[tuple[int, str]]:
        """(number, URL) of the pages whose URL is known."""
        if self._rows is None:
            yield from ((n, result.address) for n, result in enumerate(self._results) if result.address)
            return
        for number, note in self._rows.column("c"):
            if address := _DECODE_NOTE(note)[1]:
                yield number, address

    def close(self) -> None:
        if self._rows is not None:
            self._rows.close()


class _Facts(Sequence[bytes]):
    """Facts of the pages of a large run, read when needed."""

    def __init__(self, rows: Rows, length: int) -> None:
        self._rows = rows
        self._length = length

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> list[bytes]: ...
    def __getitem__(self, index: int | slice) -> bytes | list[bytes]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(self._length))]
        return self._rows.get(range(self._length)[index])[1] or b""

    def __iter__(self) -> Iterator[bytes]:
        expected = 0
        for number, facts in self._rows.column("b"):
            yield from (b"" for _ in range(expected, number))
            yield facts
            expected = number + 1
        yield from (b"" for _ in range(expected, self._length))


class ReportFiles(Sequence[FileReport]):
    """Reports of the pages that have one, then `more`; every iteration reads them again."""

    def __init__(self, results: ResultList, more: Sequence[FileReport]) -> None:
        self._results = results
        self._more = more
        self._length = results.count_files() + len(more)
        self.skipped = len(results) + len(more) - self._length

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[FileReport]:
        yield from self._results.files()
        yield from self._more

    @overload
    def __getitem__(self, index: int) -> FileReport: ...
    @overload
    def __getitem__(self, index: slice) -> list[FileReport]: ...
    def __getitem__(self, index: int | slice) -> FileReport | list[FileReport]:
        return list(self)[index]
