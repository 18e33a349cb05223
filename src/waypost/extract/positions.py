"""Where each key and value of a JSON text stands, worked out member by member when it is asked for.

A container is known by the offset of its bracket. Skipping over a value is left to decoders written in C, so the
price is less than that of decoding once for each level that is looked into.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from json import JSONDecoder
from typing import Any, NamedTuple, TypeAlias

import msgspec

_SPACE = re.compile(r"[ \t\n\r]*")
_COMMA = re.compile(r"[ \t\n\r]*,?[ \t\n\r]*")
_KEY = re.compile(r'[ \t\n\r]*,?[ \t\n\r]*("[^"\\]*(?:\\.[^"\\]*)*")[ \t\n\r]*:[ \t\n\r]*')
# (text, offset of a value) -> (the value, its end); of valid JSON only
_skip: Callable[[str, int], tuple[Any, int]] = JSONDecoder(strict=False, parse_float=len, parse_int=len).scan_once  # type: ignore[attr-defined]
_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_ITEMS = msgspec.json.Decoder(list[msgspec.Raw]).decode

Step: TypeAlias = "str | int"
# The way to a value, from the inside out: (way to its container, last step); () is the top.
Way: TypeAlias = "tuple[()] | tuple[Way, Step]"


class Entry(NamedTuple):
    """Offsets of one member of a container, ends exclusive; an array's members have no key (-1, -1)."""

    key_start: int
    key_end: int
    start: int
    end: int


# Entries, as plain tuples where they are made in numbers.
Members: TypeAlias = "dict[Step, tuple[int, int, int, int]]"


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
        self._known = known
        self._scans: dict[int, _Scan] = {}

    def find(self, way: Way) -> Entry:
        """The place of a value; of one that is not there, that of the nearest container that is."""
        scan, last, start = self._reached(way)
        if scan is not None:
            return Entry(*scan.whole(last))
        if self._top is None:
            self._top = Entry(-1, -1, start, _skip(self._text, start)[1])
        return self._top

    def start(self, way: Way) -> int:
        """Where a value begins; cheaper than its whole place."""
        return self._reached(way)[2]

    def members(self, offset: int) -> Members:
        """The members of the container whose bracket stands at `offset`; none if there is no container."""
        scan = self._scan(offset, None, 0)
        scan.finish()
        return scan.members

    def _reached(self, way: Way) -> tuple[_Scan | None, Step, int]:
        """(the innermost container that a way leads into, the step from there, where the value begins)"""
        scan: _Scan | None = None
        last: Step = 0
        start = self._top.start if self._top is not None else _SPACE.match(self._text).end()  # type: ignore[union-attr]
        for step in steps(way):
            inner = self._scan(start, scan, last)
            found = inner.find(step)
            if found is None:
                break
            scan, last, start = inner, step, found[2]
        return scan, last, start

    def _scan(self, offset: int, outer: _Scan | None, step: Step) -> _Scan:
        scan = self._scans.get(offset)
        if scan is None:
            if self._known is not None:
                scan = _Scan("", 0, self._known.get(offset, {}), None, 0)
            else:
                scan = _Scan(self._text, offset, {}, outer, step)
            self._scans[offset] = scan
        return scan


class _Scan:
    """The members of one container of valid JSON, read as far as somebody has asked.

    members  what was met; the end of the last one is -1 until it is needed.
    outer    the container around it, of which it is the member `step`; None for the whole text.
    """

    __slots__ = ("_at", "_keyed", "_open", "_outer", "_sizes", "_start", "_step", "_text", "members")

    def __init__(self, text: str, offset: int, members: Members, outer: _Scan | None, step: Step) -> None:
        self.members = members
        self._text = text
        self._start = offset
        self._outer = outer
        self._step = step
        self._sizes: dict[str, int] | list[int] | None = None
        self._open: Step | None = None
        opening = text[offset : offset + 1]
        self._keyed = opening == "{"
        self._at = offset + 1 if opening in ("{", "[") else -1

    def find(self, step: Step) -> tuple[int, int, int, int] | None:
        """A member; its end may still be unknown."""
        found = self.members.get(step)
        if found is None and self._at >= 0:
            (self._seek_key if self._keyed else self._seek_number)(step)
            found = self.members.get(step)
        return found

    def whole(self, step: Step) -> tuple[int, int, int, int]:
        """A member that was found, with its end."""
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
            end = self._end(start, self._open)
            self.members[self._open] = key_start, key_end, start, end
            self._open = None
            if self._at >= 0:
                self._at = end

    def _end(self, start: int, step: Step) -> int:
        """Where a member ends. One that is a container itself is measured, which takes a sixth of decoding it."""
        if self._text[start] in "{[":
            if self._sizes is None:
                self._sizes = self._measured()
            if self._sizes:
                return start + self._sizes[step]  # type: ignore[index]
        return _skip(self._text, start)[1]

    def _measured(self) -> dict[str, int] | list[int]:
        """The sizes of all members; none where they cannot be told this way."""
        text = self._text[self._start : self._stop()]
        try:
            if self._keyed:
                return dict(zip((named := _MEMBERS(text)), _sizes(named.values(), text), strict=True))
            return list(_sizes(_ITEMS(text), text))
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            return []

    def _stop(self) -> int | None:
        """Where the container ends; None for the whole text. Worked out from the outside in, without recursion."""
        around: list[tuple[_Scan, Step]] = []
        scan = self
        while (outer := scan._outer) is not None:
            around.append((outer, scan._step))
            scan = outer
        stop = None
        while around:
            outer, step = around.pop()
            stop = outer.whole(step)[3]
        return stop

    def _seek_key(self, step: Step | None) -> None:
        """Read names and values up to a name, or to the end."""
        self._close()
        text, members, at = self._text, self.members, self._at
        while match := _KEY.match(text, at):
            key_start, key_end = match.span(1)
            key = text[key_start + 1 : key_end - 1]
            if "\\" in key:
                key = _skip(text, key_start)[0]
            start = match.end()
            if key == step:
                members[key] = key_start, key_end, start, -1
                self._open, self._at = key, start
                return
            at = self._end(start, key)
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
            at = self._end(start, number)
            members[number] = -1, -1, start, at
            number += 1


def _sizes(parts: Iterable[msgspec.Raw], text: str) -> Iterator[int]:
    """The lengths of parts of a text, in characters."""
    if text.isascii():
        return (memoryview(part).nbytes for part in parts)
    return (len(str(part, "utf-8")) for part in parts)
