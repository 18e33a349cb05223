"""SHA-256 of short texts, without the import of OpenSSL, which takes a fortieth of a short command.

Python's `random` does the same. For whole files take `hashlib`, several times as fast for each byte.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import Any

_MODULES = ("_sha2", "_sha256", "hashlib")  # Python 3.12, 3.11, and a build without its own


@lru_cache(maxsize=1)
def _constructor() -> Any:
    for name in _MODULES:
        try:
            return import_module(name).sha256
        except (ImportError, AttributeError):
            continue
    raise ImportError("Python has no SHA-256")


def sha256(data: bytes) -> Any:
    """Hash object of `data`, as `hashlib.sha256` makes it."""
    return _constructor()(data)
