"""Secrets and values of a store, by name."""

from __future__ import annotations

import secrets

from waypost.store.engines import Connection

_FIND = "SELECT value FROM setting WHERE name = ?"
_PUT = "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
_PUT_FIRST = "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING"


def find(db: Connection, name: str) -> bytes | None:
    row = db.execute(_FIND, (name,)).fetchone()
    return bytes(row[0]) if row else None


def put(db: Connection, name: str, value: bytes) -> None:
    db.execute(_PUT, (name, value))


def secret(db: Connection, name: str) -> bytes:
    """Secret of 32 bytes, made at the first call."""
    if (found := find(db, name)) is not None:
        return found
    db.execute(_PUT_FIRST, (name, secrets.token_bytes(32)))
    made = find(db, name)
    assert made is not None
    return made
