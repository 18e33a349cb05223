"""Decoders made on first use: to read the annotations of a type takes as long as to load several modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec


def decoder(kind: Any) -> Callable[[bytes], Any]:
    """Stand-in for `msgspec.msgpack.Decoder(kind).decode`."""
    made: list[Callable[[bytes], Any]] = []

    def decode(data: bytes) -> Any:
        if not made:
            made.append(msgspec.msgpack.Decoder(kind).decode)
        return made[0](data)

    return decode
