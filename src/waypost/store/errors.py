"""Errors of the store. Messages say how to go on."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from waypost.errors import WaypostError


class StoreError(WaypostError):
    """Failure to open, read or write the store."""

    code, status = "not-ready", 503


def as_store_error(error: BaseException) -> StoreError | None:
    """StoreError for an SQLite error of disk or file (full, locked, read-only, damaged), or None for further errors."""
    code = getattr(error, "sqlite_errorcode", None)
    if not isinstance(error, sqlite3.Error) or code is None or code & 0xFF not in _OF_THE_MACHINE:
        return None
    failure = StoreError(f"the store failed: {error}")
    failure.__cause__ = error
    return failure


_OF_THE_MACHINE = {
    sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_PERM, sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_READONLY,
}  # fmt: skip


class StoreTooNew(StoreError):
    """Store written by a newer waypost. Writing could lose data unknown to the running version."""

    def __init__(self, path: str, version: int, known: int) -> None:
        other = "database with --store" if "://" in path else "folder with --data"
        super().__init__(
            f"{path} was written by a newer waypost (store version {version}, this one knows {known}); "
            f"update waypost, or name another {other}"
        )


class StoreClosed(StoreError):
    """Use of the store after it was closed."""

    def __init__(self) -> None:
        super().__init__("the store is closed")


class ClockBehind(StoreError):
    """Clock far behind the newest record. Expired records could count as valid; therefore the store does not write."""

    def __init__(self, behind_ms: int) -> None:
        super().__init__(
            f"the clock is {behind_ms // 1000} s behind the newest record of the store; set it, "
            "or run `waypost store trust-clock` if it was wrong before"
        )


class Unknown(WaypostError):
    """Unknown id, or id of another organization; callers cannot distinguish the two cases."""

    code, status = "not-found", 404

    def __init__(self, kind: str) -> None:
        super().__init__(f"there is no such {kind}")


class Conflict(WaypostError):
    """Request in conflict with the present state."""

    code, status = "conflict", 409


class NotPermitted(WaypostError):
    """Act that is possible, but not with this key."""

    code, status = "not-permitted", 403


class CursorError(WaypostError):
    """Cursor changed, expired, or made for another list."""

    code, status = "invalid-request", 422

    def __init__(self) -> None:
        super().__init__("the cursor is not from this list, or older than an hour; begin again without one")


class IdempotencyMismatch(WaypostError):
    """Idempotency-Key already used for another request."""

    code, status = "idempotency-mismatch", 422

    def __init__(self) -> None:
        super().__init__("this Idempotency-Key was used for another request; use a new one for each")


class IdempotencyInProgress(WaypostError):
    """Idempotency-Key of a request in progress."""

    code, status = "idempotency-in-progress", 409

    def __init__(self) -> None:
        super().__init__("a request with this Idempotency-Key is being answered; ask again in a moment")


class UnknownRelationship(WaypostError):
    """Unknown id of a relationship."""

    code, status = "not-found", 404

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no relationship {name!r}; `waypost review list` lists them")


class ReviewError(WaypostError):
    """Step impossible in the present state of a review, or closed to the reviewer."""

    code, status = "conflict", 409


class ClaimImportError(WaypostError):
    """File with unreadable claims. Not a single claim was imported.

    `problems`: (location, reason) of unreadable entries, in order of the file.
    """

    code, status = "invalid-request", 422
    MAX_REPORTED = 20

    def __init__(self, name: str, problems: Sequence[tuple[str, str]]) -> None:
        self.problems = tuple(problems)
        lines = [f"  {where}: {why}" for where, why in self.problems[: self.MAX_REPORTED]]
        if len(self.problems) > self.MAX_REPORTED:
            lines.append(f"  and {len(self.problems) - self.MAX_REPORTED} more")
        entries = "one entry" if len(self.problems) == 1 else f"{len(self.problems)} entries"
        super().__init__("\n".join([f"{name}: nothing was imported, {entries} cannot be read", *lines]))
