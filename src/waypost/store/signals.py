"""Signals against destinations until their expiry, shared by the processes of a service.

Of a destination only scheme, host and port are stored, or the registered domain.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from waypost.models.decision import Evidence
from waypost.models.observation import StoredSignal
from waypost.store.engines import Connection

MOST = 65_536
"""Most signals; the oldest go first."""


_PUT = "INSERT INTO observed_signal (subject, id, valid_until, evidence) VALUES (?, ?, ?, ?)"
_DROP = "DELETE FROM observed_signal WHERE subject = ? AND id = ?"
_TRIM = "DELETE FROM observed_signal WHERE number <= (SELECT max(number) FROM observed_signal) - ?"


def write(db: Connection, signals: Sequence[StoredSignal]) -> None:
    """Store signals, and delete those that are gone."""
    for subject, name, evidence in signals:
        key = " ".join(subject)
        db.execute(_DROP, (key, name))  # a signal that is stored again gets a number of its own
        if evidence is not None:
            db.execute(_PUT, (key, name, evidence.valid_until or 0, msgspec.json.encode(evidence).decode()))
    db.execute(_TRIM, (MOST,))


_SINCE = (
    "SELECT number, subject, id, evidence FROM observed_signal WHERE number > ? AND valid_until > ? ORDER BY number"
)


def since(db: Connection, number: int, now: int) -> tuple[int, tuple[StoredSignal, ...]]:
    """Number of the latest signal, and the signals after `number` that have not expired."""
    rows = db.execute(_SINCE, (number, now)).fetchall()
    found = tuple(
        StoredSignal(tuple(subject.split(" ")), name, msgspec.json.decode(text, type=Evidence))
        for _, subject, name, text in rows
    )
    return (rows[-1][0] if rows else number), found
