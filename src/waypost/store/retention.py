"""Deletion of rows past retention. A service calls `sweep` regularly, until `more` is false."""

from __future__ import annotations

from typing import NamedTuple

from waypost.store import decisions, idempotency
from waypost.store.engines import Connection

MOST_AT_ONCE = 1000
"""Rows deleted per table in a transaction, which bounds the wait of further writes."""


class Swept(NamedTuple):
    """Numbers of deleted rows. `more`: further rows are due."""

    decisions: int
    answers: int
    links: int
    sessions: int
    signals: int = 0

    @property
    def more(self) -> bool:
        return max(self) >= MOST_AT_ONCE


# Decisions are numbered in order of arrival, so that the oldest rows are enough.
_OLDEST = "SELECT number, created_at FROM decision ORDER BY number LIMIT ?"
_DECISIONS = "DELETE FROM decision WHERE number = ?"
_ANSWERS = "SELECT organization, api_key, token FROM idempotency WHERE created_at <= ? ORDER BY created_at LIMIT ?"
_ANSWER = "DELETE FROM idempotency WHERE organization = ? AND api_key = ? AND token = ?"
_LINKS = "SELECT sha256 FROM login_link WHERE expires_at <= ? LIMIT ?"
_LINK = "DELETE FROM login_link WHERE sha256 = ?"
_SESSIONS = "SELECT sha256 FROM session WHERE expires_at <= ? LIMIT ?"
_SESSION = "DELETE FROM session WHERE sha256 = ?"
_SIGNALS = "SELECT number FROM observed_signal WHERE valid_until <= ? LIMIT ?"
_SIGNAL = "DELETE FROM observed_signal WHERE number = ?"


def sweep(db: Connection, now: int) -> Swept:
    """Delete rows past retention, at most MOST_AT_ONCE per table. Runs inside `Store.write`."""
    ends = now - decisions.RETENTION_MS
    old = [(number,) for number, at in db.execute(_OLDEST, (MOST_AT_ONCE,)).fetchall() if at <= ends]
    db.executemany(_DECISIONS, old)
    return Swept(
        len(old),
        _delete(db, _ANSWERS, _ANSWER, now - idempotency.RETENTION_MS),
        _delete(db, _LINKS, _LINK, now),
        _delete(db, _SESSIONS, _SESSION, now),
        _delete(db, _SIGNALS, _SIGNAL, now),
    )


def _delete(db: Connection, which: str, delete: str, until: int) -> int:
    rows = db.execute(which, (until, MOST_AT_ONCE)).fetchall()
    db.executemany(delete, rows)
    return len(rows)
