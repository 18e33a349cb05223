"""Rows of a table as structs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import msgspec

from waypost.store.cursors import Page, Position, page
from waypost.store.engines import Connection

T = TypeVar("T", bound=msgspec.Struct)
NEWEST = 1 << 62
"""Greater than any number of a row, and within the 64 bits of both databases."""


class Rows(Generic[T]):
    """Reader of rows whose first columns are the members of a struct, in the order of the struct.

    columns   members as a list for SELECT, where the columns have their names
    decoders  functions from a column to the member, by name, where the two differ

    Values are not validated: a word that a newer release wrote is read as it is.
    """

    def __init__(self, kind: type[T], **decoders: Callable[[Any], Any]) -> None:
        self._kind, self._decoders = kind, decoders
        self.columns = ", ".join(kind.__struct_fields__)

    def read(self, row: Sequence[Any], **further: Any) -> T:
        """Struct of a row and of `further` members, which have no column."""
        members = dict(zip(self._kind.__struct_fields__, row, strict=False)) | further
        for name, decode in self._decoders.items():
            members[name] = decode(members[name])
        return self._kind(**members)

    def first(self, db: Connection, query: str, values: Sequence[Any] = ()) -> T | None:
        row = db.execute(query, values).fetchone()
        return self.read(row) if row else None

    def all(self, db: Connection, query: str, values: Sequence[Any] = ()) -> list[T]:
        return [self.read(row) for row in db.execute(query, values)]

    def page(self, db: Connection, query: str, values: Sequence[Any], after: Position | None, limit: int) -> Page[T]:
        """Page of a list by a number, the last column, newest first unless `after` says where to start.

        The last two values of the query are the number after which the page starts, and the limit.
        """
        rows = db.execute(query, (*values, after[0] if after else NEWEST, limit + 1)).fetchall()
        return page([((row[-1],), self.read(row)) for row in rows], limit)


def lines(text: str) -> tuple[str, ...]:
    """Lines of a column that holds several texts."""
    return tuple(text.split("\n")) if text else ()


def words(text: str) -> tuple[str, ...]:
    """Words of a column that holds several words."""
    return tuple(text.split())
