"""JSON as people and templates really write it: a value, its places, and a list of what had to be repaired."""

from __future__ import annotations

from typing import Any

import msgspec

from waypost.extract.positions import Entry, Members


class Repair(msgspec.Struct):
    """One thing that was mended. Offsets count in the text that was given, ends exclusive."""

    rule: str
    start: int
    end: int
    pointer: str = ""
    detail: dict[str, Any] = {}
    edits: list[tuple[int, int, str]] = []
    related: list[tuple[str, int, int]] = []


class Decoded(msgspec.Struct):
    """What was read: `found` is False when there was nothing that could be called a value."""

    value: Any
    found: bool
    top: Entry
    members: dict[int, Members]
    repairs: list[Repair]


def decode(text: str) -> Decoded:
    """Read a text that the strict decoder refused."""
    return Decoded(None, False, Entry(-1, -1, 0, len(text)), {}, [Repair("json-unreadable", 0, len(text))])
