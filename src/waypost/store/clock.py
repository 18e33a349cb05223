"""Guard against a clock set back, which would make expired records valid again.

The newest record in the store is the earliest time of a correct clock.
"""

from __future__ import annotations

from waypost.store import audit, organizations, settings
from waypost.store.engines import Connection
from waypost.store.errors import ClockBehind

SLACK_MS = 60_000
"""Milliseconds by which the clock may step back: as much as time servers correct at once."""
_TRUSTED = "clock_trusted"

_NEWEST_DECISION = "SELECT number, created_at FROM decision ORDER BY number DESC LIMIT 1"
_NEWEST_EVENT = "SELECT number, at FROM audit_event ORDER BY number DESC LIMIT 1"
_LATEST = (
    "SELECT max(ifnull((SELECT created_at FROM decision ORDER BY number DESC LIMIT 1), 0),"
    " ifnull((SELECT at FROM audit_event ORDER BY number DESC LIMIT 1), 0))"
)
ON_TIME = f"? >= ({_LATEST}) - {SLACK_MS}"
"""SQL condition: the bound time is not behind the records. If false, `check` decides, which skips trusted records."""


def check(db: Connection, now: int) -> None:
    """Raises ClockBehind if the clock is behind by more than SLACK_MS; the caller must not write then."""
    behind = behind_ms(db, now)
    if behind > SLACK_MS:
        raise ClockBehind(behind)


def behind_ms(db: Connection, now: int) -> int:
    """Milliseconds by which the newest record is later than `now`; 0 if no record is later."""
    latest: int = db.execute(_LATEST).fetchone()[0]
    behind = latest - now
    if behind <= SLACK_MS:
        return max(behind, 0)
    newest = [db.execute(query).fetchone() for query in (_NEWEST_DECISION, _NEWEST_EVENT)]
    trusted = _trusted(db)
    return max((row[1] - now for row, known in zip(newest, trusted, strict=True) if row and row[0] > known), default=0)


def trust(db: Connection, actor: str, now: int) -> int:
    """Trust the clock from now on: the records until now were written by a wrong clock.

    Returns the milliseconds by which the clock was behind. Recorded in the operator's audit.
    """
    behind = behind_ms(db, now)
    newest = [db.execute(query).fetchone() for query in (_NEWEST_DECISION, _NEWEST_EVENT)]
    settings.put(db, _TRUSTED, " ".join(str(row[0] if row else 0) for row in newest).encode())
    if operator := organizations.first(db):
        audit.append(db, operator.id, now, "store.clock_trusted", actor, operator.id, behind_ms=str(behind))
    return behind


def _trusted(db: Connection) -> tuple[int, int]:
    decision, event = (settings.find(db, _TRUSTED) or b"0 0").split()
    return int(decision), int(event)
