"""Where each key and value of a JSON text stands, worked out member by member when it is asked for.

A container is known by the offset of its bracket. Skipping over a value is left to the C scanner of
the standard library, so the price is that of decoding once for each level that is looked into.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from json import JSONDecoder
from typing import NamedTuple, TypeAlias

_SPACE = re.compile(r"[ \t\n\r]*")
_skip = JSONDecoder(strict=False, parse_float=len, parse_int=len).raw_decode

Step: TypeAlias = "str | int"
# The way to a value, from the inside out: (way to its container, last step); () is the top.
Way: TypeAlias = "tuple[()] | tuple[Way, Step]"


class Entry(NamedTuple):
    """Offsets of one member of a container, ends exclusive; an array's members have no key (-1, -1)."""

    key_start: int
    key_end: int
    start: int
    end: int


Members: TypeAlias = "dict[Step, Entry]"


def steps(way: Way) -> list[Step]:
    """A way as a list, outermost step first."""
    found: list[Step] = []
    while way:
        found.append(way[1])
        way = way[0]
    found.reverse()
    return found


def pointer(parts: Iterable[Step]) -> str:
    """RFC 6901."""
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in parts)


class Positions:
    """The places of one text.

    A text that had to be repaired cannot be scanned again: its decoder gives everything it met as
    `known` (offset of a bracket -> the members of that container), with `top` the place of the whole.
    """

    def __init__(self, text: str, top: Entry | None = None, known: dict[int, Members] | None = None) -> None:
        self._text = text
        self._top = top
        self._scans: dict[int, _Scan] = {}
        if known is not None:
            self._scans = {offset: _Scan("", 0, members) for offset, members in known.items()}
        self._complete = known is not None

    def find(self, way: Way) -> Entry:
        """The place of a value; of one that is not there, that of the nearest container that is."""
        scan: _Scan | None = None
        last: Step = 0
        start = self._start()
        for step in steps(way):
            inner = self._scan(start)
            found = inner.find(step)
            if found is None:
                break
            scan, last, start = inner, step, found.start
        if scan is not None:
            return scan.whole(last)
        if self._top is None:
            self._top = Entry(-1, -1, start, _skip(self._text, start)[1])
        return self._top

    def start(self, way: Way) -> int:
        """Where a value begins; cheaper than its whole place."""
        start = self._start()
        for step in steps(way):
            found = self._scan(start).find(step)
            if found is None:
                break
            start = found.start
        return start

    def members(self, offset: int) -> Members:
        """The members of the container whose bracket stands at `offset`; none if there is no container."""
        scan = self._scan(offset)
        scan.finish()
        return scan.members

    def _start(self) -> int:
        return self._top.start if self._top is not None else _SPACE.match(self._text).end()  # type: ignore[union-attr]

    def _scan(self, offset: int) -> _Scan:
        scan = self._scans.get(offset)
        if scan is None:
            scan = self._scans[offset] = _Scan("" if self._complete else self._text, offset, {})
        return scan


class _Scan:
    """The members of one container of valid JSON, read as far as somebody has asked.

    members  what was met; the end of the last one is -1 until it is needed.
    """

    __slots__ = ("_at", "_keyed", "_open", "_text", "members")

    def __init__(self, text: str, offset: int, members: Members) -> None:
        self.members = members
        self._text = text
        self._open: Step | None = None
        opening = text[offset : offset + 1]
        self._keyed = opening == "{"
        self._at = offset + 1 if opening in ("{", "[") else -1

    def find(self, step: Step) -> Entry | None:
        """A member; its end may still be unknown."""
        while step not in self.members and self._next():
            pass
        return self.members.get(step)

    def whole(self, step: Step) -> Entry:
        """A member that was found, with its end."""
        if step == self._open:
            self._close()
        return self.members[step]

    def finish(self) -> None:
        """Read to the end."""
        while self._next():
            pass

    def _close(self) -> None:
        """Find the end of the last member."""
        if self._open is not None:
            entry = self.members[self._open]
            self._at = _skip(self._text, entry.start)[1]
            self.members[self._open] = entry._replace(end=self._at)
            self._open = None

    def _next(self) -> bool:
        """Read one more member's name and beginning; False at the end."""
        self._close()
        if self._at < 0:
            return False
        text, space = self._text, _SPACE.match
        at = space(text, self._at).end()  # type: ignore[union-attr]
        if text[at] == ",":
            at = space(text, at + 1).end()  # type: ignore[union-attr]
        if text[at] in "}]":
            self._at = -1
            return False
        key: Step = len(self.members)
        key_start = key_end = -1
        if self._keyed:
            key_start = at
            key, key_end = _skip(text, at)
            at = space(text, text.index(":", key_end) + 1).end()  # type: ignore[union-attr]
        self.members[key] = Entry(key_start, key_end, at, -1)
        self._open = key
        return True
