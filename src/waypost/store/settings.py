"""Secrets and values of a store, by name."""

from __future__ import annotations

import secrets

from waypost.store.engines import Connection
from waypost.store.wrapping import wrapping_of

_FIND = "SELECT value FROM setting WHERE name = ?"
_PUT = "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
_REMOVE = "DELETE FROM setting WHERE name = ?"
_PUT_FIRST = "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING"


def find(db: Connection, name: str) -> bytes | None:
    row = db.execute(_FIND, (name,)).fetchone()
    return bytes(row[0]) if row else None


def put(db: Connection, name: str, value: bytes) -> None:
    db.execute(_PUT, (name, value))


def remove(db: Connection, name: str) -> None:
    db.execute(_REMOVE, (name,))


WRAPPED = "secrets_wrapped"
"""Name of a value that is there once the secrets of a database are wrapped: from then on new ones are, too."""


def secret(db: Connection, name: str) -> bytes:
    """Secret of 32 bytes, made at the first call. Raises StoreError where it is wrapped and the key is missing."""
    if (found := find(db, name)) is None:
        made = secrets.token_bytes(32)
        db.execute(_PUT_FIRST, (name, wrapped(db, name, made)))
        found = find(db, name)
        assert found is not None
    return wrapping_of(db).unwrap(name, found)


def wrapped(db: Connection, name: str, value: bytes) -> bytes:
    """New secret as the database holds it: wrapped, where the others are.

    Until the last replica of a release without wrapping has ended they are not, and it could not read this one.
    """
    return wrapping_of(db).wrap(name, value) if find(db, WRAPPED) is not None else value
