"""Identifiers that nobody can guess: UUIDs (RFC 9562), from the system's own source of chance.

That is asked for many at a time: one call for each costs more than everything else about an identifier.
"""

from __future__ import annotations

import os
import struct
import time
from collections import deque

_AT_ONCE = 128
_BYTES = 16
_GROUPS = struct.Struct("8s4s4s4s12s")
_CHANCE = int.from_bytes(bytes.fromhex("ffffffffffff0fff3fffffffffffffff") * _AT_ONCE, "big")
_VERSION_4 = int.from_bytes(bytes.fromhex("00000000000040008000000000000000") * _AT_ONCE, "big")
"""The bits that are left to chance, and the six that are not (RFC 9562 section 5.4), of as many as are made at once."""
_ready: deque[str] = deque()


def new_id() -> str:
    """A new identifier, of version 4: `9f0c2c54-3f0e-4bd1-8a3f-0d3f2f1c7a10`."""
    try:
        return _ready.popleft()
    except IndexError:
        _ready.extend(_made())
        return _ready.pop()


def new_id_in_order() -> str:
    """One for what is written down by the thousand, of version 7: `019aae3c-9d1e-7bd1-8a3f-0d3f2f1c7a10`.

    It begins with the time in milliseconds, so that an index of them grows at its end: 32 decisions are written in half
    the time. The 74 bits behind it are left to chance (section 5.7).
    """
    now = f"{time.time_ns() // 1_000_000:012x}"
    return f"{now[:8]}-{now[8:]}-7{new_id()[15:]}"


def _made() -> list[str]:
    """Some of them at once, and none by a statement of Python."""
    chance = int.from_bytes(os.urandom(_AT_ONCE * _BYTES), "big")
    digits = (chance & _CHANCE | _VERSION_4).to_bytes(_AT_ONCE * _BYTES, "big").hex().encode()
    return b" ".join(map(b"-".join, _GROUPS.iter_unpack(digits))).decode().split()


if hasattr(os, "register_at_fork"):  # no two processes may give out the same
    os.register_at_fork(after_in_child=_ready.clear)
