"""SQLite in WAL mode with synchronous=FULL: acknowledged writes survive a power cut, not just a crash."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from waypost.store.engines import Connection
from waypost.store.errors import StoreError, as_store_error
from waypost.store.heads import Heads
from waypost.store.write_lock import WriteLock

BUSY_S = 5.0


def connect(path: Path, mode: str, *, check_same_thread: bool = True) -> sqlite3.Connection:
    """Connection to an existing file; `mode` is `ro` or `rw`. Raises sqlite3.Error."""
    db = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=BUSY_S,
        # Autocommit: Python's sqlite3 would begin transactions of its own.
        isolation_level=None,
        check_same_thread=check_same_thread,
    )
    try:
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA foreign_keys = ON")
        # Savepoints keep their undo log in a temporary file; in memory, since no commit depends on it.
        db.execute("PRAGMA temp_store = MEMORY")
    except BaseException:
        db.close()
        raise
    return db


def _file_at(path: Path) -> tuple[int, int] | None:
    """Device and number of a file, None for a missing one. A file keeps both until its end."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


class SqliteEngine:
    """File of a store, open for writing."""

    error: type[Exception] = sqlite3.Error
    integrity_error: type[Exception] = sqlite3.IntegrityError

    def __init__(self, path: Path, db: sqlite3.Connection, write_lock: WriteLock, heads: Heads | None = None) -> None:
        self.name = str(path)
        self.path = path
        self.writing: Connection = db
        self.write_lock = write_lock
        self._heads = heads or Heads(path.parent)
        self.release = write_lock.release
        self._file = _file_at(path)

    def acquire(self) -> bool:
        # SQLite goes on writing to a removed file, which no one will ever read: durable, and lost at the end.
        if _file_at(self.path) != self._file:
            raise StoreError(f"{self.path} was removed or replaced while in use; put it back, or restart the service")
        return self.write_lock.acquire()

    def after_commit(self) -> None:
        self._heads.advance(self.writing)

    def reading(self) -> Connection:
        # check_same_thread: work runs in the opening thread, but `close` may run in another thread.
        db = connect(self.path, "ro", check_same_thread=False)
        db.execute("PRAGMA query_only = ON")
        return db

    def as_store_error(self, error: BaseException) -> StoreError | None:
        return as_store_error(error)

    def read_error(self, error: Exception) -> Exception:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_READONLY:
            return error  # work that writes: a bug, not an error of the disk
        return as_store_error(error) or error

    def announce(self, keys: Sequence[Mapping[str, Any]]) -> None:
        """The services of a folder have the folder's signing keys."""

    def is_lost(self, db: Connection) -> bool:  # noqa: ARG002 - a file is never lost
        return False

    def close(self) -> None:
        self.write_lock.close()
        self.writing.close()  # The last connection checkpoints the log into the file, which a reader cannot.
