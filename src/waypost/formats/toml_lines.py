"""Lines of the values of a TOML document, for messages; `tomllib` gives values without places."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

Path: TypeAlias = tuple[str | int, ...]

_TOKEN = re.compile(
    r"""(?P<text>\"\"\"(?:\\.|[^\\])*?\"{3,5}|'''.*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*')"""
    r"""|(?P<comment>\#[^\n]*)|(?P<end>\n)|(?P<space>[ \t\r]+)|(?P<sign>[\[\]{},=.])|(?P<word>[^\s\[\]{},=.#"']+)|.""",
    re.DOTALL,
)


def lines_of(text: str) -> dict[Path, int]:
    """Path of each table, key and list entry -> its 1-based line. `text` is valid TOML."""
    return _Scan(text).lines


def line_of(lines: dict[Path, int], path: Path) -> int:
    """Line of the value at a path, else of the nearest table or list above; 1 without any."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


class _Scan:
    """Scan of a document: headers of tables, keys, and the entries of lists and inline tables."""

    def __init__(self, text: str) -> None:
        self.lines: dict[Path, int] = {}
        self._sizes: dict[Path, int] = {}  # of the lists of tables
        self._line = 1
        self._tokens = self._scan(text)
        self._token = next(self._tokens, ("end", ""))
        table: Path = ()
        while self._token[0] != "eof":
            if self._token[1] == "[":
                table = self._header()
            elif self._token[0] in {"word", "text"}:
                self._pair(table)
            else:
                self._next()

    def _scan(self, text: str) -> Iterator[tuple[str, str]]:
        for found in _TOKEN.finditer(text):
            kind = found.lastgroup or ""
            if kind not in {"comment", "space"}:
                yield kind, found[0]
            self._line += found[0].count("\n")
        yield "eof", ""

    def _next(self) -> str:
        token = self._token[1]
        self._token = next(self._tokens, ("eof", ""))
        return token

    def _header(self) -> Path:
        line = self._line
        self._next()
        if is_list := self._token[1] == "[":
            self._next()
        names = self._key()
        path: Path = ()
        for number, name in enumerate(names):
            path = (*path, name)
            if number + 1 == len(names) and is_list:
                self._sizes[path] = self._sizes.get(path, 0) + 1
            self.lines.setdefault(path, line)
            if path in self._sizes:
                path = (*path, self._sizes[path] - 1)
                self.lines.setdefault(path, line)
        while self._token[0] not in {"end", "eof"}:
            self._next()
        return path

    def _key(self) -> list[str]:
        names = []
        while self._token[0] in {"word", "text"}:
            token = self._next()
            names.append(token.strip("\"'"))
            if self._token[1] != ".":
                break
            self._next()
        return names

    def _pair(self, table: Path) -> None:
        line = self._line
        path = table
        for name in self._key():
            path = (*path, name)
            self.lines.setdefault(path, line)
        if self._token[1] == "=":
            self._next()
            self._value(path)

    def _value(self, path: Path) -> None:
        if self._token[1] not in {"[", "{"}:
            # Dates and numbers are several tokens.
            while self._token[0] not in {"end", "eof"} and self._token[1] not in {",", "]", "}"}:
                self._next()
            return
        is_list, number = self._next() == "[", 0
        while self._token[0] != "eof" and self._token[1] not in {"]", "}"}:
            if self._token[0] == "end" or self._token[1] == ",":
                number += self._next() == ","
            elif is_list:
                self.lines.setdefault((*path, number), self._line)
                self._value((*path, number))
            else:
                before = self._token
                self._pair(path)
                if self._token is before:
                    self._next()
        self._next()
