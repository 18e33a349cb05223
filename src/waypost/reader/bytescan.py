"""Search and counts in the bytes of a page: stringzilla's SIMD routines, or `bytes` methods where its wheel is missing.

Only this module imports stringzilla. Not every platform has a wheel; both sides give the same answers.
`benchmarks/bytescan.py` compares the speed of both on your machine.
"""

from __future__ import annotations

from typing import Final

_LOWER: Final = bytes(range(256)).lower()
# UTF-8 characters are the bytes that do not continue one (RFC 3629, section 3).
_CONTINUATION: Final = bytes(range(0x80, 0xC0))


class Plain:
    """The functions of this module in plain Python."""

    @staticmethod
    def find(data: bytes, word: bytes, start: int = 0, end: int | None = None) -> int:
        return data.find(word, start, end)

    @staticmethod
    def rfind(data: bytes, word: bytes, start: int = 0, end: int | None = None) -> int:
        return data.rfind(word, start, end)

    @staticmethod
    def count(data: bytes, word: bytes, start: int = 0, end: int | None = None) -> int:
        return data.count(word, start, end)

    @staticmethod
    def utf8_count(data: bytes) -> int:
        return len(data.translate(None, _CONTINUATION))

    @staticmethod
    def lower(data: bytes) -> bytes:
        return data.lower()


try:
    import stringzilla
except ImportError:
    find, rfind, count = Plain.find, Plain.rfind, Plain.count
    utf8_count, lower = Plain.utf8_count, Plain.lower
else:
    find, rfind, count = stringzilla.find, stringzilla.rfind, stringzilla.count
    utf8_count = stringzilla.utf8_count

    def lower(data: bytes) -> bytes:
        """A to Z in lower case; other bytes as they are."""
        lowered: bytes = stringzilla.translate(data, _LOWER)
        return lowered


__all__ = ["Plain", "count", "find", "lower", "rfind", "utf8_count"]
