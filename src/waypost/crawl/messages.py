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
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def receive(stream: IO[bytes], decoder: msgspec.msgpack.Decoder[_T]) -> _T | None:
    """Next message; None where the writer has gone, also in the middle of a message."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    data = stream.read(length)
    return decoder.decode(data) if len(data) == length else None
