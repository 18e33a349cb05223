"""Positions of keys and values in a JSON text, computed member by member at a request.

A container is known by the offset of its bracket. Values are skipped by the C scanner of the standard library:
a request costs a decoding of the text per level.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from json import JSONDecoder
from typing import Any, NamedTuple, TypeAlias

_SPACE = re.compile(r"[ \t\n\r]*")
_COMMA = re.compile(r"[ \t\n\r]*,?[ \t\n\r]*")
_KEY = re.compile(r'[ \t\n\r]*,?[ \t\n\r]*("[^"\\]*(?:\\.[^"\\]*)*")[ \t\n\r]*:[ \t\n\r]*')
# (text, offset of a value) -> (the value, its end); of valid JSON only
# Numbers are only passed over: their length costs less than a Decimal, and an int of many digits would raise.
_skip: Callable[[str, int], tuple[Any, int]] = JSONDecoder(strict=False, parse_float=len, parse_int=len).scan_once  # type: ignore[attr-defined]

_MOST_REMEMBERED = 512  # containers of which the members that were met are remembered, whatever their size
_FEW = 32
_SHORT = 2048

Step: TypeAlias = "str | int"
# The way to a value, from the inside out: (way to its container, last step); () is the top. A type that names itself
# crashes mypyc.
JsonPath: TypeAlias = "tuple[Any, ...]"


class Entry(NamedTuple):
    """Offsets of a member of a container, ends exclusive; members of an array have no key (-1, -1)."""

    key_start: int
    key_end: int
    start: int
    end: int


# Entries, as plain tuples where they are made in numbers.
Members: TypeAlias = "dict[Step, tuple[int, int, int, int]]"


def steps(path: JsonPath) -> list[Step]:
    """Steps of a path, outermost first."""
    found: list[Step] = []
    while path:
        found.append(path[1])
        path = path[0]
    found.reverse()
    return found


def pointer(parts: Iterable[Step]) -> str:
    """RFC 6901."""
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in parts)


class Positions:
    """Positions in a text.

    A repaired text cannot be scanned again: its decoder passes all containers as
    `known` (offset of a bracket -> members of the container), and `top`, the span of the value.
    """

    def __init__(self, text: str, top: Entry | None = None, known: dict[int, Members] | None = None) -> None:
        self._text = text
        self._top = top
        self._scans: dict[int, _Scan] = {}
        if known is not None:
            self._scans = {offset: _Scan("", 0, members) for offset, members in known.items()}
        self._complete = known is not None
        self._most = _MOST_REMEMBERED

    def find(self, path: JsonPath) -> Entry:
        """Offsets of a value; for a missing value, those of the nearest container around."""
        scan: _Scan | None = None
        last: Step = 0
        start = self._start()
        for step in steps(path):
            inner = self._scan(start)
            found = inner.find(step)
            if found is None:
                break
            scan, last, start = inner, step, found[2]
        if scan is not None:
            return Entry(*scan.whole(last))
        if self._top is None:
            self._top = Entry(-1, -1, start, _skip(self._text, start)[1])
        return self._top

    def start(self, path: JsonPath) -> int:
        """Start of a value; cheaper than `find`."""
        start = self._start()
        for step in steps(path):
            found = self._scan(start).find(step)
            if found is None:
                break
            start = found[2]
        return start

    def members(self, offset: int) -> Members:
        """Members of the container with its bracket at `offset`; empty without a container."""
        scan = self._scan(offset)
        scan.finish()
        return scan.members

    def _start(self) -> int:
        return self._top.start if self._top is not None else _SPACE.match(self._text).end()  # type: ignore[union-attr]

    def _scan(self, offset: int) -> _Scan:
        scan = self._scans.get(offset)
        if scan is None:
            if len(self._scans) > self._most and not self._complete:
                # Large containers are kept: reading one again for each member would be quadratic.
                self._scans = {at: known for at, known in self._scans.items() if not known.is_small(at)}
                self._most = _MOST_REMEMBERED + 2 * len(self._scans)
            scan = self._scans[offset] = _Scan("" if self._complete else self._text, offset, {})
        return scan


class _Scan:
    """Members of a container of valid JSON, read as far as requested.

    members  the members read so far; the last has the end -1 until requested.
    """

    __slots__ = ("_at", "_keyed", "_open", "_text", "members")

    def __init__(self, text: str, offset: int, members: Members) -> None:
        self.members = members
        self._text = text
        self._open: Step | None = None
        opening = text[offset : offset + 1]
        self._keyed = opening == "{"
        self._at = offset + 1 if opening in ("{", "[") else -1

    def is_small(self, offset: int) -> bool:
        """Whether the members read so far are cheap to read again."""
        reach = max((max(start, end) for _, _, start, end in self.members.values()), default=offset)
        return len(self.members) <= _FEW and reach - offset <= _SHORT

    def find(self, step: Step) -> tuple[int, int, int, int] | None:
        """Member by name or number; its end may be unknown."""
        found = self.members.get(step)
        if found is None and self._at >= 0:
            (self._seek_key if self._keyed else self._seek_number)(step)
            found = self.members.get(step)
        return found

    def whole(self, step: Step) -> tuple[int, int, int, int]:
        """Member with its end, after `find`."""
        if step == self._open:
            self._close()
        return self.members[step]

    def finish(self) -> None:
        """Read to the end."""
        while self._at >= 0:
            (self._seek_key if self._keyed else self._seek_number)(None)
        self._close()

    def _close(self) -> None:
        """Find the end of the last member."""
        if self._open is not None:
            key_start, key_end, start, _ = self.members[self._open]
            end = _skip(self._text, start)[1]
            self.members[self._open] = key_start, key_end, start, end
            self._open = None
            if self._at >= 0:
                self._at = end

    def _seek_key(self, step: Step | None) -> None:
        """Read names and values up to a name, or to the end."""
        self._close()
        text, members, at = self._text, self.members, self._at
        while match := _KEY.match(text, at):
            key_start, key_end = match.span(1)
            key = text[key_start + 1 : key_end - 1]
            # Paths hold decoded names; few names have an escape.
            if "\\" in key:
                key = _skip(text, key_start)[0]
            start = match.end()
            if key == step:
                members[key] = key_start, key_end, start, -1
                self._open, self._at = key, start
                return
            at = _skip(text, start)[1]
            members[key] = key_start, key_end, start, at
        self._at = -1

    def _seek_number(self, step: Step | None) -> None:
        """Read values up to a number, or to the end."""
        self._close()
        text, members, at = self._text, self.members, self._at
        number = len(members)
        while True:
            start = _COMMA.match(text, at).end()  # type: ignore[union-attr]
            if text[start] == "]":
                self._at = -1
                return
            if number == step:
                members[number] = -1, -1, start, -1
                self._open, self._at = number, start
                return
            at = _skip(text, start)[1]
            members[number] = -1, -1, start, at
            number += 1
