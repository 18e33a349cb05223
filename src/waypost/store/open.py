"""Opening of the store: a file of SQLite by default, with its permissions and migrations; or a database's address."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from waypost.store import copy_mark
from waypost.store.engines import Connection, Engine, is_sqlite
from waypost.store.engines.sqlite import BUSY_S, SqliteEngine, connect
from waypost.store.errors import StoreClosed, StoreError, StoreTooNew
from waypost.store.folder import NAME
from waypost.store.heads import Heads
from waypost.store.write_lock import WriteLock
from waypost.store.writer import Writer

Result = TypeVar("Result")
MIGRATIONS = Path(__file__).resolve().parent / "migrations"
HAS_AUDIT = 2
"""First version of the schema with an audit."""
CLOSE_S = 1.0
"""Seconds that `close` waits for reads in other threads, all together."""


class _Reader:
    """Connection of a thread that reads, and the lock held during a read."""

    def __init__(self, db: Connection) -> None:
        self.db = db
        self.in_use = threading.RLock()


class Store:
    """Open store: a single writer thread, and a connection per reading thread.

    engine  database of the store
    name    file or address, without a password
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.name = engine.name
        self._writer = Writer(engine)
        self._local = threading.local()
        self._readers: list[_Reader] = []
        self._lock = threading.Lock()
        self._closed = False

    @property
    def path(self) -> Path:
        """File of an SQLite store."""
        assert isinstance(self.engine, SqliteEngine), "this store is not a file"
        return self.engine.path

    @property
    def writer(self) -> Writer:
        """Writer, for event loops, which must not block."""
        return self._writer

    def write(self, work: Callable[[Connection], Result]) -> Result:
        """Result of `work` in a transaction, once durable. Raises StoreError, and the errors of `work`."""
        return self._writer.submit(work).result()

    def read(self, work: Callable[[Connection], Result]) -> Result:
        """Result of `work` on the thread's read-only connection. Raises StoreError, and the errors of `work`."""
        try:
            return self._read(work)
        except self.engine.error as error:
            raise self.engine.read_error(error) from None

    def _read(self, work: Callable[[Connection], Result]) -> Result:
        is_first = True
        while True:
            reader = self._reader()
            with reader.in_use:
                if self._closed:
                    raise StoreClosed
                try:
                    return work(reader.db)
                except self.engine.error:
                    # A connection that ended between two requests is not an error of the second.
                    if not (is_first and self.engine.is_lost(reader.db)):
                        raise
                finally:
                    if self._closed:  # `close` did not wait for such a long read
                        reader.db.close()
            self._forget(reader)
            is_first = False

    def reader(self) -> Connection:
        """Read-only connection of the calling thread, with every commit visible; closed with the store."""
        return self._reader().db

    def _reader(self) -> _Reader:
        if self._closed:
            raise StoreClosed
        found: _Reader | None = getattr(self._local, "reader", None)
        if found is None:
            found = self._local.reader = _Reader(self.engine.reading())
            with self._lock:
                self._readers.append(found)
        return found

    def _forget(self, reader: _Reader) -> None:
        self._local.reader = None
        with self._lock, suppress(ValueError):  # `close` has forgotten it
            self._readers.remove(reader)
        reader.db.close()

    def close(self) -> None:
        """Finish queued writes, then close every connection."""
        self._writer.close()
        self._closed = True
        end = time.monotonic() + CLOSE_S
        with self._lock:
            for reader in self._readers:
                # SQLite crashes the process where a connection is closed during a read in another thread.
                if reader.in_use.acquire(timeout=max(end - time.monotonic(), 0)):
                    reader.db.close()
                    reader.in_use.release()
            self._readers.clear()
        self._local = threading.local()
        self.engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def open_store(place: Path | str, *, migrations: Path = MIGRATIONS, even_copied: bool = False) -> Store:
    """Open the store in a folder, created if missing, or at the address of a database, and apply migrations.

    The folder is created with mode 0700, the file with 0600. Before a migration the file is copied. Raises StoreError,
    StoreTooNew and, for an address, MissingExtra; CopiedAway for a store that `store copy` copied, unless
    `even_copied`.
    """
    if isinstance(place, str):
        from waypost.store.engines.postgres import open_engine

        return Store(open_engine(place))
    folder, path = place, place / NAME
    with ExitStack() as opened:
        try:
            _prepare(folder, path)
            write_lock = WriteLock(folder, BUSY_S)
            opened.callback(write_lock.close)
            db = connect(path, "rw", check_same_thread=False)
            opened.callback(db.close)
            if not write_lock.acquire():
                is_old = schema_version(db) < len(numbered(migrations))
                raise StoreError(f"cannot open {path}: {_BEING_MIGRATED if is_old else _HELD}")
            try:
                if not even_copied:
                    copy_mark.check(db, path)
                db.execute("PRAGMA journal_mode = WAL")
                migrate(db, path, migrations)
                heads = Heads(folder)
                if schema_version(db) >= HAS_AUDIT:
                    heads.advance(db)
            finally:
                write_lock.release()
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise StoreError(f"cannot open {path}: {reason}; name another folder with --data") from None
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0)
            if code == sqlite3.SQLITE_NOTADB:
                raise _no_store(path) from None
            # The first byte names the kind (sqlite.org/rescode.html).
            raise StoreError(f"cannot open {path}: {error}{_ADVICE.get(code & 0xFF, '')}") from None
        # The store closes both from here on.
        opened.pop_all()
        return Store(SqliteEngine(path, db, write_lock, heads))


_HELD = "another process does not let go of it"
_BEING_MIGRATED = "another process is bringing it up to date, which takes a while with much data; try again in a minute"
_ADVICE = {
    sqlite3.SQLITE_BUSY: "; another process has it for itself, as `waypost store copy` does: try again later",
    sqlite3.SQLITE_FULL: "; free some space, or name another folder with --data",
    sqlite3.SQLITE_CANTOPEN: "; make the folder writable, or name another with --data",
    sqlite3.SQLITE_READONLY: "; make the folder writable, or name another with --data",
}
"""What to do about an error of SQLite, by its kind."""


def _no_store(path: Path) -> StoreError:
    return StoreError(f"{path} is not a waypost store; name another folder with --data")


def _prepare(folder: Path, path: Path) -> None:
    if not folder.is_dir():
        folder.mkdir(mode=0o700, parents=True)
    # The file is created before SQLite opens it, with mode 0600 from the start; SQLite gives its log the same mode.
    # An existing file is not opened: closing the handle would end every POSIX lock of this process on the file
    # (sqlite.org/howtocorrupt.html, 2.2), and another process could delete the log while this process uses it.
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    if path.stat().st_mode & 0o077:
        path.chmod(0o600)


_VERSION = "SELECT version FROM schema_version"
_HAS_VERSION = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'"  # SQLite's own
_FOREIGN = "SELECT count(*) FROM sqlite_master"
_SET_VERSION = "UPDATE schema_version SET version = ?, changed_at = ?"


def schema_version(db: Connection) -> int:
    """Number of the last migration applied; 0 for an empty file or database."""
    if not is_sqlite(db):
        from waypost.store.engines import postgres

        return postgres.schema_version(db)
    if not db.execute(_HAS_VERSION).fetchone()[0]:
        return 0
    row = db.execute(_VERSION).fetchone()
    return int(row[0]) if row else 0


def migrate(db: sqlite3.Connection, path: Path, folder: Path = MIGRATIONS) -> None:
    """Apply the missing migrations in a single transaction. Raises StoreError, StoreTooNew and sqlite3.Error."""
    steps = numbered(folder)
    known = max(steps, default=0)
    if schema_version(db) == known:
        return
    db.execute("BEGIN IMMEDIATE")  # Processes may start together: a single one migrates.
    try:
        version = schema_version(db)
        if version > known:
            raise StoreTooNew(str(path), version, known)
        if not version and db.execute(_FOREIGN).fetchone()[0]:
            raise _no_store(path)
        if version and version < known:
            _keep_copy(path, known)
        for number in range(version + 1, known + 1):
            for statement in statements(steps[number].read_text(encoding="utf-8")):
                db.execute(statement)
        db.execute(_SET_VERSION, (known, int(time.time() * 1000)))
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def numbered(folder: Path) -> dict[int, Path]:
    """Migrations by number, from `0001_relationships.sql` on. Raises StoreError for a gap."""
    steps = {int(file.name[:4]): file for file in sorted(folder.glob("[0-9][0-9][0-9][0-9]_*.sql"))}
    if list(steps) != list(range(1, len(steps) + 1)):
        raise StoreError(f"the migrations in {folder} are not numbered from 1 without a gap")
    return steps


def statements(script: str) -> Iterator[str]:
    """Statements of a script, for `execute`: `executescript` would commit the surrounding transaction."""
    held = ""
    for line in script.splitlines(keepends=True):
        held += line
        if sqlite3.complete_statement(held):
            yield held
            held = ""
    if held.strip():
        raise StoreError("a migration ends in the middle of a statement")


def _keep_copy(path: Path, before: int) -> None:
    """Copy the file before a migration, inside the transaction of the migration, while no process can write."""
    copy = path.with_name(f"{path.name}.before-{before:04}")
    os.close(os.open(copy, os.O_CREAT | os.O_RDWR | os.O_TRUNC, 0o600))
    with closing(connect(path, "ro")) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
