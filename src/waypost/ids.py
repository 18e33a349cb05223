"""Identifiers that nobody can guess: UUIDs of version 4 (RFC 9562), from the system's own source of chance.

That is asked for many at a time: one call for each costs more than everything else about an identifier.
"""

from __future__ import annotations

import os
from collections import deque

_AT_ONCE = 128
_BYTES = 16
_VARIANT = {f"{digit:x}": f"{digit & 3 | 8:x}" for digit in range(16)}
_ready: deque[str] = deque()


def new_id() -> str:
    """A new identifier: `9f0c2c54-3f0e-4bd1-8a3f-0d3f2f1c7a10`."""
    try:
        return _ready.popleft()
    except IndexError:
        made = os.urandom(_AT_ONCE * _BYTES).hex()
        _ready.extend([_written(made[start : start + 2 * _BYTES]) for start in range(0, len(made), 2 * _BYTES)])
        return _ready.pop()


def _written(chance: str) -> str:
    """An identifier of 32 hexadecimal digits, of which six bits are replaced by the version and the variant."""
    return f"{chance[:8]}-{chance[8:12]}-4{chance[13:16]}-{_VARIANT[chance[16]]}{chance[17:20]}-{chance[20:]}"


if hasattr(os, "register_at_fork"):  # no two processes may give out the same
    os.register_at_fork(after_in_child=_ready.clear)
