"""Source maps of joined scripts, for development builds: a line of a script -> the line of its file in `site/js`.

`marked` puts a comment with the file's name in front of each text that is joined. Minified, the comments are gone;
with `unminified()` they stay, and `with_map` makes the map from them.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_MARK = "//@file "
_MARKED = re.compile(rf"^{_MARK}(.*)$")
_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_readable: ContextVar[bool] = ContextVar("readable", default=False)


@contextmanager
def unminified(readable: bool) -> Iterator[None]:
    """Context in which scripts stay as they are written, if `readable`."""
    token = _readable.set(readable)
    try:
        yield
    finally:
        _readable.reset(token)


def is_minified() -> bool:
    """Whether scripts are minified here."""
    return not _readable.get()


def marked(name: str, text: str) -> str:
    """Text of a file with the mark that names it. The mark's line ends before the first line of the text."""
    return f"\n{_MARK}{name}\n{text}\n"


def with_map(script: bytes) -> bytes:
    """Script with its source map in a `data:` URL, which works from a folder too; unchanged without marked texts."""
    if is_minified() or _MARK.encode() not in script:
        return script
    sources: dict[str, list[str]] = {}
    rows: list[tuple[int, int] | None] = []
    current = ""
    for line in script.decode().split("\n"):
        if found := _MARKED.match(line):
            current = found[1]
            sources[current] = []
            rows.append(None)
        elif current:
            rows.append((len(sources) - 1, len(sources[current])))
            sources[current].append(line)
        else:
            rows.append(None)
    document = {
        "version": 3,
        "sources": [f"waypost/site/js/{name}" for name in sources],
        "sourcesContent": ["\n".join(lines) for lines in sources.values()],
        "names": [],
        "mappings": _mappings(rows),
    }
    packed = base64.b64encode(json.dumps(document).encode()).decode()
    return script + f"//# sourceMappingURL=data:application/json;base64,{packed}\n".encode()


def _mappings(rows: list[tuple[int, int] | None]) -> str:
    """Mappings as the source map format has them: a segment a line, each number as the difference from the last."""
    lines, last = [], (0, 0)
    for row in rows:
        if row is None:
            lines.append("")
            continue
        lines.append("".join(map(_vlq, (0, row[0] - last[0], row[1] - last[1], 0))))
        last = row
    return ";".join(lines)


def _vlq(number: int) -> str:
    """A number in base 64: five bits a digit, the lowest first; the first bit is the sign, the sixth says "more"."""
    left, text = abs(number) << 1 | (number < 0), ""
    while True:
        digit, left = left & 31, left >> 5
        text += _DIGITS[digit | (32 if left else 0)]
        if not left:
            return text
