"""Decisions, stored for the requesting organization. Of the URL only a keyed hash is stored."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec

from waypost.models.api_key import Environment
from waypost.store import clock, freezes
from waypost.store.engines import Connection
from waypost.store.errors import Unknown
from waypost.store.rows import Rows

# The time in which a decision can be read and disputed; what is older is treated as unknown even before it is deleted.
RETENTION_MS = 30 * 86_400_000


class DecisionRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Row of a decision.

    key_id     key of the request, or empty
    url_hmac   HMAC-SHA-256 of the canonical URL under the organization's secret
    document   JSON of the decision, with the optional members
    """

    id: str
    organization: str
    environment: Environment
    key_id: str
    created_at: int
    expires_at: int
    normalized_domain: str
    action: str
    url_hmac: bytes
    document: bytes


class StoredDecision(msgspec.Struct, frozen=True, kw_only=True):
    """Decision read from the store.

    frozen         the organization has frozen its actions: the allow counts as expired
    superseded_by  id of the latest decision on the same URL and action, or empty
    """

    record: DecisionRecord
    expired: bool
    frozen: bool = False
    superseded_by: str = ""

    @property
    def document(self) -> dict[str, Any]:
        return dict(msgspec.json.decode(self.record.document))


_RECORDS = Rows(DecisionRecord, document=str.encode)
_INTO = f"INSERT INTO decision ({_RECORDS.columns})"
_VALUES = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_ROWS_TOGETHER = 64
"""Rows of a statement. A statement releases the interpreter lock once, `executemany` once per row."""


def put(db: Connection, *given: DecisionRecord) -> None:
    """Insert decisions, in the transaction of the caller. Raises ClockBehind before the first row."""
    clock.check(db, min(row.created_at for row in given))
    for start in range(0, len(given), _ROWS_TOGETHER):
        some = given[start : start + _ROWS_TOGETHER]
        _run(db, _put(len(some)), _values(some))


def put_at_once(db: Connection, given: Sequence[DecisionRecord]) -> bool:
    """Insert decisions by a single statement. False: no row inserted, as too many or as the clock needs a check."""
    if len(given) > _ROWS_TOGETHER:
        return False
    oldest = min([row.created_at for row in given])
    return _run(db, _put_if_on_time(len(given)), [*_values(given), oldest]) == len(given)


def _run(db: Connection, statement: str, values: list[object]) -> int:
    """Number of rows that a statement inserted.

    `executemany` with a single row: `execute` also reads the number of the last row, and releases the interpreter
    lock to do so.
    """
    return db.executemany(statement, (values,)).rowcount


@cache
def _put(rows: int) -> str:
    return f"{_INTO} VALUES {', '.join([_VALUES] * rows)}"


@cache
def _put_if_on_time(rows: int) -> str:
    return f"{_INTO} SELECT * FROM (VALUES {', '.join([_VALUES] * rows)}) AS given WHERE {clock.ON_TIME}"  # noqa: S608 - constants


def _values(given: Sequence[DecisionRecord]) -> list[object]:
    values: list[object] = []
    for row in given:
        values += msgspec.structs.astuple(row)
        values[-1] = row.document.decode()
    return values


_OWN = (
    f"SELECT {_RECORDS.columns}, number FROM decision WHERE id = ? AND organization = ? AND created_at > ?"  # noqa: S608 - a constant
    " AND environment = ?"
)
_ANY = f"SELECT {_RECORDS.columns}, number FROM decision WHERE id = ? AND created_at > ?"  # noqa: S608 - a constant
# By number, not by time: two decisions of one millisecond have an order too.
_LATER = (
    "SELECT id FROM decision WHERE url_hmac = ? AND number > ? AND organization = ? AND environment = ? AND action = ?"
    " ORDER BY number DESC LIMIT 1"
)


def find(db: Connection, organization: str, name: str, now: int, environment: Environment = "live") -> StoredDecision:
    """Decision of an organization for keys of an environment. Raises Unknown, also for one older than RETENTION_MS."""
    return _found(db, db.execute(_OWN, (name, organization, now - RETENTION_MS, environment)).fetchone(), now)


def by_capability(db: Connection, name: str, now: int) -> StoredDecision:
    """Decision of any organization by id alone: the id is the secret in the address of a dispute. Raises Unknown."""
    return _found(db, db.execute(_ANY, (name, now - RETENTION_MS)).fetchone(), now)


def is_frozen(db: Connection, name: str, now: int) -> bool:
    """Whether the organization of a decision has frozen its actions; False for an unknown decision."""
    try:
        return by_capability(db, name, now).frozen
    except Unknown:
        return False


def _found(db: Connection, row: tuple[Any, ...] | None, now: int) -> StoredDecision:
    if row is None:
        raise Unknown("decision")
    given = _RECORDS.read(row)
    subject = (given.url_hmac, row[-1], given.organization, given.environment, given.action)
    later = db.execute(_LATER, subject).fetchone()
    # While a freeze is in force, no earlier allow counts.
    is_frozen = given.environment == "live" and freezes.find(db, given.organization) is not None
    is_over = now >= given.expires_at or is_frozen
    return StoredDecision(record=given, expired=is_over, frozen=is_frozen, superseded_by=later[0] if later else "")
