"""Decisions as they were given, for the organization that asked. Of the URL there is a keyed hash and no more."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec

from waypost.models.api_key import Environment
from waypost.store import clock
from waypost.store.errors import Unknown

RETENTION_MS = 30 * 86_400_000


class DecisionRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A decision as it is kept.

    key_id     the key that asked, or empty
    url_hmac   HMAC-SHA-256 of the canonical URL under the organization's secret
    document   the decision as it goes out, with everything that can be included, in JSON
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
    """A decision that was asked for again. `superseded_by` is a later one about the same URL and action, or empty."""

    record: DecisionRecord
    expired: bool
    superseded_by: str = ""

    @property
    def document(self) -> dict[str, Any]:
        return dict(msgspec.json.decode(self.record.document))


_INTO = (
    "INSERT INTO decision (id, organization, environment, key_id, created_at, expires_at, normalized_domain, action,"
    " url_hmac, document)"
)
_VALUES = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_ROWS_TOGETHER = 64
"""Rows of one statement: it gives the interpreter to other threads once, where `executemany` does so at every row."""


def put(db: sqlite3.Connection, *given: DecisionRecord) -> None:
    """Keep decisions, all or none of them. Raises ClockBehind."""
    clock.check(db, min(each.created_at for each in given))
    for start in range(0, len(given), _ROWS_TOGETHER):
        some = given[start : start + _ROWS_TOGETHER]
        _run(db, _put(len(some)), _values(some))


def put_at_once(db: sqlite3.Connection, given: Sequence[DecisionRecord]) -> bool:
    """The same by one statement, if one can do it: they are few enough, and nothing speaks against the clock."""
    if len(given) > _ROWS_TOGETHER:
        return False
    oldest = min([each.created_at for each in given])
    return _run(db, _put_if_on_time(len(given)), [*_values(given), oldest]) == len(given)


def _run(db: sqlite3.Connection, statement: str, values: list[object]) -> int:
    """How many rows a statement has put down.

    `execute` would ask for the last row's number too, and give the interpreter to other threads for that.
    """
    return db.executemany(statement, (values,)).rowcount


@cache
def _put(rows: int) -> str:
    return f"{_INTO} VALUES {', '.join([_VALUES] * rows)}"


@cache
def _put_if_on_time(rows: int) -> str:
    return f"{_INTO} SELECT * FROM (VALUES {', '.join([_VALUES] * rows)}) WHERE {clock.ON_TIME}"  # noqa: S608 - constants


def _values(given: Sequence[DecisionRecord]) -> list[object]:
    values: list[object] = []
    for each in given:
        values += msgspec.structs.astuple(each)
        values[-1] = each.document.decode()
    return values


_COLUMNS = (
    "id, organization, environment, key_id, created_at, expires_at, normalized_domain, action, url_hmac, document"
)
_OWN = f"SELECT {_COLUMNS}, number FROM decision WHERE id = ? AND organization = ? AND created_at > ?"  # noqa: S608 - a constant
_ANY = f"SELECT {_COLUMNS}, number FROM decision WHERE id = ? AND created_at > ?"  # noqa: S608 - a constant
_LATER = (
    "SELECT id FROM decision WHERE url_hmac = ? AND number > ? AND organization = ? AND environment = ? AND action = ?"
    " ORDER BY number DESC LIMIT 1"
)


def find(db: sqlite3.Connection, organization: str, name: str, now: int) -> StoredDecision:
    """An organization's own decision. Raises Unknown, also for what is older than it is kept."""
    return _found(db, db.execute(_OWN, (name, organization, now - RETENTION_MS)).fetchone(), now)


def by_capability(db: sqlite3.Connection, name: str, now: int) -> StoredDecision:
    """A decision of whichever organization, for whoever knows its id: that is what a dispute's address holds.

    Raises Unknown.
    """
    return _found(db, db.execute(_ANY, (name, now - RETENTION_MS)).fetchone(), now)


def _found(db: sqlite3.Connection, row: tuple[Any, ...] | None, now: int) -> StoredDecision:
    if row is None:
        raise Unknown("decision")
    *values, number = row
    fields = dict(zip(DecisionRecord.__struct_fields__, values, strict=True))
    given = DecisionRecord(**(fields | {"document": fields["document"].encode()}))
    asked = (given.url_hmac, number, given.organization, given.environment, given.action)
    later = db.execute(_LATER, asked).fetchone()
    return StoredDecision(record=given, expired=now >= given.expires_at, superseded_by=later[0] if later else "")
