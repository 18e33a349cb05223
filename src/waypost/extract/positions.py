"""Where each key and value of a JSON text stands, worked out one container at a time when it is asked for.

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
    """The places of one text. `known` holds what was found already: offset of a bracket -> its members.

    A text that had to be repaired cannot be scanned again: its decoder gives everything it met as
    `known`, with `top` the place of the whole value.
    """

    def __init__(self, text: str, top: Entry | None = None, known: dict[int, Members] | None = None) -> None:
        self._text = text
        self._known: dict[int, Members] = {} if known is None else known
        self._complete = known is not None
        self._top = top

    def top(self) -> Entry:
        """The whole value."""
        if self._top is None:
            start = _SPACE.match(self._text).end()  # type: ignore[union-attr]
            self._top = Entry(-1, -1, start, _skip(self._text, start)[1])
        return self._top

    def find(self, way: Way) -> Entry:
        """The place of a value; of one that is not there, that of the nearest container that is."""
        entry = self.top()
        for step in steps(way):
            inner = self.members(entry.start).get(step)
            if inner is None:
                break
            entry = inner
        return entry

    def members(self, offset: int) -> Members:
        """The members of the container whose bracket stands at `offset`; none if there is no container."""
        members = self._known.get(offset)
        if members is None:
            members = {} if self._complete else _scan(self._text, offset)
            self._known[offset] = members
        return members


def _scan(text: str, offset: int) -> Members:
    """Members of a container of valid JSON."""
    members: Members = {}
    opening = text[offset : offset + 1]
    if opening not in ("{", "["):
        return members
    keyed = opening == "{"
    space = _SPACE.match
    at = space(text, offset + 1).end()  # type: ignore[union-attr]
    while text[at] not in "}]":
        key: Step = len(members)
        key_start = key_end = -1
        if keyed:
            key_start = at
            key, key_end = _skip(text, at)
            at = space(text, text.index(":", key_end) + 1).end()  # type: ignore[union-attr]
        start, at = at, _skip(text, at)[1]
        members[key] = Entry(key_start, key_end, start, at)
        at = space(text, at).end()  # type: ignore[union-attr]
        if text[at] == ",":
            at = space(text, at + 1).end()  # type: ignore[union-attr]
    return members
