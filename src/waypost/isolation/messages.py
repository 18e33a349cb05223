"""Length-prefixed messages between two processes: four bytes, big-endian, then MessagePack."""

from __future__ import annotations

import struct
from typing import IO, Any, TypeVar

import msgspec

_T = TypeVar("_T")
_LENGTH = struct.Struct(">I")
_ENCODE = msgspec.msgpack.Encoder().encode


def send(stream: IO[bytes], message: Any) -> None:
    """Write a message and flush. Raises OSError (BrokenPipeError) where the reader has gone."""
    data = _ENCODE(message)
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def receive(stream: IO[bytes], decoder: msgspec.msgpack.Decoder[_T]) -> _T | None:
    """Next message; None where the writer has gone, also in the middle of a message."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    data = stream.read(length)
    return decoder.decode(data) if len(data) == length else None


class Inbox:
    """Bytes of a stream as they arrive, cut into messages."""

    def __init__(self) -> None:
        self._data, self._at = b"", 0

    def add(self, data: bytes) -> None:
        self._data, self._at = self._data[self._at :] + data, 0

    def next(self) -> bytes | None:
        """Next whole message, encoded; None where its end has not arrived."""
        begin = self._at + _LENGTH.size
        if len(self._data) < begin:
            return None
        end = begin + _LENGTH.unpack_from(self._data, self._at)[0]
        if len(self._data) < end:
            return None
        self._at = end
        return self._data[begin:end]
