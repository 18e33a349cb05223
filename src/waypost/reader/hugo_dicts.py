"""JSON-LD that templates of Hugo make of `dict` and `slice`: `{{ dict "@type" "Person" "name" .Title | jsonify }}`.

Names and values follow each other; a value in brackets is a call of its own. Everything but literals is computed.
Source: https://gohugo.io/functions/collections/dictionary/, read 2026-11-29.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from waypost.reader.code_objects import CodeObject
from waypost.reader.literal_tree import MOST_DEPTH, ListOf, ObjectOf, Value, linked_data
from waypost.reader.literals import number

_ACTION = re.compile(rb"""\{\{(?:"(?:[^"\\\n]|\\.)*"|`[^`]*`|/\*.*?\*/|[^"`}]|\}(?!\}))*\}\}""", re.DOTALL)
_MARKED = re.compile(rb"""["`]@(?:type|context|graph)["`]""")
_TOKEN = re.compile(rb"""/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|`[^`]*`|[()|]|[^\s()|"`]+""", re.DOTALL)
MOST_ACTIONS: Final = 2_000
_CHANGES = rb"(?:merge\b[^}]{0,2000}|\.SetInMap\s+[^}]{0,200})"


def dicts_in(data: bytes) -> Iterator[CodeObject]:
    """JSON-LD of the actions of a template, in document order."""
    if b"dict" not in data or not _MARKED.search(data):
        return
    for action in list(_ACTION.finditer(data))[:MOST_ACTIONS]:
        if b"dict" in action[0] and _MARKED.search(action[0]):
            roots = _Calls(data, action.start() + 2, action.end() - 2).roots()
            name = re.match(rb"\{\{-?\s*(\$\w+)\s*:?=", action[0])
            is_changed = name is not None and re.search(_CHANGES + re.escape(name[1]) + rb"\b", data) is not None
            for root in roots:
                if isinstance(root, ObjectOf):
                    root.is_open |= is_changed
            yield from linked_data(roots)


class _Calls:
    """Calls of an action, read by descent. `apart`: dicts inside of computed values."""

    def __init__(self, data: bytes, start: int, end: int) -> None:
        found = (token for token in _TOKEN.finditer(data, start, end) if not token[0].startswith(b"/*"))
        self.tokens = list(found)
        self.at = 0
        self.apart: list[Value] = []

    def roots(self) -> list[Value]:
        """Literals of the action that stand in no other literal."""
        found: list[Value] = []
        while self.at < len(self.tokens):
            if self._word() == b"dict":
                found.append(self._call(0))
            elif self._word() == b"(":
                found.append(self._bracket(0))
            else:
                self.at += 1
        return [*found, *self.apart]

    def _word(self) -> bytes:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else b""

    def _call(self, depth: int) -> Value:
        """Call of `dict` or `slice` up to a bracket, a pipe or the end."""
        start = self.tokens[self.at].start()
        is_dict = self._word() == b"dict"
        self.at += 1
        values: list[Value] = []
        while self.at < len(self.tokens) and self._word() not in {b")", b"|"}:
            values.append(self._argument(depth))
        end = values[-1].end if values else self.tokens[self.at - 1].end()
        if not is_dict:
            return ListOf(start, end, None, values)
        made = ObjectOf(start, end, is_open=len(values) % 2 == 1)
        for name, value in zip(values[::2], values[1::2], strict=False):
            if name.json is None or not name.json.startswith('"'):
                made.is_open = True
                continue
            made.members.append((str(json.loads(name.json)), name.start, name.end, value))
        return made

    def _argument(self, depth: int) -> Value:
        if self._word() == b"(":
            return self._bracket(depth + 1)
        token = self.tokens[self.at]
        self.at += 1
        return Value(token.start(), token.end(), _literal(token[0]))

    def _bracket(self, depth: int) -> Value:
        """Call in brackets: a literal where it is a `dict` or `slice` alone, else computed."""
        start = self.tokens[self.at].start()
        self.at += 1
        inner: list[Value] = []
        is_computed = depth > MOST_DEPTH
        while self.at < len(self.tokens) and self._word() != b")":
            if self._word() in {b"dict", b"slice"} and not inner and not is_computed:
                inner.append(self._call(depth))
            elif self._word() == b"(":
                inner.append(self._bracket(depth + 1))
                is_computed = True
            else:
                is_computed = True
                self.at += 1
        end = self.tokens[self.at].end() if self.at < len(self.tokens) else self.tokens[-1].end()
        self.at += 1
        # A field of what the brackets make: `(index . 0).Title`.
        if self.at < len(self.tokens) and self.tokens[self.at].start() == end and self._word().startswith(b"."):
            end, is_computed = self.tokens[self.at].end(), True
            self.at += 1
        if len(inner) == 1 and not is_computed:
            inner[0].start, inner[0].end = start, end
            return inner[0]
        self.apart += inner
        return Value(start, end)


def _literal(token: bytes) -> str | None:
    """JSON of a string, a number or a constant; None for a computed value."""
    text = token.decode("utf-8", "replace")
    if text[0] == "`":
        return json.dumps(text[1:-1], ensure_ascii=False)
    if text[0] == '"':
        try:
            return json.dumps(json.loads(text), ensure_ascii=False)
        except ValueError:
            return None
    return text if text in {"true", "false"} else number(text)
