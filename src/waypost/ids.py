"""Identifiers that nobody can guess: UUIDs of version 4 (RFC 9562), from the system's own source of chance.

That is asked for many at a time: one call for each costs more than everything else about an identifier.
"""

from __future__ import annotations

import os
from collections import deque

_AT_ONCE = 128
_BYTES = 16
_ready: deque[str] = deque()


def new_id() -> str:
    """A new identifier: `9f0c2c54-3f0e-4bd1-8a3f-0d3f2f1c7a10`."""
    try:
        return _ready.popleft()
    except IndexError:
        made = os.urandom(_AT_ONCE * _BYTES)
        _ready.extend(_written(made[start : start + _BYTES]) for start in range(_BYTES, len(made), _BYTES))
        return _written(made[:_BYTES])


def _written(chance: bytes) -> str:
    number = int.from_bytes(chance, "big") & ~(0xF000 << 64) & ~(0xC000 << 48) | 0x4000 << 64 | 0x8000 << 48
    text = f"{number:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


if hasattr(os, "register_at_fork"):  # no two processes may give out the same
    os.register_at_fork(after_in_child=_ready.clear)
