"""Rows of a feed of products, and errors met while reading."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import msgspec

MOST_ROWS = 5_000_000
MOST_ROW = 1 << 20
"""Characters of a row."""
LONGEST_VALUE = 100_000

Position: TypeAlias = tuple[int, int]
"""Line and column in the feed, 1-based; columns in code points."""


class Row(msgspec.Struct):
    """Row of a feed: an item for sale.

    values  column -> text. Columns are in small letters with `_` between words, without the prefix of a namespace.
    line, column  where the row begins, 1-based
    places  column -> place of its value, where known
    """

    values: dict[str, str]
    line: int
    column: int = 1
    places: dict[str, Position] = {}

    def place(self, name: str) -> Position:
        """Place of the value of a column, else of the row."""
        return self.places.get(name, (self.line, self.column))

    def columns(self) -> set[str]:
        """Columns of the feed as far as the row shows them."""
        return set(self.values)

    def has_header(self) -> bool:
        """Does the feed name all columns before the rows?"""
        return False

    def unit(self) -> str:
        """What `line` counts."""
        return "line"


class TableRow(Row):
    """Row of a table. `fields`: texts as in the line, where no quotes are; `names`: the column of each."""

    fields: list[str] = []
    names: list[str] = []

    def columns(self) -> set[str]:
        return set(self.names)

    def has_header(self) -> bool:
        return True

    def place(self, name: str) -> Position:
        if self.places:
            return self.places.get(name, (self.line, self.column))
        if name not in self.names:
            return self.line, self.column
        number = self.names.index(name)
        return self.line, 1 + sum(len(text) + 1 for text in self.fields[:number])


class ColumnarRow(Row):
    """Row of a table of columns. `names`: all columns in order."""

    names: list[str] = []

    def columns(self) -> set[str]:
        return set(self.names)

    def has_header(self) -> bool:
        return True

    def unit(self) -> str:
        return "row"

    def place(self, name: str) -> Position:
        return self.line, self.names.index(name) + 1 if name in self.names else 1


class RowError(NamedTuple):
    """Part of a feed that cannot be read. `is_last`: the rest is not read. `is_header`: about the columns."""

    line: int
    column: int
    message: str
    hint: str
    is_last: bool = False
    is_header: bool = False


def column_name(text: str) -> str:
    """Name of a column as the registry has it: "g:Image Link" and "image link [image_link]" are image_link."""
    name = text.strip().strip("\ufeff\"'").casefold()
    if name.endswith("]") and "[" in name:
        name = name[name.rindex("[") + 1 : -1]
    return name.removeprefix("g:").strip().replace(" ", "_").replace("-", "_")
