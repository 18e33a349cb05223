"""Literals of notations without a grammar as JSON, each token with its place: dicts of Hugo, tables of TOML."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from waypost.reader.code_objects import KEYWORDS, UNKNOWN, CodeObject, Token
from waypost.reader.templates import Place

MOST_DEPTH: Final = 60


@dataclass(eq=False)
class Value:
    """Value of a literal: range of bytes, and the JSON; None for a computed value."""

    start: int
    end: int
    json: str | None = None


@dataclass(eq=False)
class ListOf(Value):
    """List with its values."""

    values: list[Value] = field(default_factory=list)


@dataclass(eq=False)
class ObjectOf(Value):
    """Object with members: name, range of the name, value. `is_open`: further members may come in."""

    members: list[tuple[str, int, int, Value]] = field(default_factory=list)
    is_open: bool = False

    @property
    def is_linked_data(self) -> bool:
        return any(name in KEYWORDS for name, _, _, _ in self.members)


def linked_data(values: list[Value]) -> Iterator[CodeObject]:
    """Outermost objects with a keyword of JSON-LD, in the order of the values."""
    for value in values:
        if isinstance(value, ObjectOf) and value.is_linked_data:
            yield _Writer().result(value)
        elif isinstance(value, ObjectOf):
            yield from linked_data([inner for _, _, _, inner in value.members])
        elif isinstance(value, ListOf):
            yield from linked_data(value.values)


class _Writer:
    def __init__(self) -> None:
        self.parts: list[str] = []
        self.tokens: list[Token] = []
        self.places: list[Place] = []
        self.open_at: set[int] = set()
        self.length = 0

    def result(self, root: ObjectOf) -> CodeObject:
        whole = any(name == "@context" for name, _, _, _ in root.members)
        if not whole:
            self.open_at.add(root.start)
        self.write(root, 0)
        return CodeObject(
            "".join(self.parts), tuple(self.tokens), tuple(sorted(self.places)), frozenset(self.open_at), whole
        )

    def put(self, text: str, start: int, end: int) -> None:
        self.tokens.append(Token(self.length, self.length + len(text), start, end))
        self.parts.append(text)
        self.length += len(text)

    def write(self, value: Value, depth: int) -> None:
        if isinstance(value, ObjectOf) and depth < MOST_DEPTH:
            self._write_object(value, depth)
        elif isinstance(value, ListOf) and depth < MOST_DEPTH:
            self.put("[", value.start, value.start + 1)
            for number, inner in enumerate(value.values):
                if number:
                    self.put(",", inner.start, inner.start)
                self.write(inner, depth + 1)
            self.put("]", value.end - 1, value.end)
        elif value.json is not None:
            self.put(value.json, value.start, value.end)
        else:
            self.put(f'"{UNKNOWN}"', value.start, value.end)
            self.places.append(Place(value.start, value.end))

    def _write_object(self, value: ObjectOf, depth: int) -> None:
        if value.is_open:
            self.open_at.add(value.start)
        self.put("{", value.start, value.start + 1)
        for number, (name, start, end, inner) in enumerate(value.members):
            if number:
                self.put(",", start, start)
            self.put(json.dumps(name, ensure_ascii=False), start, end)
            self.put(":", end, end)
            if name == "@id" and inner.json is None and type(inner) is Value:
                # Computed ids are different ones.
                inner.json = f'"{UNKNOWN}{inner.start}"'
                self.places.append(Place(inner.start, inner.end))
            self.write(inner, depth + 1)
        self.put("}", max(value.end - 1, value.start), value.end)
