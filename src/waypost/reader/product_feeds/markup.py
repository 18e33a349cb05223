"""RSS 2.0 and Atom with the names of Merchant Center: items with the places of their elements.

A feed with a DOCTYPE is not read: entities, and with them XML bombs and files from elsewhere, need one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO
from xml.parsers import expat

from waypost.errors import Unreadable
from waypost.reader.product_feeds.model import LONGEST_VALUE, MOST_ROW, Row, RowError, column_name

_CHUNK = 1 << 16
_ITEMS = frozenset({"item", "entry", "product"})
_MOST_DEPTH = 64
_SEVERAL = 20  # values of a repeated element


class _NotRead(Exception):
    """Part of a feed that is not read, with the reason."""


class _Items:
    """Handler of the parser: collects the elements of an item."""

    def __init__(self, parser: Any) -> None:
        self._parser = parser
        self.found: list[Row | RowError] = []
        self._row: Row | None = None
        self._depth = self._depth_of_item = 0
        self._name = ""
        self._text: list[str] = []
        self._size = 0
        self.root = ""
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.text
        parser.StartDoctypeDeclHandler = self.doctype
        parser.buffer_text = True

    def doctype(self, *_: object) -> None:
        raise _NotRead("it has a DOCTYPE, which is not read: leave it out, a feed needs no entities")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            raise _NotRead(f"its elements are nested more than {_MOST_DEPTH} deep")
        local = name.rpartition(" ")[2]
        self.root = self.root or local.casefold()
        if self._row is None:
            if local.casefold() in _ITEMS:
                self._row = Row({}, *self._place(), places={})
                self._depth_of_item, self._size = self._depth, 0
            return
        if self._depth == self._depth_of_item + 1:
            self._name, self._text = column_name(local), []
            self._place_of_name = self._place()
            # Atom: <link href="…">.
            if href := attributes.get("href"):
                self._keep(self._name, href)

    def text(self, data: str) -> None:
        # Text of nested elements belongs to the element: <g:structured_title> has its text in <g:content>.
        if self._row is not None and self._name:
            self._size += len(data)
            if self._size <= MOST_ROW:
                self._text.append(data)

    def end(self, _: str) -> None:
        if self._row is not None and self._depth == self._depth_of_item + 1 and self._name:
            if value := "".join(self._text).strip():
                self._keep(self._name, value)
            self._name = ""
        elif self._row is not None and self._depth == self._depth_of_item:
            self.found.append(self._row)
            if self._size > MOST_ROW:
                self.found.append(
                    RowError(
                        self._row.line,
                        self._row.column,
                        f"the item is longer than {MOST_ROW:,} characters",
                        "shorten its texts",
                    )
                )
            self._row = None
        self._depth -= 1

    def _keep(self, name: str, value: str) -> None:
        assert self._row is not None
        values = self._row.values
        if name not in values:
            values[name], self._row.places[name] = value[:LONGEST_VALUE], self._place_of_name
        elif name == "additional_image_link" and values[name].count(",") < _SEVERAL:
            values[name] += f",{value[:LONGEST_VALUE]}"

    def _place(self) -> tuple[int, int]:
        return self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber + 1


def item_rows(stream: BinaryIO, name: str) -> Iterator[Row | RowError]:
    """Items of a feed. Raises Unreadable for another document, and for a DOCTYPE."""
    parser = expat.ParserCreate(namespace_separator=" ")
    items = _Items(parser)
    is_any, is_end = False, False
    while not is_end:
        data = stream.read(_CHUNK)
        is_end = not data
        try:
            parser.Parse(data, is_end)
        except _NotRead as reason:
            raise Unreadable(name, str(reason)) from None
        except (expat.ExpatError, LookupError, ValueError) as error:
            yield from items.found
            place = (getattr(error, "lineno", 1), getattr(error, "offset", 0) + 1)
            what = str(error).partition(":")[0]
            yield RowError(
                *place,
                f"the XML cannot be read from here on: {what}",
                "escape & and < in texts, and close every element",
                is_last=True,
            )
            return
        is_any = is_any or bool(items.found)
        yield from items.found
        items.found.clear()
    if items.root == "html":
        raise Unreadable(name, "this is a web page, not a feed")
    if not is_any:
        raise Unreadable(name, f"this XML has no items (its root is <{items.root}>); RSS has <item>, Atom has <entry>")
