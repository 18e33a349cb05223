"""Who has keys: organizations. The first is the operator's and reviews what holds for all."""

from __future__ import annotations

import secrets
import sqlite3
import unicodedata

import msgspec

from waypost.formats.ids import new_id
from waypost.store import audit
from waypost.store.errors import Conflict, Unknown

MOST_NAME = 120


class Organization(msgspec.Struct, frozen=True, kw_only=True):
    """`created_at` is milliseconds since 1970, UTC."""

    id: str
    name: str
    created_at: int


_CREATE = (
    "INSERT INTO organization (id, name, folded_name, created_at, url_secret) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (folded_name) DO NOTHING"
)


def create(db: sqlite3.Connection, name: str, actor: str, now: int) -> Organization:
    """Raises Conflict where the name is taken, whatever its letter case, or is no name."""
    name = unicodedata.normalize("NFC", name.strip())
    if not name or len(name) > MOST_NAME or not name.isprintable():
        raise Conflict(f"an organization's name is 1 to {MOST_NAME} printable characters")
    made = Organization(id=new_id(), name=name, created_at=now)
    row = (made.id, name, _folded(name), now, secrets.token_bytes(32))
    if not db.execute(_CREATE, row).rowcount:
        raise Conflict(f"there is an organization {name!r} already")
    audit.append(db, made.id, now, "organization.created", actor, made.id, name=name)
    return made


_COLUMNS = "id, name, created_at"
_FIND = f"SELECT {_COLUMNS} FROM organization WHERE id = ?"  # noqa: S608 - a constant
_NAMED = f"SELECT {_COLUMNS} FROM organization WHERE id = ? OR folded_name = ?"  # noqa: S608 - a constant
_FIRST = f"SELECT {_COLUMNS} FROM organization ORDER BY number LIMIT 1"  # noqa: S608 - a constant
_LISTED = f"SELECT {_COLUMNS} FROM organization ORDER BY number"  # noqa: S608 - a constant
_KEYED_BY = "SELECT url_secret FROM organization WHERE id = ?"


def find(db: sqlite3.Connection, name: str) -> Organization | None:
    """The organization of this id."""
    return _one(db.execute(_FIND, (name,)).fetchone())


def named(db: sqlite3.Connection, text: str) -> Organization:
    """The organization of this id or name, for people. Raises Unknown."""
    found = _one(db.execute(_NAMED, (text, _folded(text.strip()))).fetchone())
    if found is None:
        raise Unknown("organization")
    return found


def first(db: sqlite3.Connection) -> Organization | None:
    """The operator's organization; none in a new store."""
    return _one(db.execute(_FIRST).fetchone())


def is_operator(db: sqlite3.Connection, organization: str) -> bool:
    found = first(db)
    return found is not None and found.id == organization


def find_all(db: sqlite3.Connection) -> list[Organization]:
    """All of them, in the order in which they were made. For the operator alone."""
    return [made for row in db.execute(_LISTED) if (made := _one(row))]


def url_secret(db: sqlite3.Connection, organization: str) -> bytes:
    """What keys the hashes of the URLs that an organization asked about. Raises Unknown."""
    row = db.execute(_KEYED_BY, (organization,)).fetchone()
    if row is None:
        raise Unknown("organization")
    return bytes(row[0])


def _one(row: tuple[str, str, int] | None) -> Organization | None:
    return Organization(id=row[0], name=row[1], created_at=row[2]) if row else None


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()
