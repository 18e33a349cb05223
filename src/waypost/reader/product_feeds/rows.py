"""Reader of a feed of products: the form by the first bytes, then one row at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, Literal

from waypost.errors import Unreadable
from waypost.reader.product_feeds.delimited import table_rows
from waypost.reader.product_feeds.documents import document_rows
from waypost.reader.product_feeds.markup import item_rows
from waypost.reader.product_feeds.model import MOST_ROWS, Row, RowError
from waypost.reader.product_feeds.opening import encoding_of, is_columnar, opened, text_of
from waypost.reader.product_feeds.parquet import columnar_rows
from waypost.reader.sources import display_path

Form = Literal["table", "xml", "json"]
_HEAD = 4096
_PAGE = re.compile(rb"[\s\xef\xbb\xbf]*<(?:!doctype\s+html|html[\s>])", re.IGNORECASE)


def form_of(stream: BinaryIO) -> Form:
    """Form of a feed by the first bytes. Consumes nothing."""
    head = stream.peek(_HEAD)[:_HEAD]  # type: ignore[attr-defined]
    text = head.decode(encoding_of(stream), "replace").lstrip("\ufeff \t\r\n\0")
    return "xml" if text.startswith("<") else "json" if text.startswith(("{", "[")) else "table"


def read_feed(path: str) -> Iterator[Row | RowError]:
    """Rows of a feed and errors, in the order of the file.

    Memory is bounded by one row. Raises Unreadable for a file that is not a feed, OSError for a missing file.
    """
    name = display_path(path)
    if is_columnar(path):
        yield from _counted(columnar_rows(path, name), name, "table")
        return
    with opened(path) as stream:
        form = form_of(stream)
        if form == "xml" and _PAGE.match(stream.peek(_HEAD)[:_HEAD]):  # type: ignore[attr-defined]
            raise Unreadable(name, "this is a web page, not a feed")
        if form == "xml":
            rows = item_rows(stream, name)
        else:
            text = text_of(stream)
            rows = document_rows(text) if form == "json" else table_rows(text)
        yield from _counted(rows, name, form)


def _counted(rows: Iterator[Row | RowError], name: str, form: Form) -> Iterator[Row | RowError]:
    """Rows up to the limit. Raises Unreadable for a feed without rows."""
    number, is_any = 0, False
    for row in rows:
        is_any = True
        number += isinstance(row, Row)
        if number > MOST_ROWS:
            yield RowError(
                row.line, row.column, f"only {MOST_ROWS:,} rows of a feed are read", "split the feed", is_last=True
            )
            return
        yield row
    if not is_any and form == "table":
        raise Unreadable(name, "it has a header and no rows: write one line for each item below the header")
    if not number and form == "json":
        raise Unreadable(
            name, "this JSON has no products: write a list of objects, or an object with a list of products"
        )
