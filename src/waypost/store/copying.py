"""Copy of a store from SQLite's file into an empty PostgreSQL database, in a single transaction.

The audit chains are followed before the copy in the source and before the commit in the target, and must have the same
heads. Signing keys and lists stay in the data folder.

No row that was acknowledged is left behind. The file is locked against every other connection, of any process, until
the database has committed, and a file that another process has open is not copied. The file is marked before the
database commits, so that a process killed between the two leaves a store that no service starts on.
"""

from __future__ import annotations

import secrets
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from waypost.store import audit, copy_mark, heads
from waypost.store.engines import Connection
from waypost.store.engines.postgres import PostgresConnection, PostgresEngine, open_engine, summary
from waypost.store.engines.postgres_text import lexemes
from waypost.store.engines.sqlite import BUSY_S, connect
from waypost.store.errors import StoreError
from waypost.store.folder import NAME
from waypost.store.open import schema_version
from waypost.store.write_lock import WriteLock

TABLES = (
    "organization", "setting", "relationship", "relationship_claim", "relationship_event", "api_key", "decision",
    "dispute", "dispute_event", "audit_event", "snippet", "idempotency", "login_link", "session", "usage_slot",
    "usage_day", "disputed_host", "ownership_snapshot", "ownership_doubt", "observed_signal", "relationship_entry",
    "shared_file", "shared_part",
)  # fmt: skip
"""Tables with rows of their own, each after those that it refers to. The tables of the search are made again."""


class Copied(NamedTuple):
    """Rows by table, number of audit chains, and the target without its password."""

    rows: dict[str, int]
    chains: int
    target: str


OUTCOME_S = (0.0, 1.0, 5.0)
"""Seconds before each search for a copy whose commit has no answer."""
_WAIT_S, _RETRY_S = 2.0, 0.01
"""Seconds to wait for commands that have the store open, and between two attempts."""


def copy_to(folder: Path, address: str, now: int) -> Copied:
    """Copy the store of a folder to a database, and mark it: no service starts on it any more.

    Raises StoreError; then both are as they were, unless the message says otherwise. CopiedAway for a marked store.
    """
    path = folder / NAME
    if not path.is_file():
        raise StoreError(f"there is no store at {path}")
    engine = open_engine(address)
    try:
        with _alone(folder, path) as source:
            return _copy(source, path, engine, address, now)
    except sqlite3.Error as error:
        raise StoreError(f"{path} cannot be read or marked: {error}") from None
    finally:
        engine.close()  # which undoes what was not committed


@contextmanager
def _alone(folder: Path, path: Path) -> Iterator[sqlite3.Connection]:
    """Connection to a store that no other connection can read or write until the end. Raises StoreError."""
    until = time.monotonic() + _WAIT_S
    while True:
        with closing(WriteLock(folder, BUSY_S)) as write_lock, closing(connect(path, "rw")) as db:
            if write_lock.acquire() and _is_alone(db):
                yield db
                return
        # A command has the store open for a moment, a service for good.
        if time.monotonic() > until:
            raise StoreError(
                f"{path} is in use: stop the service and every command that has it open, then copy it; nothing was "
                "copied"
            )
        time.sleep(_RETRY_S)


def _is_alone(db: sqlite3.Connection) -> bool:
    """Whether a connection has the file for itself from now on, until it is closed or the process ends."""
    try:
        # Leaving WAL mode needs an exclusive lock: it fails while another connection is open. The lock of an exclusive
        # connection stays over a commit. The next start goes back to WAL.
        db.execute("PRAGMA journal_mode = DELETE").fetchone()
        db.execute("PRAGMA locking_mode = EXCLUSIVE").fetchone()
        db.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
            return False
        raise
    return True


def _copy(source: sqlite3.Connection, path: Path, engine: PostgresEngine, address: str, now: int) -> Copied:
    target = engine.writing
    assert isinstance(target, PostgresConnection)
    mark = copy_mark.Mark(to=engine.name, at=now, token=secrets.token_hex(16))
    try:
        copy_mark.check(source, path)
        if (ours := schema_version(source)) != (theirs := schema_version(target)):
            raise StoreError(
                f"{path} has version {ours} and the database {theirs}; start the service on the file first"
            )
        target.execute("BEGIN IMMEDIATE")
        # A large table takes longer than any statement of the service may.
        target.execute("SET LOCAL statement_timeout = 0")
        if filled := [table for table in TABLES if target.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone()]:  # noqa: S608 - constants
            raise StoreError(f"{engine.name} has rows already, in {filled[0]}; name an empty database")
        rows = {table: _copy_table(source, target, table) for table in TABLES}
        target.execute(_REPLACEMENTS_BACK)
        _index(source, target)
        chains = _followed(source, str(path))
        if _followed(target, engine.name) != chains:
            raise StoreError("the audit chains of the copy end otherwise than those of the store; nothing was copied")
        copy_mark.put_in_copy(target, mark.token)
    except engine.error as error:
        raise StoreError(f"nothing was copied to {engine.name}: {summary(error)}") from None
    copy_mark.put(source, mark)
    source.execute("COMMIT")
    try:
        target.execute("COMMIT")
    except (StoreError, engine.error) as error:
        _settle(source, address, mark, summary(error))
    return Copied(rows, len(chains), engine.name)


def _settle(source: sqlite3.Connection, address: str, mark: copy_mark.Mark, reason: str) -> None:
    """After a commit without an answer: return if the database has the copy, else remove the mark.

    Raises StoreError where it has not, or where that stays unknown; the mark then stays too.
    """
    for pause_s in OUTCOME_S:
        time.sleep(pause_s)
        if (token := _token_at(address)) == mark.token:
            return
        if token is not None:
            copy_mark.unmark(source)
            raise StoreError(f"nothing was copied to {mark.to}: {reason}") from None
    raise StoreError(
        f"whether {mark.to} has the copy is unknown ({reason}), so no service starts on the file: if the database has "
        "no rows, run `waypost store copy --undo` and copy again"
    ) from None


def _token_at(address: str) -> str | None:
    """Name of the copy that a database holds, empty for none; None where that cannot be known now."""
    try:
        engine = PostgresEngine(address)
    except StoreError:
        return None
    try:
        engine.writing.execute("BEGIN IMMEDIATE")  # waits for a transaction that is still at its commit
        return copy_mark.token_of(engine.writing)
    except (StoreError, engine.error):
        return None
    finally:
        engine.close()


_REPLACEMENTS = "CREATE TEMPORARY TABLE replacement (id TEXT, replaced_by TEXT) ON COMMIT DROP"
_REPLACEMENTS_BACK = "UPDATE api_key SET replaced_by = r.replaced_by FROM replacement r WHERE r.id = api_key.id"


def _copy_table(source: sqlite3.Connection, target: PostgresConnection, table: str) -> int:
    """Number of rows copied, with their numbers."""
    columns = [str(row[1]) for row in source.execute(f"PRAGMA table_info({table})")]
    key = "number" if "number" in columns else "rowid"
    # Claims have no number: the first claimant is the one with the lowest `rowid`, which must be the same in the copy.
    chosen = ["rowid", *columns] if table == "relationship_claim" else columns
    found = source.execute(f"SELECT {', '.join(chosen)} FROM {table} ORDER BY {key}")  # noqa: S608 - constants
    replacements: list[tuple[Any, Any]] = []
    at, name = (chosen.index("replaced_by"), chosen.index("id")) if table == "api_key" else (-1, -1)
    count = 0
    with target.raw.cursor() as cursor:
        with cursor.copy(f"COPY {table} ({', '.join(chosen)}) FROM STDIN".encode()) as stream:
            for row in found:
                if at >= 0 and row[at] is not None:  # a later row, which is not there yet
                    replacements.append((row[name], row[at]))
                    row = (*row[:at], None, *row[at + 1 :])
                stream.write_row(row)
                count += 1
        if table == "api_key":
            cursor.execute(_REPLACEMENTS.encode())
            with cursor.copy(b"COPY replacement (id, replaced_by) FROM STDIN") as stream:
                for pair in replacements:
                    stream.write_row(pair)
        # COPY does not move a sequence: without this the first new row would have a number that is taken.
        if chosen[0] in {"number", "rowid"}:
            begin = (
                f"SELECT setval(pg_get_serial_sequence('{table}', '{chosen[0]}'), coalesce(max({chosen[0]}), 0) + 1,"
            )
            cursor.execute(f"{begin} false) FROM {table}".encode())
    return count


def _index(source: sqlite3.Connection, target: PostgresConnection) -> None:
    """Make the tables of the search, by the lexemes of the texts."""
    terms: set[str] = set()
    with target.raw.cursor() as cursor:
        cursor.execute(b"CREATE TEMPORARY TABLE entry_words (number BIGINT, words TEXT[], whose TEXT, standing TEXT)")
        with cursor.copy(b"COPY entry_words FROM STDIN") as stream:
            for number, name, entity, domain, owner, state in source.execute(_ENTRIES):
                words = lexemes(f"{name} {entity} {domain}")
                terms.update(words)
                stream.write_row((number, words, owner, "reviewed" if state == "accepted" else "unreviewed"))
        cursor.execute(
            b"INSERT INTO relationship_text (number, words, whose, standing)"
            b" SELECT number, array_to_tsvector(words), whose, standing FROM entry_words"
        )
        cursor.execute(b"TRUNCATE entry_words")
        with cursor.copy(b"COPY entry_words (number, words, whose) FROM STDIN") as stream:
            for number, name, unified, domain, owner in source.execute(_SNIPPETS):
                stream.write_row((number, lexemes(f"{name} {unified or ''} {domain}"), owner))
        cursor.execute(
            b"INSERT INTO snippet_text (number, words, whose)"
            b" SELECT number, array_to_tsvector(words), whose FROM entry_words"
        )
        cursor.execute(b"DROP TABLE entry_words")
        with cursor.copy(b"COPY relationship_word (term) FROM STDIN") as stream:
            for term in sorted(terms):
                stream.write_row((term,))


_ENTRIES = (
    "SELECT e.number, r.entity_name, r.entity, r.domain, r.organization, r.state"
    " FROM relationship_entry e JOIN relationship r ON r.id = e.id ORDER BY e.number"
)
_SNIPPETS = (
    "SELECT number, name, json_extract(unified, '$.description'), domain, organization FROM snippet ORDER BY number"
)


def _followed(db: Connection, name: str) -> dict[str, heads.Head]:
    """Heads of the chains, each followed from its first event. Raises StoreError."""
    for chain in audit.verify(db):
        if chain.broken:
            raise StoreError(f"the audit of {chain.organization} in {name} is broken; nothing was copied")
    return {head.organization: head for head in heads.found(db)}
