"""Tables of a crawl as Parquet. Their columns stand in `schemas/crawl/tables-1.json`."""

from __future__ import annotations

import gc
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from typing import Any
from urllib.parse import urlsplit

import msgspec

from waypost.crawl.driver import CheckedPage
from waypost.crawl.model import UNIT_BITS, CheckedRows, Unit
from waypost.errors import MissingExtra
from waypost.registry import Registry

SCHEMA_FILE = "crawl/tables-1.json"
_DECODE = msgspec.msgpack.Decoder(CheckedRows).decode


class Column(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Column of a table. `type` as Arrow names it."""

    name: str
    type: str
    description: str
    nullable: bool = False


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Table of a crawl."""

    description: str
    columns: tuple[Column, ...]


class Tables(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Published schema of the tables. A change of the meaning of a column has a new version."""

    title: str
    description: str
    version: int
    tables: dict[str, Table]


def published(registry: Registry) -> Tables:
    """Schema of the tables, from the registry."""
    return msgspec.json.decode(registry.files[SCHEMA_FILE], type=Tables)


def arrow() -> Any:
    """The package pyarrow. Raises MissingExtra."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra("pyarrow", "crawl", "to write the tables of a crawl") from None
    return pyarrow


@cache
def _arrow_type(name: str) -> Any:
    if name.startswith("list<"):
        return arrow().list_(_arrow_type(name[5:-1]))
    return arrow().type_for_alias(name)


class UnitTables:
    """Rows of the pages of a unit, until they are written."""

    def __init__(self, unit: Unit, schema: Tables, metadata: Mapping[str, str]) -> None:
        self._unit, self._schema, self._metadata = unit, schema, metadata
        self._pages: list[CheckedPage] = []

    def add(self, page: CheckedPage) -> None:
        self._pages.append(page)

    def parts(self) -> Iterable[tuple[str, bytes]]:
        """(table, Parquet file) of every table, that of the pages last."""
        with _without_collections():
            rows = self._rows()
            # False sorts first: the file of the pages marks the unit as done.
            for name in sorted(rows, key=lambda name: name == "pages"):
                if name == "renderings" and not rows[name]:
                    continue  # of a crawl without --render
                yield name, parquet(self._schema.tables[name].columns, rows.pop(name), self._metadata)

    def _rows(self) -> dict[str, list[Sequence[Any]]]:
        """Rows of every table, by its name."""
        rows: dict[str, list[Sequence[Any]]] = {name: [] for name in self._schema.tables}
        shapes: dict[str, list[str]] = {}
        # Numbers of pages are unique in the crawl, without a counter that the units would share.
        base = self._unit.number << UNIT_BITS
        # Outcomes come in the order of completion; the tables of two runs are to be equal.
        for page in sorted(self._pages, key=lambda each: each.row):
            number = base + page.row
            checked = _DECODE(page.data) if page.data else _NO_ROWS
            rows["pages"].append(self._page_row(number, page, checked))
            rows["items"] += [(number, *row) for row in checked.items]
            rows["findings"] += [(number, *row) for row in checked.findings]
            rows["renderings"] += [(number, *checked.rendering)] if checked.rendering else []
            rows["facts"] += [(number, checked.facts)] * bool(checked.facts)
            # The paths of a shape are stored once per unit.
            if (shape := checked.page[0]) is not None and shape not in shapes:
                shapes[shape] = checked.paths
        rows["shapes"] = [*shapes.items()]
        return rows

    def _page_row(self, number: int, page: CheckedPage, checked: CheckedRows) -> tuple[Any, ...]:
        """Row of the table of pages, in the order of its columns."""
        info = page.info
        url = checked.url or info.url
        return (
            number, self._unit.number, info.path, url, host_of(info.url or url), info.source, info.offset, info.seen,
            page.outcome, page.error, info.status, page.size_bytes, page.content, *checked.page,
        )  # fmt: skip


@contextmanager
def _without_collections() -> Iterator[None]:
    """Pause of the garbage collector: rows hold no cycles, and searching them for some takes as long as making them."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def parquet(columns: Sequence[Column], rows: Sequence[Sequence[Any]], metadata: Mapping[str, str]) -> bytes:
    """Parquet file of rows, in the order of the columns."""
    pa = arrow()
    by_column = list(zip(*rows, strict=True)) if rows else [()] * len(columns)
    fields = _fields(columns)
    schema = pa.schema(fields, metadata={key.encode(): value.encode() for key, value in metadata.items()})
    by_field = zip(by_column, fields, strict=True)
    arrays = [_array(values, field.type) for values, field in by_field]
    target = io.BytesIO()
    # A dictionary makes columns with few different strings small.
    repeated = [each.name for each in columns if each.name not in _UNLIKE and each.type == "string"]
    pa.parquet.write_table(
        pa.Table.from_arrays(arrays, schema=schema), target, compression="zstd", compression_level=1,
        use_dictionary=repeated,
    )  # fmt: skip
    return target.getvalue()


def _fields(columns: Iterable[Column]) -> list[Any]:
    return [arrow().field(each.name, _arrow_type(each.type), nullable=each.nullable) for each in columns]


def empty(name: str, registry: Registry) -> Any:
    """Table of Arrow without rows."""
    return arrow().schema(_fields(published(registry).tables[name].columns)).empty_table()


_UNLIKE = frozenset({"path", "url", "content", "fingerprint"})
"""Columns whose strings are nearly all different: a dictionary of them costs time and room."""
_NO_ROWS = CheckedRows(None, [None, [], 0, 0, 0, 0, [], [], False])
"""Rows of a page that was not checked."""


def _array(values: Sequence[Any], kind: Any) -> Any:
    """Array of Arrow, which takes no lone surrogate in a string."""
    try:
        return arrow().array(values, kind)
    except UnicodeEncodeError:
        return arrow().array([each and each.encode("utf-8", "replace").decode() for each in values], kind)


def host_of(url: str | None) -> str | None:
    """Host of an address, with its port."""
    # The cache works on the part up to the host, which the pages of a site share.
    return _host_of(url[: url.find("/", len("https://")) + 1 or None]) if url else None


@lru_cache(1024)  # pages of a host follow one another
def _host_of(url: str) -> str | None:
    """Host of the beginning of an address."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2].lower() or None
    except ValueError:
        return None


__all__ = ["Column", "Table", "Tables", "UnitTables", "arrow", "published"]
