"""Mark of a store that was copied to a database: no process opens it for work again, unless the mark is removed.

Rows written after the copy would be missing in the database, and rows revoked there would be valid here.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec

from waypost.formats.text import timestamp
from waypost.store import audit, organizations, settings
from waypost.store.engines import Connection
from waypost.store.errors import StoreError

_NAME, _COPY = "copied_away", "copied_from"
_HAS_SETTINGS = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'setting'"


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """Copy of a store.

    to     the database, without its password
    at     milliseconds since 1970
    token  name of the copy, which the database holds too
    """

    to: str
    at: int
    token: str

    def __str__(self) -> str:
        return f"copied to {self.to} on {timestamp(self.at)[:10]}"


class CopiedAway(StoreError):
    """Store that was copied to a database."""

    def __init__(self, path: Path, mark: Mark) -> None:
        super().__init__(
            f"{path} was {mark}, where changes made here would be missing: use the database with --store; or, to use "
            f"this store and not the copy, run `waypost store copy --undo --data {path.parent}`"
        )


def put(source: sqlite3.Connection, mark: Mark) -> None:
    """Mark the store that was copied, in the transaction of the caller."""
    settings.put(source, _NAME, msgspec.json.encode(mark))


def put_in_copy(target: Connection, token: str) -> None:
    """Give a copy its name, in its transaction."""
    settings.put(target, _COPY, token.encode())


def token_of(target: Connection) -> str:
    """Name of the copy that a database holds; empty for none."""
    return (settings.find(target, _COPY) or b"").decode()


def find(db: sqlite3.Connection) -> Mark | None:
    """Mark of a store, of any version of its schema."""
    if not db.execute(_HAS_SETTINGS).fetchone()[0]:
        return None
    found = settings.find(db, _NAME)
    return msgspec.json.decode(found, type=Mark) if found else None


def check(db: sqlite3.Connection, path: Path) -> None:
    """Raises CopiedAway for a store with a mark."""
    if (mark := find(db)) is not None:
        raise CopiedAway(path, mark)


def unmark(db: Connection) -> None:
    """Remove the mark."""
    settings.remove(db, _NAME)


def undo(db: Connection, actor: str, now: int) -> Mark | None:
    """Remove the mark, recorded in the operator's audit. None where there was none. Runs inside `Store.write`."""
    assert isinstance(db, sqlite3.Connection)
    mark = find(db)
    if mark is not None:
        unmark(db)
        if operator := organizations.first(db):
            audit.append(db, operator.id, now, "store.copy_undone", actor, operator.id, to=mark.to)
    return mark
