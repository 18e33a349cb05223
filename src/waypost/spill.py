"""Rows of a run with any number of pages, in temporary files without a name, deleted by the system at the latest.

Without a folder for temporary files all rows stay in memory, see `has_folder`.
"""

from __future__ import annotations

import heapq
import marshal
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import IO, Any, TypeVar

from waypost.errors import WaypostError

RUN = 20_000
"""Rows in memory while they are sorted."""
_SETTINGS = (
    "PRAGMA journal_mode = OFF",  # nothing is ever rolled back
    "PRAGMA cache_size = -1024",  # KiB
    "CREATE TABLE rows (number INTEGER PRIMARY KEY, name BLOB, a BLOB, b BLOB, c BLOB)",
    "CREATE UNIQUE INDEX names ON rows (name) WHERE name IS NOT NULL",
    "BEGIN",
)
_PUT = "INSERT OR REPLACE INTO rows VALUES (?, NULL, ?, ?, ?)"
_ADD = "INSERT OR IGNORE INTO rows (name, a) VALUES (?, ?)"
_GET = "SELECT a, b, c FROM rows WHERE number = ?"
_FIND = "SELECT a FROM rows WHERE name >= ? AND name < ? ORDER BY number DESC LIMIT 1"
_COUNT = "SELECT COUNT(*) FROM rows"
_COLUMNS = {
    name: f"SELECT number, {name} FROM rows WHERE {name} IS NOT NULL ORDER BY number"  # noqa: S608 - our own names
    for name in "abc"
}
_Row = TypeVar("_Row", bound=tuple[Any, ...])


@cache
def has_folder() -> bool:
    """Whether a folder for temporary files can be written."""
    try:
        tempfile.gettempdir()
    except FileNotFoundError:
        return False
    return True


@contextmanager
def _reporting() -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        why = (error.strerror if isinstance(error, OSError) else "") or str(error)
        raise WaypostError(
            f"a temporary file cannot be written ({why.lower()}); free some space, or name another folder with TMPDIR"
        ) from None


class Rows:
    """Rows of up to three values: by number, or by name in the order in which they were added, from 1.

    Raises WaypostError where the temporary file cannot be written.
    """

    def __init__(self) -> None:
        # A database without a name is on disk beyond its cache.
        self._db = sqlite3.connect(
            "" if has_folder() else ":memory:", isolation_level=None, check_same_thread=False, cached_statements=16
        )
        for setting in _SETTINGS:
            self._db.execute(setting)

    def put(self, number: int, a: bytes | None, b: bytes | None = None, c: bytes | None = None) -> None:
        """Store the row of a number, in place of an earlier one."""
        with _reporting():
            self._db.execute(_PUT, (number, a, b, c))

    def get(self, number: int) -> tuple[bytes | None, bytes | None, bytes | None]:
        """Row of a number; three times None for a missing one."""
        with _reporting():
            row: tuple[bytes | None, bytes | None, bytes | None] | None = self._db.execute(_GET, (number,)).fetchone()
        return row or (None, None, None)

    def add(self, name: bytes, a: bytes) -> None:
        """Store a row under the next number, unless there is one with the name."""
        with _reporting():
            self._db.execute(_ADD, (name, a))

    def find(self, start: bytes, end: bytes) -> bytes | None:
        """First value of the last row whose name is in a range, `end` exclusive."""
        with _reporting():
            row: tuple[bytes] | None = self._db.execute(_FIND, (start, end)).fetchone()
        return row[0] if row else None

    def column(self, name: str) -> Iterator[tuple[int, bytes]]:
        """(number, value) of the rows with a value in column a, b or c, by number."""
        with _reporting():
            yield from self._db.execute(_COLUMNS[name])

    def __len__(self) -> int:
        count: int = self._db.execute(_COUNT).fetchone()[0]
        return count

    def close(self) -> None:
        self._db.close()


def in_order(rows: Iterable[_Row], run: int = RUN) -> Iterator[_Row]:
    """Rows of plain values, sorted as by `sorted`, of which at most `run` are in memory."""
    with ExitStack() as stack:
        spooled: list[IO[bytes]] = []
        part: list[_Row] = []
        for row in rows:
            part.append(row)
            if len(part) >= run and has_folder():
                with _reporting():
                    file = stack.enter_context(tempfile.TemporaryFile())
                    for each in sorted(part):
                        marshal.dump(each, file)
                    file.seek(0)
                spooled.append(file)
                part = []
        yield from heapq.merge(*map(_read, spooled), sorted(part))


def _read(file: IO[bytes]) -> Iterator[Any]:
    while True:
        try:
            yield marshal.load(file)  # noqa: S302 - written above, by this process
        except EOFError:
            return
