"""What is kept for a time only, and goes when it is over. A service calls this now and then, until nothing is left."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from waypost.store import decisions, idempotency

MOST_AT_ONCE = 1000
"""Rows of each kind in one transaction: nobody who writes waits for longer than these take."""


class Swept(NamedTuple):
    """How many rows went. `more`: there are further ones."""

    decisions: int
    answers: int
    links: int
    sessions: int

    @property
    def more(self) -> bool:
        return max(self) >= MOST_AT_ONCE


# Decisions stand in the order in which they came: the oldest are looked at, and no further.
_OLDEST = "SELECT number, created_at FROM decision ORDER BY number LIMIT ?"
_DECISIONS = "DELETE FROM decision WHERE number = ?"
_ANSWERS = "SELECT organization, token FROM idempotency WHERE created_at <= ? ORDER BY created_at LIMIT ?"
_ANSWER = "DELETE FROM idempotency WHERE organization = ? AND token = ?"
_LINKS = "SELECT sha256 FROM login_link WHERE expires_at <= ? LIMIT ?"
_LINK = "DELETE FROM login_link WHERE sha256 = ?"
_SESSIONS = "SELECT sha256 FROM session WHERE expires_at <= ? LIMIT ?"
_SESSION = "DELETE FROM session WHERE sha256 = ?"


def sweep(db: sqlite3.Connection, now: int) -> Swept:
    """Take away what is past its time, a bounded number of rows; wants to run inside `Store.write`."""
    ends = now - decisions.RETENTION_MS
    old = [(number,) for number, at in db.execute(_OLDEST, (MOST_AT_ONCE,)).fetchall() if at <= ends]
    db.executemany(_DECISIONS, old)
    return Swept(
        len(old),
        _delete(db, _ANSWERS, _ANSWER, now - idempotency.RETENTION_MS),
        _delete(db, _LINKS, _LINK, now),
        _delete(db, _SESSIONS, _SESSION, now),
    )


def _delete(db: sqlite3.Connection, which: str, delete: str, until: int) -> int:
    rows = db.execute(which, (until, MOST_AT_ONCE)).fetchall()
    db.executemany(delete, rows)
    return len(rows)
