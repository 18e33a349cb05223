"""Maintenance of the store: check, backup, restore, export."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, overload

import msgspec

from waypost.formats.text import timestamp
from waypost.models import api_key as keys
from waypost.store import audit, clock, copy_mark, disputes, heads, organizations
from waypost.store.audit import Chain
from waypost.store.engines import Connection, is_sqlite
from waypost.store.engines.postgres import without_password
from waypost.store.engines.sqlite import connect
from waypost.store.errors import StoreError, StoreTooNew
from waypost.store.folder import NAME
from waypost.store.heads import Head, Heads, HeadsInvalid
from waypost.store.keys import all_keys
from waypost.store.open import HAS_AUDIT, MIGRATIONS, numbered, schema_version

MAX_PROBLEMS = 20


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """Result of a check.

    version, known  version of the schema, and newest version known to the running waypost
    problems        descriptions of damage; empty for an intact store
    chains          result of the audit check by organization
    behind_ms       milliseconds by which the newest record is later than the clock
    copied          copy that the store was left for: "copied to ... on ..."; empty for a store in use
    """

    version: int
    known: int
    problems: tuple[str, ...]
    chains: tuple[Chain, ...]
    behind_ms: int
    copied: str = ""

    @property
    def is_intact(self) -> bool:
        return not self.problems


def check(path: Path | str, now: int, anchor: Sequence[Head] = ()) -> Health:
    """Check every page of a store and every audit chain, read-only. Raises StoreError and StoreTooNew.

    path    file, or address of a database, whose own pages are left to the database
    anchor  heads stored elsewhere, which the chains must reach
    """
    if isinstance(path, str):
        with _reading(path) as db:
            return _with_anchor(db, _checked(db, without_password(path), now), anchor)
    with _reading(path) as db:
        # Before the chains: what the service adds meanwhile may be in the chains, and not only in the file.
        signed, invalid = _signed_heads(db, path.parent) if path.name == NAME else ({}, [])
        health = _checked(db, path, now)
        if health.version >= HAS_AUDIT:
            invalid += heads.without_events(db)
            invalid += heads.missing(db, signed.values(), heads.FILE)
            invalid += heads.missing(db, anchor, "the anchor")
        return msgspec.structs.replace(health, problems=(*health.problems, *invalid))


def _with_anchor(db: Connection, health: Health, anchor: Sequence[Head]) -> Health:
    invalid = [*heads.without_events(db), *heads.missing(db, anchor, "the anchor")]
    return msgspec.structs.replace(health, problems=(*health.problems, *invalid))


def _signed_heads(db: Connection, folder: Path) -> tuple[dict[str, Head], list[str]]:
    """Heads in the file next to a store, or the reason why there are none."""
    if schema_version(db) < HAS_AUDIT:
        return {}, []
    try:
        return Heads(folder).read(db), []
    except HeadsInvalid as error:
        return {}, [f"audit heads: {error}; see `waypost store trust-audit`"]


def anchor(path: Path | str) -> list[Head]:
    """Heads of the chains of a store, to be stored elsewhere. Raises StoreError for a broken chain."""
    with _reading(path) as db:
        if schema_version(db) < HAS_AUDIT:
            return []
        broken = next((chain.broken for chain in audit.verify(db) if chain.broken), None)
        if broken:
            raise StoreError(f"the audit of {broken.organization} is broken; see `waypost store check`")
        return list(heads.found(db))


def trust_audit(db: Connection, folder: Path, actor: str, now: int) -> int:
    """Sign the chains as they are, after a loss that was looked into. Returns the number of chains.

    Recorded in the operator's audit. Runs in a transaction. Raises StoreError and OSError.
    """
    if operator := organizations.first(db):
        audit.append(db, operator.id, now, "store.audit_trusted", actor, operator.id)
    Heads(folder).seal(db)
    return len(list(heads.found(db)))


def _checked(db: Connection, path: Path | str, now: int) -> Health:
    version, known = schema_version(db), max(numbered(MIGRATIONS))
    if not version:
        raise StoreError(f"{path} is not a waypost store")
    if version > known:
        raise StoreTooNew(str(path), version, known)
    problems = list(_file_problems(db)) if is_sqlite(db) else []
    chains: tuple[Chain, ...] = ()
    behind = 0
    if version >= HAS_AUDIT:
        chains = tuple(audit.verify(db))
        broken = [chain.broken for chain in chains if chain.broken]
        problems += [f"audit of {event.organization}, event {event.sequence}: {event.why}" for event in broken]
        behind = clock.behind_ms(db, now)
    mark = copy_mark.find(db) if isinstance(db, sqlite3.Connection) else None
    return Health(
        version=version,
        known=known,
        problems=tuple(problems),
        chains=chains,
        behind_ms=behind,
        copied=str(mark) if mark else "",
    )


def _file_problems(db: Connection) -> Iterator[str]:
    """Damage of SQLite's file, and rows whose references lead nowhere."""
    for (line,) in db.execute(f"PRAGMA integrity_check({MAX_PROBLEMS})"):
        if line != "ok":
            yield f"integrity: {line}"
    for table, row, parent, _ in db.execute("PRAGMA foreign_key_check").fetchall()[:MAX_PROBLEMS]:
        yield f"{table}, row {row}: what it refers to in {parent} is missing"


def backup(folder: Path, target: Path, now: int, *, force: bool = False) -> Health:
    """Copy a store into a file of mode 0600. Readers and writers are not blocked meanwhile.

    The copy is complete and checked before the rename to `target`. Raises StoreError.
    """
    if target.exists() and not target.is_file():
        raise StoreError(f"{target} is not a file; a backup is written to a file")
    if target.exists() and not force:
        raise StoreError(f"{target} is there already; name another file, or replace it with --force")
    with _reading(folder / NAME) as source, _temporary_file(target) as made:
        _copy(source, made, target)
        health = check(made, now)
        if not health.is_intact:
            raise StoreError(
                f"nothing was written: the store is damaged ({health.problems[0]}); see `waypost store check`"
            )
        # Content first, then the name: after a power cut the name leads to a complete copy or to the old file.
        _to_disk(made)
        made.replace(target)
        _to_disk(target.parent)
    return health


def restore(source: Path, folder: Path, now: int, *, force: bool = False) -> Health:
    """Replace the store by a backup, which is checked first. The old file is renamed, not deleted.

    No process may have the store open. Raises StoreError, StoreTooNew, and CopiedAway for a store that was copied to a
    database: what was written there would be missing. Then the store is unchanged.
    """
    path = folder / NAME
    if path.exists() and path.stat().st_size and not force:
        raise StoreError(f"there is a store in {folder} already; --force replaces it and keeps the old one next to it")
    with _reading(source) as copy:
        health = _checked(copy, source, now)
        if not health.is_intact:
            raise StoreError(f"{source} is damaged ({health.problems[0]}); nothing was restored")
        _check_mark(path)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _temporary_file(path) as made:
            _copy(copy, made, path)
            _to_disk(made)
            if path.exists():
                _set_aside(path)
                _set_heads_aside(folder)
            made.replace(path)
        if health.version >= HAS_AUDIT:
            # The heads in the folder were those of the store that is replaced.
            Heads(folder).seal(copy)
        _to_disk(folder)
    return health


def _copy(source: sqlite3.Connection, made: Path, target: Path) -> None:
    """Copy a store to a single file, without a log. Raises StoreError."""
    try:
        with closing(_plain(made)) as copy:
            source.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE").fetchone()
    except sqlite3.Error as error:
        raise StoreError(f"cannot write {target}: {error}") from None


def _check_mark(path: Path) -> None:
    """Raises CopiedAway for a store that was copied away; one that cannot be read has no mark."""
    if path.is_file():
        with suppress(sqlite3.Error), closing(connect(path, "ro")) as db:
            copy_mark.check(db, path)


def _set_heads_aside(folder: Path) -> None:
    file = folder / heads.FILE
    if file.exists():
        file.replace(file.with_name(f"{heads.FILE}.before-restore"))


def _set_aside(path: Path) -> None:
    """Rename a store. Raises StoreError if a process has the store open."""
    if path.stat().st_size:
        try:
            with closing(_plain(path)) as db:
                # Leaving WAL mode needs an exclusive lock: it fails while another connection is open.
                db.execute("PRAGMA journal_mode = DELETE").fetchone()
        except sqlite3.OperationalError:
            raise StoreError(f"{path} is in use; stop the service first") from None
        except sqlite3.DatabaseError:
            pass  # too damaged to be opened, which is a reason to restore
    path.replace(path.with_name(f"{NAME}.before-restore"))
    # A log left behind would be replayed into the restored file (sqlite.org/howtocorrupt.html, 1.4).
    for suffix in ("-wal", "-shm"):
        path.with_name(NAME + suffix).unlink(missing_ok=True)


def export(db: Connection, now: int) -> Generator[dict[str, Any], None, None]:
    """Rows of a store as JSON values, from a single snapshot, without secrets and hashes."""
    if not is_sqlite(db):
        # An export of everything may take longer than the few seconds of a request.
        db.execute("SET statement_timeout = 0")
    db.execute("BEGIN")
    try:
        yield {"kind": "store", "version": schema_version(db), "exported_at": timestamp(now)}
        for kind, query in _EXPORTED.items():
            yield from ({"kind": kind} | row for row in _rows(db, query))
            if kind == "organization":
                yield from ({"kind": "key"} | keys.to_dict(key) for key in all_keys(db))
        for event in audit.all_events(db):
            yield {"kind": "audit_event"} | audit.to_dict(event)
    finally:
        db.execute("COMMIT")


_EXPORTED = {
    "organization": "SELECT id, name, created_at FROM organization ORDER BY number",
    "relationship": "SELECT * FROM relationship ORDER BY created_at, id",
    "relationship_claim": (
        "SELECT relationship_id, submitter, origin, source, snapshot, evidence, at, claimant FROM relationship_claim"
        " ORDER BY at, relationship_id"
    ),
    "relationship_event": "SELECT * FROM relationship_event ORDER BY number",
    "ownership_snapshot": "SELECT * FROM ownership_snapshot ORDER BY number",
    "ownership_doubt": "SELECT * FROM ownership_doubt ORDER BY created_at, id",
    "decision": (
        "SELECT id, organization, environment, key_id, created_at, expires_at, normalized_domain, action, document"
        " FROM decision ORDER BY number"
    ),
    "dispute": f"SELECT {disputes.COLUMNS} FROM dispute ORDER BY number",  # noqa: S608 - a constant
    "disputed_host": "SELECT * FROM disputed_host ORDER BY since, dispute_id",
    "dispute_event": "SELECT * FROM dispute_event ORDER BY number",
    "snippet": "SELECT * FROM snippet ORDER BY number",
    "usage": "SELECT subject, policy, day, used FROM usage_day ORDER BY day, subject, policy",
}
_TIMES = {"at", "since", "ended_at", "created_at", "expires_at", "changed_at", "reviewed_at", "review_expires_at"}
_DOCUMENTS = {"document", "decision", "unified", "snippet", "facts", "reviewed", "observed"}


def _rows(db: Connection, query: str) -> Iterator[dict[str, Any]]:
    found = db.execute(query)
    names = [column[0] for column in found.description]
    for row in found:
        yield {name: _value(name, value) for name, value in zip(names, row, strict=True) if value not in (None, "")}


def _value(name: str, value: Any) -> Any:
    if name in _TIMES:
        return timestamp(value)
    return msgspec.json.decode(value) if name in _DOCUMENTS else value


@overload
def _reading(path: Path) -> AbstractContextManager[sqlite3.Connection]: ...
@overload
def _reading(path: Path | str) -> AbstractContextManager[Connection]: ...
def _reading(path: Path | str) -> AbstractContextManager[Any]:
    """Read-only connection to a store or a backup, or a snapshot of a database. Raises StoreError."""
    return _snapshot_of(path) if isinstance(path, str) else _reading_file(path)


@contextmanager
def _snapshot_of(address: str) -> Iterator[Connection]:
    from waypost.store.engines.postgres import PostgresEngine, summary

    engine = PostgresEngine(address)
    db = engine.reading()
    try:
        db.execute("SET statement_timeout = 0")
        db.execute("BEGIN")
        yield db
    except engine.error as error:
        raise StoreError(f"{engine.name} cannot be read: {summary(error)}") from None
    finally:
        db.close()
        engine.close()


@contextmanager
def _reading_file(path: Path) -> Iterator[sqlite3.Connection]:
    try:
        if not path.is_file():
            raise StoreError(f"there is no store at {path}")
        with closing(connect(path, "ro")) as db:
            yield db
    except sqlite3.Error as error:
        raise StoreError(f"{path} cannot be read: {error}") from None
    except OSError as error:
        raise StoreError(f"{error.filename or path}: {(error.strerror or str(error)).lower()}") from None


def _plain(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None, timeout=0)


@contextmanager
def _temporary_file(target: Path) -> Iterator[Path]:
    """Empty file of mode 0600 in the folder of `target`; deleted at the end unless renamed."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")  # 0600 by itself
    os.close(handle)
    made = Path(name)
    try:
        yield made
    finally:
        made.unlink(missing_ok=True)


def _to_disk(path: Path) -> None:
    """Sync a file or a folder to the disk."""
    with suppress(PermissionError):  # a folder cannot be opened on Windows
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
