"""Shared memory of server and workers: a slot for each long document on the way to a worker.

The body of a request is written to a slot on arrival and read there by the worker. Otherwise a megabyte would be copied
four times, each time into memory from the system, page by page.
"""

from __future__ import annotations

from collections import Counter
from types import TracebackType
from typing import Self

from waypost.isolation.pairs import shared_memory

SLOTS = 16
SLOT_BYTES = 2304 << 10
"""Bytes of the longest body for a worker. Memory is taken at the first write."""
LEAST_BYTES = 16 << 10
"""Bytes from which a document goes into a slot."""
MOST_ARRIVING = 192 << 20
"""Most bytes of arriving bodies without a slot: with a key, and as many without a key."""
MOST_OF_ONE = 48 << 20
"""Most bytes of one organization, or of one address without a key: twenty of the longest bodies."""


class Document:
    """Document in a slot; the slot is free again without a reference to the document.

    at       first byte in the shared memory
    written  bytes written so far
    """

    __slots__ = ("_free", "_view", "at", "written")

    def __init__(self, view: memoryview, at: int, free: list[int]) -> None:
        self._view = view
        self.at = at
        self.written = 0
        self._free = free

    def __len__(self) -> int:
        return self.written

    def append(self, data: bytes | bytearray) -> None:
        """Write the next bytes. Raises ValueError for more than a slot holds."""
        end = self.written + len(data)
        self._view[self.written : end] = data
        self.written = end

    def __bytes__(self) -> bytes:
        return bytes(self._view[: self.written])

    def __del__(self) -> None:
        self._free.append(self.at)


class Documents:
    """Slots for the documents of a pool. `memory` is None on systems without unnamed shared memory."""

    def __init__(self, slots: int = SLOTS, slot_bytes: int = SLOT_BYTES) -> None:
        self.memory = shared_memory(slots * slot_bytes)
        self._slot_bytes = slot_bytes
        # The slot that was used last is used next: its memory is there already.
        self._free = [number * slot_bytes for number in range(slots)] if self.memory else []

    def take(self, size: int) -> Document | None:
        """Empty document for `size` bytes; None for a size too small or too large, or without a free slot."""
        if self.memory is None or not self._free or not LEAST_BYTES <= size <= self._slot_bytes:
            return None
        at = self._free.pop()
        return Document(self.memory.view(at, self._slot_bytes), at, self._free)

    def of(self, data: bytes | Document) -> bytes | Document:
        """Document with the bytes of `data`; `data` unchanged without a slot."""
        if isinstance(data, Document):
            return data
        document = self.take(len(data))
        if document is None:
            return data
        document.append(data)
        return document


class NoRoom(Exception):
    """No room for a further part of an arriving body."""


class Arriving:
    """Bytes of arriving bodies without a slot. Slow senders could otherwise fill the memory."""

    def __init__(self, most: int = MOST_ARRIVING, most_of_one: int = MOST_OF_ONE) -> None:
        self._most = most
        self._most_of_one = most_of_one
        self.held: Counter[tuple[str, ...]] = Counter()

    def of(self, kind: str, holder: str) -> Room:
        """Room for a body of a holder. Each kind of holders has a share of its own."""
        return Room(self, (kind,), (kind, holder))

    def take(self, kind: tuple[str, ...], holder: tuple[str, ...], size: int) -> None:
        if self.held[kind] + size > self._most or self.held[holder] + size > self._most_of_one:
            raise NoRoom
        for each in (kind, holder):
            self.held[each] += size

    def give_back(self, kind: tuple[str, ...], holder: tuple[str, ...], size: int) -> None:
        for each in (kind, holder):
            self.held[each] -= size
            if not self.held[each]:
                del self.held[each]


class Room:
    """Bytes of a body while the rest is arriving."""

    def __init__(self, arriving: Arriving, kind: tuple[str, ...], holder: tuple[str, ...]) -> None:
        self._arriving = arriving
        self._kind = kind
        self._holder = holder
        self._size = 0

    def take(self, size: int) -> None:
        """Take some bytes more. Raises NoRoom."""
        self._arriving.take(self._kind, self._holder, size)
        self._size += size

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._arriving.give_back(self._kind, self._holder, self._size)
