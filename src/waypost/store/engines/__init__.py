"""Databases under the store: SQLite, and PostgreSQL (extra `postgres`), behind one shape of a connection.

SQL is written once, in the words of SQLite, with `?` for parameters; `engines/postgres.py` translates what PostgreSQL
says differently. Text is compared by code points in both.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from waypost.store.errors import StoreError


class Cursor(Protocol):
    """Rows of a statement, as tuples. `rowcount`: rows that the statement wrote."""

    @property
    def rowcount(self) -> int: ...
    @property
    def description(self) -> Any: ...
    def fetchone(self) -> Any: ...
    def fetchall(self) -> list[Any]: ...
    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """Argument of a piece of work. Every statement outside a transaction is a transaction of its own.

    `BEGIN IMMEDIATE` begins a transaction that writes: a single one at a time, over all processes.
    """

    @property
    def in_transaction(self) -> bool: ...
    def execute(self, sql: str, parameters: Sequence[Any] = ..., /) -> Cursor: ...
    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> Cursor: ...
    def close(self) -> None: ...


class Engine(Protocol):
    """Database of a store.

    name             file or address, without a password
    error            base class of the driver's errors
    integrity_error  class of the errors of constraints and triggers
    writing          connection of the writer, alone in using it
    """

    name: str
    error: type[Exception]
    integrity_error: type[Exception]

    @property
    def writing(self) -> Connection: ...

    def acquire(self) -> bool:
        """Whether `writing` may be used now; a second process may have to end a transaction first."""

    def release(self) -> None:
        """End of the use of `writing` that `acquire` began."""

    def after_commit(self) -> None:
        """Work after a commit of more than decisions, before `release`."""

    def reading(self) -> Connection:
        """New read-only connection."""

    def as_store_error(self, error: BaseException) -> StoreError | None:
        """StoreError for an error of the machine or the network; None for an error of the work."""

    def read_error(self, error: Exception) -> Exception:
        """Error to be raised for an error of the driver while reading."""

    def announce(self, keys: Sequence[Mapping[str, Any]]) -> None:
        """Announce the public signing keys (JWKS) of a service to the others at the same database.

        Raises StoreError where the running others sign with none of them.
        """

    def is_lost(self, db: Connection) -> bool:
        """Whether a connection has ended by itself."""

    def close(self) -> None:
        """Close `writing`."""


def origin_of(db: Connection) -> str:
    """Server and database behind a connection, from the start of the server on; always the same for a file.

    Numbers and versions of another origin mean nothing here: a failover or a restored backup may have lost the newest
    rows, and then gives their numbers to other rows.
    """
    found: str = getattr(db, "origin", "")
    return found


def is_sqlite(db: Connection) -> bool:
    """Whether a connection is SQLite's, for what cannot be said in both dialects: the full-text search."""
    return isinstance(db, sqlite3.Connection)
