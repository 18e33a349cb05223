"""Parquet: rows of a table of columns, a few hundred at a time.

The form that OpenAI prefers for its product feed (developers.openai.com/commerce/specs/file-upload/overview, read
2026-11-29). Places are the number of the row and the number of the column, 1-based.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from waypost.errors import MissingExtra, Unreadable
from waypost.reader.product_feeds.documents import flat_values
from waypost.reader.product_feeds.model import ColumnarRow, Row, RowError, column_name
from waypost.reader.product_feeds.opening import damage

MARK = b"PAR1"
_MOST_COLUMNS = 1_000
_ROWS = 256
"""Rows in memory at a time: a column whose dictionary has one long text may repeat it in every row."""
_BUFFER = 1 << 20
_MOST_TEXTS, _MOST_PARTS = 1 << 24, 1 << 20
"""Bytes of a text, and elements of a list, in the description of the file."""


class _Unread:
    """Value that cannot be read, with the reason."""

    def __init__(self, why: str) -> None:
        self.why = why


def columnar_rows(path: str, name: str) -> Iterator[Row | RowError]:
    """Rows of a Parquet file and errors. `name`: in messages. Raises Unreadable, and MissingExtra without pyarrow."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtra("pyarrow", "feeds", "to read a feed in Parquet") from None
    try:
        # A path as text may be an address, which pyarrow would open.
        file = pq.ParquetFile(
            pa.OSFile(path), buffer_size=_BUFFER, pre_buffer=False,
            thrift_string_size_limit=_MOST_TEXTS, thrift_container_size_limit=_MOST_PARTS,
        )  # fmt: skip
        names = [column_name(each) for each in file.schema_arrow.names]
    except (pa.ArrowException, OSError, ValueError) as error:
        raise Unreadable(name, f"the Parquet file is damaged ({_line(error)})") from None
    with file:
        yield from _check_names(names)
        if len(names) > _MOST_COLUMNS:
            return
        number = 0
        try:
            for group in range(file.num_row_groups):
                for batch in file.iter_batches(batch_size=_ROWS, row_groups=[group], use_threads=False):
                    for cells in zip(*(_values(column) for column in batch.columns), strict=True):
                        number += 1
                        yield from _row(number, names, cells)
        except (pa.ArrowException, OSError, ValueError) as error:
            yield RowError(
                number + 1, _damaged_column(file, number), f"the feed cannot be read from row {number + 1:,} on: "
                f"{_line(error)}", "write the file again", is_last=True,
            )  # fmt: skip


def _check_names(names: list[str]) -> Iterator[RowError]:
    if len(names) > _MOST_COLUMNS:
        yield RowError(1, 1, f"the feed has {len(names):,} columns", f"at most {_MOST_COLUMNS:,} are read", True, True)
        return
    for number, each in enumerate(names):
        if each in names[:number]:
            yield RowError(
                1, number + 1, f"the column {each} occurs twice in the feed",
                "leave one of them out; the first is read", is_header=True,
            )  # fmt: skip


def _row(number: int, names: list[str], cells: tuple[Any, ...]) -> Iterator[Row | RowError]:
    item: dict[str, Any] = {}
    for at, (name, value) in enumerate(zip(names, cells, strict=True), 1):
        why = value.why if isinstance(value, _Unread) else damage(value) if isinstance(value, str) else ""
        if why:
            yield RowError(
                number, at, f"the {name} of row {number:,} cannot be read as it stands: {why}",
                "write text as UTF-8, without control characters",
            )  # fmt: skip
            value = value.replace("\0", "") if isinstance(value, str) else None
        if name and name not in item and value is not None:
            item[name] = value
    yield ColumnarRow(flat_values(item), number, names=names)


def _values(column: Any) -> list[Any]:
    """Values of a part of a column: texts, as the type writes them; objects and lists of a nested type."""
    import pyarrow as pa

    try:
        # Texts by Arrow: a price of 19.9 in 32 bits is "19.9", a decimal keeps its zeros, a time is in ISO 8601.
        return (column if pa.types.is_nested(column.type) else column.cast(pa.string())).to_pylist()  # type: ignore[no-any-return]
    except (pa.ArrowException, ValueError, OverflowError):
        return [_value(each) for each in column]


def _value(cell: Any) -> Any:
    """Value of one cell."""
    try:
        value = cell.as_py()
        return value.decode("utf-8") if isinstance(value, bytes) else value if value is None else str(value)
    except UnicodeDecodeError:
        return _Unread("it is not UTF-8")
    except (ValueError, OverflowError) as error:
        return _Unread(_line(error))


def _damaged_column(file: Any, rows: int) -> int:
    """Number of the first column that cannot be read beyond a number of rows, 1-based."""
    import pyarrow as pa

    for number, name in enumerate(file.schema_arrow.names, 1):
        try:
            read = 0
            for batch in file.iter_batches(batch_size=_ROWS, columns=[name], use_threads=False):
                read += batch.num_rows
                if read > rows + _ROWS:
                    break
        except (pa.ArrowException, OSError, ValueError):
            return number
    return 1


def _line(error: Exception) -> str:
    text = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return text if len(text) <= 160 else f"{text[:159]}…"
