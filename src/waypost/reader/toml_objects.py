"""JSON-LD in tables of TOML, as front matter between `+++` has them. `tomllib` gives values without places.

Source: https://toml.io/en/v1.0.0, read 2026-11-29.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TypeAlias

from waypost.reader.code_objects import CodeObject, may_hold_objects
from waypost.reader.literal_tree import MOST_DEPTH, ListOf, ObjectOf, Value, linked_data
from waypost.reader.literals import number

_TOKEN = re.compile(
    rb"""\"\"\"(?:\\.|[^\\])*?\"{3,5}|'''.*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'"""
    rb"""|\#[^\n]*|\n|[\[\]{},=.]|[^\s\[\]{},=.#"']+(?:\.\d[\w+-]*)?""",
    re.DOTALL,
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d|\d\d:\d\d")
_Name: TypeAlias = tuple[str, int, int]


def tables_in(data: bytes, start: int, end: int) -> Iterator[CodeObject]:
    """JSON-LD of a range of bytes in TOML, in document order. A text that is not TOML has as much as can be read."""
    if may_hold_objects(data[start:end]):
        yield from linked_data([_Reader(data, start, end).document()])


class _Reader:
    def __init__(self, data: bytes, start: int, end: int) -> None:
        found = _TOKEN.finditer(data, start, end)
        self.tokens = [token for token in found if not token[0].startswith(b"#")]
        self.at = 0
        self.root = ObjectOf(start, start + 1)

    def document(self) -> ObjectOf:
        table = self.root
        while self.at < len(self.tokens):
            word = self._word()
            if word == b"\n":
                self.at += 1
            elif word == b"[":
                table = self._header()
            elif not self._pair(table):
                self._skip_line()
        return self.root

    def _word(self) -> bytes:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else b""

    def _skip_line(self) -> None:
        while self.at < len(self.tokens) and self._word() != b"\n":
            self.at += 1

    def _header(self) -> ObjectOf:
        """Table of a header such as `[schema.author]` or `[[schema.review]]`."""
        start = self.tokens[self.at].start()
        self.at += 1
        is_list = self._word() == b"["
        self.at += is_list
        names = self._names()
        self._skip_line()
        end = self.tokens[self.at - 1].end()
        table = self.root
        for number_, name in enumerate(names):
            table = _entered(table, name, (start, end), is_new=is_list and number_ == len(names) - 1)
        return table

    def _names(self) -> list[_Name]:
        """Names of a key with dots."""
        names: list[_Name] = []
        while self.at < len(self.tokens) and self._word() not in {b"]", b"=", b"\n"}:
            token = self.tokens[self.at]
            if token[0] != b".":
                text = _text(token[0])
                names.append(
                    (token[0].decode("utf-8", "replace") if text is None else text, token.start(), token.end())
                )
            self.at += 1
        return names

    def _pair(self, table: ObjectOf, depth: int = 0) -> bool:
        names = self._names()
        if self._word() != b"=" or not names:
            return False
        self.at += 1
        value = self._value(depth + 1)
        for name in names[:-1]:
            table = _entered(table, name, (name[1], value.end), is_new=False)
        table.members.append((*names[-1], value))
        _extend(table, value.end)
        return True

    def _value(self, depth: int) -> Value:
        if self.at >= len(self.tokens):
            last = self.tokens[-1].end()
            return Value(last, last)
        token = self.tokens[self.at]
        self.at += 1
        if token[0] in {b"[", b"{"} and depth < MOST_DEPTH:
            return self._container(token, depth)
        text = token[0].decode("utf-8", "replace")
        literal = _text(token[0])
        if literal is not None:
            return Value(token.start(), token.end(), json.dumps(literal, ensure_ascii=False))
        if _DATE.match(text):
            return Value(token.start(), token.end(), json.dumps(text))
        plain = text if text in {"true", "false"} else number(text.replace("_", ""))
        return Value(token.start(), token.end(), plain)

    def _container(self, opened: re.Match[bytes], depth: int) -> Value:
        is_list = opened[0] == b"["
        made: ListOf | ObjectOf = ListOf(opened.start(), 0) if is_list else ObjectOf(opened.start(), 0)
        while self.at < len(self.tokens) and self._word() not in {b"]", b"}"}:
            if self._word() in {b"\n", b","}:
                self.at += 1
            elif isinstance(made, ListOf):
                made.values.append(self._value(depth + 1))
            elif not self._pair(made, depth):
                self.at += 1
        made.end = self.tokens[min(self.at, len(self.tokens) - 1)].end()
        self.at += 1
        return made


def _entered(table: ObjectOf, name: _Name, place: tuple[int, int], *, is_new: bool) -> ObjectOf:
    """Table of a name inside of another; `is_new` for a further entry of a list of tables."""
    known = next((value for other, _, _, value in table.members if other == name[0]), None)
    if isinstance(known, ListOf) and known.values and not is_new and isinstance(known.values[-1], ObjectOf):
        return known.values[-1]
    if isinstance(known, ObjectOf) and not is_new:
        return known
    made = ObjectOf(*place)
    if is_new and isinstance(known, ListOf):
        known.values.append(made)
        known.end = made.end
    else:
        table.members.append((*name, ListOf(*place, None, [made]) if is_new else made))
    _extend(table, made.end)
    return made


def _extend(table: ObjectOf, end: int) -> None:
    table.end = max(table.end, end)


def _text(token: bytes) -> str | None:
    """Text of a string; None for another token."""
    text = token.decode("utf-8", "replace")
    for quotes in ('"""', "'''"):
        if text.startswith(quotes) and len(text) >= 6:
            return text[3:-3].removeprefix("\n")
    if text[:1] == "'":
        return text[1:-1]
    if text[:1] == '"':
        try:
            return str(json.loads(text))
        except ValueError:
            return None
    return None
