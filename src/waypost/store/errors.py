"""What can go wrong with the store, each in words that say what to do."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from waypost.errors import WaypostError


class StoreError(WaypostError):
    """The store cannot be opened, or could not write."""

    code, status = "not-ready", 503


def as_store_error(fault: BaseException) -> StoreError | None:
    """What SQLite says of the machine and not of the question: full, locked, read-only, unreadable, damaged."""
    code = getattr(fault, "sqlite_errorcode", None)
    if not isinstance(fault, sqlite3.Error) or code is None or code & 0xFF not in _OF_THE_MACHINE:
        return None
    told = StoreError(f"the store failed: {fault}")
    told.__cause__ = fault
    return told


_OF_THE_MACHINE = {
    sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_PERM, sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_READONLY,
}  # fmt: skip


class StoreTooNew(StoreError):
    """The store was written by a later waypost, which may keep in it what this one would lose."""

    def __init__(self, path: str, version: int, known: int) -> None:
        super().__init__(
            f"{path} was written by a newer waypost (store version {version}, this one knows {known}); "
            "update waypost, or name another folder with --data"
        )


class StoreClosed(StoreError):
    """Something was to be written after the store was closed."""

    def __init__(self) -> None:
        super().__init__("the store is closed")


class ClockBehind(StoreError):
    """The clock shows a time long before what is written already: nothing that ends by the clock could be trusted."""

    def __init__(self, behind_ms: int) -> None:
        super().__init__(
            f"the clock is {behind_ms // 1000} s behind the newest record of the store; set it, "
            "or run `waypost store trust-clock` if it was wrong before"
        )


class Unknown(WaypostError):
    """There is nothing of this id, or it is another organization's: nobody learns which."""

    code, status = "not-found", 404

    def __init__(self, kind: str) -> None:
        super().__init__(f"there is no such {kind}")


class Conflict(WaypostError):
    """What was asked for does not fit what there is."""

    code, status = "conflict", 409


class CursorError(WaypostError):
    """A cursor was changed, is another's, or belongs to another question."""

    code, status = "invalid-request", 422

    def __init__(self) -> None:
        super().__init__("the cursor is not from this list, or older than an hour; begin again without one")


class IdempotencyMismatch(WaypostError):
    """An Idempotency-Key came back with another request."""

    code, status = "idempotency-mismatch", 422

    def __init__(self) -> None:
        super().__init__("this Idempotency-Key was used for another request; use a new one for each")


class IdempotencyInProgress(WaypostError):
    """The same request is being answered."""

    code, status = "idempotency-in-progress", 409

    def __init__(self) -> None:
        super().__init__("a request with this Idempotency-Key is being answered; ask again in a moment")


class UnknownRelationship(WaypostError):
    """There is no relationship of this id."""

    code, status = "not-found", 404

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no relationship {name!r}; `waypost review list` shows what there is")


class ReviewError(WaypostError):
    """What was asked is no step that a review may take from here."""

    code, status = "conflict", 409


class ClaimImportError(WaypostError):
    """A file of claims holds entries that cannot be read. Nothing of it was taken.

    `faults` are (where, why), in order of the file.
    """

    code, status = "invalid-request", 422
    SHOWN = 20

    def __init__(self, name: str, faults: Sequence[tuple[str, str]]) -> None:
        self.faults = tuple(faults)
        lines = [f"  {where}: {why}" for where, why in self.faults[: self.SHOWN]]
        if len(self.faults) > self.SHOWN:
            lines.append(f"  and {len(self.faults) - self.SHOWN} more")
        entries = "one entry" if len(self.faults) == 1 else f"{len(self.faults)} entries"
        super().__init__("\n".join([f"{name}: nothing was imported, {entries} cannot be read", *lines]))
