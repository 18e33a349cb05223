"""Inputs of a large run, in a temporary file."""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

from waypost.lint.inputs import Input
from waypost.spill import Rows


class StoredInputs(Sequence[Input]):
    """Inputs in order, without duplicates: of two with the same kind and path the first counts."""

    def __init__(self, items: Iterable[Input]) -> None:
        self._rows = Rows()
        for item in items:
            self._rows.add(b"%s\0%s" % (_name(item.path), item.kind.encode()), marshal.dumps(tuple(item)))
        self._length = len(self._rows)

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Input: ...
    @overload
    def __getitem__(self, index: slice) -> list[Input]: ...
    def __getitem__(self, index: int | slice) -> Input | list[Input]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(self._length))]
        data = self._rows.get(range(self._length)[index] + 1)[0]
        assert data is not None
        return _input(data)

    def __iter__(self) -> Iterator[Input]:
        return (_input(data) for _, data in self._rows.column("a"))

    def find(self, path: str) -> Input | None:
        """Last input with a path."""
        data = self._rows.find(_name(path) + b"\0", _name(path) + b"\1")
        return _input(data) if data is not None else None


def _name(path: str) -> bytes:
    return path.encode("utf-8", "surrogatepass")


def _input(data: bytes) -> Input:
    return Input(*marshal.loads(data))  # noqa: S302 - written above, by this process
