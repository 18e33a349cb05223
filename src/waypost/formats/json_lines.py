"""Lines of the values of a JSON document, for messages; `json` gives values without places."""

from __future__ import annotations

import json
import re
from typing import TypeAlias

Path: TypeAlias = tuple[str | int, ...]

_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|[\[\]{},:]|[^\s\[\]{},:"]+|\n')


def lines_of(text: str) -> dict[Path, int]:
    """Path of each member and entry -> its 1-based line. `text` is valid JSON."""
    lines: dict[Path, int] = {(): 1}
    # (whether a list, path) of the open lists and objects; the key or number of the entry in each.
    around: list[tuple[bool, Path]] = []
    current: list[str | int] = []
    line, is_key = 1, False
    for found in _TOKEN.finditer(text):
        part = found[0]
        if part == "\n":
            line += 1
        elif part in {"[", "{"}:
            path = _path(around, current)
            lines.setdefault(path, line)
            around.append((part == "[", path))
            current.append(0 if part == "[" else "")
            is_key = part == "{"
        elif part in {"]", "}"}:
            around.pop()
            current.pop()
            is_key = False
        elif part == ",":
            last = current[-1]
            if isinstance(last, int):
                current[-1] = last + 1
            is_key = not around[-1][0]
        elif part != ":":
            if is_key:
                current[-1], is_key = json.loads(part), False
            lines.setdefault(_path(around, current), line)
    return lines


def _path(around: list[tuple[bool, Path]], current: list[str | int]) -> Path:
    return (*around[-1][1], current[-1]) if around else ()
