"""Copy of a store from SQLite's file into an empty PostgreSQL database, in a single transaction.

The audit chains are followed before the copy in the source and before the commit in the target, and must have the same
heads. Signing keys and lists stay in the data folder.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from waypost.store import audit, heads
from waypost.store.engines import Connection
from waypost.store.engines.postgres import PostgresConnection, open_engine, summary
from waypost.store.engines.postgres_text import lexemes
from waypost.store.engines.sqlite import connect
from waypost.store.errors import StoreError
from waypost.store.open import NAME, schema_version

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


def copy_to(folder: Path, address: str) -> Copied:
    """Copy the store of a folder to a database. Raises StoreError; the target is then as it was."""
    path = folder / NAME
    if not path.is_file():
        raise StoreError(f"there is no store at {path}")
    try:
        with closing(connect(path, "ro")) as source:
            return _copy(source, path, address)
    except sqlite3.Error as error:
        raise StoreError(f"{path} cannot be read: {error}") from None


def _copy(source: sqlite3.Connection, path: Path, address: str) -> Copied:
    engine = open_engine(address)
    target = engine.writing
    assert isinstance(target, PostgresConnection)
    try:
        if (ours := schema_version(source)) != (theirs := schema_version(target)):
            raise StoreError(
                f"{path} has version {ours} and the database {theirs}; start the service on the file first"
            )
        source.execute("BEGIN")  # a snapshot: what is written meanwhile is not copied
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
        target.execute("COMMIT")
    except engine.error as error:
        raise StoreError(f"nothing was copied to {engine.name}: {summary(error)}") from None
    finally:
        engine.close()  # which undoes what was not committed
    return Copied(rows, len(chains), engine.name)


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
