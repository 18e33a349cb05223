"""Stored responses by API key and Idempotency-Key, for a day (draft-ietf-httpapi-idempotency-key-header-07).

Work in a single transaction calls `begin` and `finish` inside the transaction; longer work calls them in two
transactions, and `forget` after a failure. The text of a new key is never stored: pass the body without it.
"""

from __future__ import annotations

import msgspec

from waypost.store.engines import Connection
from waypost.store.errors import IdempotencyInProgress, IdempotencyMismatch

RETENTION_MS = 86_400_000
GIVEN_UP_MS = 60_000
"""Age at which a request in progress counts as abandoned: the process has probably ended."""


class StoredResponse(msgspec.Struct, frozen=True, kw_only=True):
    """Stored response to a request."""

    status: int
    location: str
    body: bytes


_ROW = " WHERE organization = ? AND api_key = ? AND token = ?"
_FIND = f"SELECT fingerprint, created_at, status, location, body FROM idempotency{_ROW}"  # noqa: S608 - a constant
_BEGIN = (
    "INSERT INTO idempotency (organization, api_key, token, fingerprint, created_at, location, body)"
    " VALUES (?, ?, ?, ?, ?, '', '')"
)
_FINISH = f"UPDATE idempotency SET status = ?, location = ?, body = ?{_ROW} AND status IS NULL"  # noqa: S608 - a constant
_FORGET = f"DELETE FROM idempotency{_ROW}"  # noqa: S608 - a constant


def begin(
    db: Connection, organization: str, key: str, token: str, fingerprint: bytes, now: int
) -> StoredResponse | None:
    """Stored response to a request; None if the caller has to do the work.

    key          id of the API key: another key's answers are never repeated
    fingerprint  hash of the request: method, endpoint, body

    Raises IdempotencyMismatch and IdempotencyInProgress.
    """
    row = db.execute(_FIND, (organization, key, token)).fetchone()
    if row is not None:
        known, at, status, location, body = row
        age = now - at
        if age < (RETENTION_MS if status is not None else GIVEN_UP_MS):
            if known != fingerprint:
                raise IdempotencyMismatch
            if status is None:
                raise IdempotencyInProgress
            return StoredResponse(status=status, location=location, body=bytes(body))
        forget(db, organization, key, token)
    db.execute(_BEGIN, (organization, key, token, fingerprint, now))
    return None


def finish(db: Connection, organization: str, key: str, token: str, answer: StoredResponse) -> None:
    """Store the response to a request after `begin`."""
    db.execute(_FINISH, (answer.status, answer.location, answer.body, organization, key, token))


def forget(db: Connection, organization: str, key: str, token: str) -> None:
    """Allow a request to be repeated, after a failure without effect."""
    db.execute(_FORGET, (organization, key, token))
