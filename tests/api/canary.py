"""Words that nobody else writes, put into a request wherever a caller can put something, and a search for them.

tokens = Tokens(key)
send(tokens.url("shop.example"), headers=tokens.headers(), ...)
assert tokens.found(folder, log_text, metrics_text) == []
"""

from __future__ import annotations

import base64
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

KINDS = ("path", "query", "userinfo", "fragment", "body", "member")
HEADERS = (
    "user-agent", "referer", "cookie", "accept-language", "origin", "forwarded", "x-forwarded-for", "x-real-ip", "via",
    "from", "if-match", "tracestate", "baggage", "x-api-key", "x-custom",
)  # fmt: skip


class Tokens:
    """One word for each place of a request.

    key   the text of the API key that the requests carry; looked for as the others are
    """

    def __init__(self, key: str = "") -> None:
        self.words = {name: f"cnry{secrets.token_hex(8)}" for name in (*KINDS, *HEADERS)}
        if key:
            self.words["key"] = key

    def __getitem__(self, name: str) -> str:
        return self.words[name]

    def url(self, host: str, scheme: str = "https") -> str:
        """A URL that holds a word in every part that is not to be kept; its host is allowed to be seen."""
        return f"{scheme}://{self['userinfo']}:x@{host}/{self['path']}?q={self['query']}#{self['fragment']}"

    def headers(self) -> dict[str, str]:
        """Headers of many kinds, each with a word of its own."""
        return {name: f"a={self[name]}" for name in HEADERS}

    def found(self, *places: Path | str | bytes) -> list[tuple[str, str]]:
        """(word, where it was found). A folder is searched to its ends, SQLite's files as bytes and row by row."""
        return [
            (name, where)
            for place in places
            for where, data in _contents(place)
            for name, word in self.words.items()
            if any(form in data for form in _forms(word))
        ]


def _forms(word: str) -> Iterator[bytes]:
    """How a word might be written down: as it is, in two bytes a letter, escaped, in hexadecimal or in base 64."""
    raw = word.encode()
    yield raw.lower()
    yield quote(word, safe="").encode().lower()
    yield word.encode("utf-16-le").lower()
    yield raw.hex().encode()
    for offset in range(3):
        whole = base64.b64encode(b"\0" * offset + raw)
        # What stands before and behind the word changes the letters at both ends.
        piece = whole[(0, 2, 3)[offset] : len(whole) // 4 * 4 - 4]
        yield piece.lower()
        yield piece.replace(b"+", b"-").replace(b"/", b"_").lower()


def _contents(place: Path | str | bytes) -> Iterator[tuple[str, bytes]]:
    if isinstance(place, str):
        yield "text", place.lower().encode()
    elif isinstance(place, bytes):
        yield "bytes", place.lower()
    elif place.is_dir():
        for file in sorted(each for each in place.rglob("*") if each.is_file()):
            yield from _contents(file)
    else:
        data = place.read_bytes()
        yield str(place), data.lower()
        if data.startswith(b"SQLite format 3\0"):
            yield f"{place} (rows)", "\n".join(_rows(place)).lower().encode()


def _rows(path: Path) -> Iterator[str]:
    """Everything in a database, the log beside it included: a long value may be torn over pages of the file."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
        names = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for name in names:
            yield name
            for row in db.execute(f'SELECT * FROM "{name}"'):
                for value in row:
                    yield value.decode("latin-1") if isinstance(value, bytes) else str(value)
