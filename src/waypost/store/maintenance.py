"""Looking after the store: whether it is whole, a copy of it, that copy back in its place, all of it as text."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from waypost.formats.text import timestamp
from waypost.models import api_key as keys
from waypost.store import audit, clock
from waypost.store.audit import Chain
from waypost.store.errors import StoreError, StoreTooNew
from waypost.store.keys import all_keys
from waypost.store.open import MIGRATIONS, NAME, connect, numbered, schema_version

MAX_PROBLEMS = 20


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """What a look at a store found.

    version, known  of its schema, and of the newest that this waypost knows
    problems        what is damaged, in SQLite's words and ours; empty where nothing is
    chains          the audit of each organization
    behind_ms       by how much the newest record is later than the clock
    """

    version: int
    known: int
    problems: tuple[str, ...]
    chains: tuple[Chain, ...]
    behind_ms: int

    @property
    def is_intact(self) -> bool:
        return not self.problems


def check(path: Path, now: int) -> Health:
    """Look at every page of a store and follow every audit chain. Changes nothing. Raises StoreError, StoreTooNew."""
    with _reading(path) as db:
        return _checked(db, path, now)


def _checked(db: sqlite3.Connection, path: Path, now: int) -> Health:
    version, known = schema_version(db), max(numbered(MIGRATIONS))
    if not version:
        raise StoreError(f"{path} is no waypost store")
    if version > known:
        raise StoreTooNew(str(path), version, known)
    found = [str(row[0]) for row in db.execute(f"PRAGMA integrity_check({MAX_PROBLEMS})")]
    problems = [f"integrity: {each}" for each in found if each != "ok"]
    strays = db.execute("PRAGMA foreign_key_check").fetchmany(MAX_PROBLEMS)
    problems += [f"{table}, row {row}: what it refers to in {parent} is missing" for table, row, parent, _ in strays]
    chains: tuple[Chain, ...] = ()
    behind = 0
    if version >= _HAS_AUDIT:
        chains = tuple(audit.verify(db))
        broken = [each.broken for each in chains if each.broken]
        problems += [f"audit of {each.organization}, event {each.sequence}: {each.why}" for each in broken]
        behind = clock.behind_ms(db, now)
    return Health(version=version, known=known, problems=tuple(problems), chains=chains, behind_ms=behind)


_HAS_AUDIT = 2
"""The version of the schema from which on there is an audit."""


def backup(folder: Path, target: Path, now: int, *, force: bool = False) -> Health:
    """Copy a store into one file, for its owner alone (0600), while others read and write; they do not wait for it.

    The copy is complete and checked before it has its name. Raises StoreError.
    """
    if target.exists() and not target.is_file():
        raise StoreError(f"{target} is no file; a backup is written to a file")
    if target.exists() and not force:
        raise StoreError(f"{target} is there already; name another file, or replace it with --force")
    with _reading(folder / NAME) as source, _beside(target) as made:
        _copy(source, made, target)
        health = check(made, now)
        if not health.is_intact:
            raise StoreError(
                f"nothing was written: the store is damaged ({health.problems[0]}); see `waypost store check`"
            )
        _to_disk(made)
        made.replace(target)
        _to_disk(target.parent)
    return health


def restore(source: Path, folder: Path, now: int, *, force: bool = False) -> Health:
    """Put a backup in the store's place. The backup is checked first, and what was there is kept beside it.

    Never while anything has the store open. Raises StoreError and StoreTooNew; then nothing has changed.
    """
    path = folder / NAME
    if path.exists() and path.stat().st_size and not force:
        raise StoreError(f"there is a store in {folder} already; --force replaces it and keeps the old one beside it")
    with _reading(source) as copy:
        health = _checked(copy, source, now)
        if not health.is_intact:
            raise StoreError(f"{source} is damaged ({health.problems[0]}); nothing was restored")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _beside(path) as made:
            _copy(copy, made, path)
            _to_disk(made)
            if path.exists():
                _set_aside(path)
            made.replace(path)
        _to_disk(folder)
    return health


def _copy(source: sqlite3.Connection, made: Path, target: Path) -> None:
    """A store as one file, with nothing beside it. Raises StoreError."""
    try:
        with closing(_plain(made)) as copy:
            source.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE").fetchone()
    except sqlite3.Error as fault:
        raise StoreError(f"cannot write {target}: {fault}") from None


def _set_aside(path: Path) -> None:
    """Rename a store that nobody uses. Raises StoreError where somebody does."""
    if path.stat().st_size:
        try:
            with closing(_plain(path)) as db:
                # Leaving WAL mode takes the file for oneself: whoever has it open, if only to read, keeps it.
                db.execute("PRAGMA journal_mode = DELETE").fetchone()
        except sqlite3.OperationalError:
            raise StoreError(f"{path} is in use; stop the service first") from None
        except sqlite3.DatabaseError:
            pass  # damaged beyond being opened: what better reason to restore
    path.replace(path.with_name(f"{NAME}.before-restore"))
    for suffix in ("-wal", "-shm"):
        path.with_name(NAME + suffix).unlink(missing_ok=True)


def export(db: sqlite3.Connection, now: int) -> Iterator[dict[str, Any]]:
    """Everything of a store as JSON values, one at a time, as it is at one moment; of secrets and hashes nothing."""
    db.execute("BEGIN")
    try:
        yield {"kind": "store", "version": schema_version(db), "exported_at": timestamp(now)}
        for kind, query in _EXPORTED.items():
            yield from ({"kind": kind} | each for each in _rows(db, query))
            if kind == "organization":
                yield from ({"kind": "key"} | keys.to_dict(each) for each in all_keys(db))
        for event in audit.all_events(db):
            yield {"kind": "audit_event"} | audit.to_dict(event)
    finally:
        db.execute("COMMIT")


_EXPORTED = {
    "organization": "SELECT id, name, created_at FROM organization ORDER BY number",
    "relationship": "SELECT * FROM relationship ORDER BY created_at, id",
    "relationship_claim": "SELECT * FROM relationship_claim ORDER BY at, relationship_id",
    "relationship_event": "SELECT * FROM relationship_event ORDER BY number",
    "decision": (
        "SELECT id, organization, environment, key_id, created_at, expires_at, normalized_domain, action, document"
        " FROM decision ORDER BY number"
    ),
    "dispute": "SELECT * FROM dispute ORDER BY number",
    "dispute_event": "SELECT * FROM dispute_event ORDER BY number",
    "snippet": "SELECT * FROM snippet ORDER BY number",
    "usage": "SELECT subject, policy, day, used FROM usage_day ORDER BY day, subject, policy",
}
_TIMES = {"at", "created_at", "expires_at", "changed_at", "reviewed_at", "review_expires_at"}
_DOCUMENTS = {"document", "decision", "unified", "snippet"}


def _rows(db: sqlite3.Connection, query: str) -> Iterator[dict[str, Any]]:
    found = db.execute(query)
    names = [each[0] for each in found.description]
    for row in found:
        yield {name: _value(name, value) for name, value in zip(names, row, strict=True) if value not in (None, "")}


def _value(name: str, value: Any) -> Any:
    if name in _TIMES:
        return timestamp(value)
    return msgspec.json.decode(value) if name in _DOCUMENTS else value


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A store or a copy of one, opened to read alone. Raises StoreError."""
    try:
        if not path.is_file():
            raise StoreError(f"there is no store at {path}")
        with closing(connect(path, "ro")) as db:
            yield db
    except sqlite3.Error as fault:
        raise StoreError(f"{path} cannot be read: {fault}") from None
    except OSError as fault:
        raise StoreError(f"{fault.filename or path}: {(fault.strerror or str(fault)).lower()}") from None


def _plain(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None, timeout=0)


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """An empty file for its owner alone, in the folder of what it will replace; gone if it does not."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")  # 0600 by itself
    os.close(handle)
    made = Path(name)
    try:
        yield made
    finally:
        made.unlink(missing_ok=True)


def _to_disk(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    with suppress(PermissionError):  # a folder cannot be opened on Windows
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
