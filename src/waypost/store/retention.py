"""Deletion of rows past retention, in slices of some milliseconds, so that other writes hardly wait.

A service runs a `Sweeper` regularly. The commit of a slice takes longer than its deletions, since each old decision is
on a page of its own in the index of URLs; the number of rows of a slice therefore follows the time that the slices
before took, commit included.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from typing import NamedTuple

from waypost.store import decisions, idempotency, settings
from waypost.store.engines import Connection
from waypost.store.usage import DAY_MS, RETENTION_DAYS

SLICE_S = 0.01
"""Seconds of a slice, its commit included."""
SHARE = 1 / 40
"""Share of the time in which rows are deleted: fewer than one write in twenty then meets a slice."""
PATIENCE_S = 6 * 3600.0
"""Seconds after which the share doubles, again each hour, until nothing is left: more rows come than are deleted."""
MOST_SHARE = 0.5
LEAST_PAUSE_S = 0.02
FIRST_ROWS, LEAST_ROWS, MOST_ROWS = 32, 32, 2000
BATCH = 16
"""Rows of a statement."""
LEASE_MS = 30_000
"""Milliseconds after its last slice for which a sweeper is the only one; others leave the work to it."""
_HOLDER = "retention"


class Swept(NamedTuple):
    """Numbers of deleted rows. `more`: further rows may be due."""

    decisions: int
    answers: int
    links: int
    sessions: int
    signals: int = 0
    usage: int = 0
    more: bool = False


# Decisions are numbered in order of arrival, so that the oldest rows are enough.
_DECISIONS = (
    "DELETE FROM decision WHERE number IN (SELECT number FROM"
    " (SELECT number, created_at FROM decision ORDER BY number LIMIT 1000) AS oldest WHERE created_at <= ? LIMIT ?)"
)
_ANSWERS = (
    "DELETE FROM idempotency WHERE (organization, api_key, token) IN (SELECT organization, api_key, token"
    " FROM idempotency WHERE created_at <= ? ORDER BY created_at LIMIT ?)"
)
_LINKS = "DELETE FROM login_link WHERE sha256 IN (SELECT sha256 FROM login_link WHERE expires_at <= ? LIMIT ?)"
_SESSIONS = "DELETE FROM session WHERE sha256 IN (SELECT sha256 FROM session WHERE expires_at <= ? LIMIT ?)"
_SIGNALS = (
    "DELETE FROM observed_signal WHERE number IN (SELECT number FROM observed_signal WHERE valid_until <= ? LIMIT ?)"
)
_USAGE = (
    "DELETE FROM usage_slot WHERE (subject, policy, counts_until) IN (SELECT subject, policy, counts_until"
    " FROM usage_slot WHERE counts_until <= ? ORDER BY counts_until LIMIT ?)"
)
_USAGE_DAYS = (
    "DELETE FROM usage_day WHERE (subject, policy, day) IN (SELECT subject, policy, day"
    " FROM usage_day WHERE day <= ? ORDER BY day LIMIT ?)"
)
_KINDS: tuple[tuple[str, str, Callable[[int], int]], ...] = (
    ("decisions", _DECISIONS, lambda now: now - decisions.RETENTION_MS),
    ("answers", _ANSWERS, lambda now: now - idempotency.RETENTION_MS),
    ("links", _LINKS, lambda now: now),
    ("sessions", _SESSIONS, lambda now: now),
    ("signals", _SIGNALS, lambda now: now),
    ("usage", _USAGE, lambda now: now),
    ("usage", _USAGE_DAYS, lambda now: now // DAY_MS - RETENTION_DAYS - 1),
)
"""Member of Swept, statement, and the newest time that is past retention."""


def sweep(db: Connection, now: int, rows: int = MOST_ROWS) -> Swept:
    """Delete a batch of each kind past retention, then more: about `rows` in all, or what half a slice allows.

    Runs inside `Store.write`.
    """
    until = time.perf_counter() + SLICE_S / 2
    counts = dict.fromkeys(Swept._fields[:-1], 0)
    open_kinds = list(_KINDS)
    tries = deleted = 0
    # A batch of each kind after the other: a flood of one must not keep the others for ever.
    while open_kinds and (tries < len(_KINDS) or (deleted < rows and time.perf_counter() < until)):
        tries += 1
        kind, statement, newest = open_kinds.pop(0)
        count = db.execute(statement, (newest(now), BATCH)).rowcount
        counts[kind] += count
        deleted += count
        if count == BATCH:
            open_kinds.append((kind, statement, newest))
    return Swept(**counts, more=bool(open_kinds))


class Sweeper:
    """Sweep of a service, slice by slice, with pauses between them. A single sweeper of all processes works."""

    def __init__(self) -> None:
        self.rows = FIRST_ROWS
        self._name = secrets.token_hex(8)
        self._first = self._began = time.perf_counter()

    def slice(self, db: Connection, now: int) -> Swept:
        """Result of a slice; nothing where another process sweeps. Runs inside `Store.write`."""
        self._began = time.perf_counter()
        holder, _, until = (settings.find(db, _HOLDER) or b"").decode().partition(" ")
        if holder != self._name and int(until or 0) > now and int(until) <= now + LEASE_MS:
            return Swept(0, 0, 0, 0)
        swept = sweep(db, now, self.rows)
        until = str(now + LEASE_MS) if swept.more else "0"
        if swept.more or holder == self._name:
            settings.put(db, _HOLDER, f"{self._name} {until}".encode())
        return swept

    def pause_s(self) -> float:
        """Seconds until the next slice. Call right after the commit of the last one, which it measures."""
        now = time.perf_counter()
        took = now - self._began
        factor = min(max(SLICE_S / max(took, 1e-6), 0.5), 1.5)
        self.rows = round(min(max(self.rows * factor, LEAST_ROWS), MOST_ROWS))
        hours_late = max(now - self._first - PATIENCE_S, 0) / 3600
        share = min(SHARE * 2**hours_late, MOST_SHARE)
        return max(took / share, LEAST_PAUSE_S)
