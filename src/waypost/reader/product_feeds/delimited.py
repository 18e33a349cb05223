"""Tables with tabs, commas, semicolons or vertical bars: rows with places."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from waypost.formats.text import clip
from waypost.reader.product_feeds.model import LONGEST_VALUE, MOST_ROW, Row, RowError, TableRow, column_name
from waypost.reader.product_feeds.opening import damage

_MARKS = "\t,;|"
_MOST_COLUMNS = 1_000
_MOST_LINES = 200
"""Lines of a row, which quotes may hold together."""


def table_rows(text: TextIO) -> Iterator[Row | RowError]:
    """Rows of a table; the first line has the names of the columns."""
    lines = _Lines(text)
    head = lines.next()
    while head is not None and not head.strip():
        head = lines.next()
    if head is None:
        yield RowError(
            1, 1, "the feed is empty", "write a line with the names of the columns, then one line for each item", True
        )
        return
    mark = max(_MARKS, key=head.count) if any(each in head for each in _MARKS) else "\t"
    if head.lower().startswith("sep=") and len(head) <= 6:
        mark, head = head[4:5] or mark, lines.next() or ""
    names = [column_name(each) for each in _fields(head, mark, lines)[0]]
    yield from _check_header(names, lines.number)
    while True:
        line = lines.next()
        if line is None:
            return
        if not line or line.isspace():
            continue
        yield from _row(line, mark, names, lines)


class _Lines:
    """Lines of a text with numbers; of a line beyond the limit, the beginning."""

    def __init__(self, text: TextIO) -> None:
        self._text = text
        self.number = 0
        self.is_cut = False
        self._back: list[str] = []

    def back(self, lines: list[str]) -> None:
        """Return lines to the front of the text."""
        self._back += lines[::-1]
        self.number -= len(lines)

    def next(self) -> str | None:
        if self._back:
            self.number += 1
            return self._back.pop()
        line = self._text.readline(MOST_ROW)
        if not line:
            return None
        self.number += 1
        self.is_cut = False
        rest = line
        while rest and not rest.endswith("\n"):
            rest = self._text.readline(MOST_ROW)
            self.is_cut = self.is_cut or bool(rest)
        return line.removesuffix("\n")


def _check_header(names: list[str], line: int) -> Iterator[RowError]:
    if len(names) > _MOST_COLUMNS:
        yield RowError(
            line, 1, f"the feed has {len(names):,} columns", f"at most {_MOST_COLUMNS:,} are read", True, True
        )
        return
    seen: set[str] = set()
    for name in names:
        if name and name in seen:
            yield RowError(
                line,
                1,
                f"the column {clip(name)} occurs twice in the header",
                "leave one of them out; the first is read",
                is_header=True,
            )
        seen.add(name)


def _row(line: str, mark: str, names: list[str], lines: _Lines) -> Iterator[Row | RowError]:
    number = lines.number
    if lines.is_cut:
        yield RowError(
            number,
            1,
            f"the row is longer than {MOST_ROW:,} characters",
            "close a quote that runs over many lines, or shorten its texts",
        )
        return
    quoted = '"' in line
    if quoted:
        fields, starts, why = _fields(line, mark, lines)
        if why:
            yield RowError(
                number, 1, why, 'write a quote inside a text twice (""), and close each text that begins with one'
            )
            return
    else:
        fields, starts = line.split(mark), []
    if why := damage(line):
        yield RowError(
            number,
            1,
            f"the row cannot be read as it stands: {why}",
            "save the feed as UTF-8, without control characters",
        )
        fields = [each.replace("\0", "") for each in fields]
    if len(fields) > len(names):
        yield RowError(
            number, 1, f"the row has {len(fields):,} fields and the header {len(names):,}",
            "a text may contain the mark between the columns: put the text into quotes",
        )  # fmt: skip
        return
    if len(fields) < len(names):
        yield RowError(
            number, 1, f"the row has {len(fields):,} fields and the header {len(names):,}",
            "write every column, an empty one too; a text may contain an end of line",
        )  # fmt: skip
        if len(fields) * 2 < len(names):
            return
    values: dict[str, str] = {}
    for name, text in zip(names, fields, strict=False):
        if name and name not in values and (value := text.strip()):
            values[name] = value if len(value) <= LONGEST_VALUE else value[:LONGEST_VALUE]
    if starts:
        # Reversed, so that of two columns with one name the first has its place.
        places = dict(zip(reversed(names[: len(starts)]), reversed(starts[: len(names)]), strict=True))
        yield TableRow(values, number, 1, places, names=names)
    else:
        yield TableRow(values, number, fields=fields, names=names)


def _fields(line: str, mark: str, lines: _Lines) -> tuple[list[str], list[tuple[int, int]], str]:
    """(texts of the fields, place of each, error). Quotes may hold several lines together."""
    fields: list[str] = []
    starts: list[tuple[int, int]] = []
    at, first = 0, lines.number
    taken: list[str] = []
    while True:
        starts.append((lines.number, at + 1))
        if line.startswith('"', at):
            text, at = "", at + 1
            while True:
                end = line.find('"', at)
                if end < 0:
                    following = lines.next() if len(taken) < _MOST_LINES and len(text) < MOST_ROW else None
                    if following is None:
                        # The lines that the quote swallowed are rows of their own.
                        lines.back(taken)
                        return fields, starts, f"a quote in the row of line {first:,} is not closed"
                    taken.append(following)
                    text, line, at = f"{text}{line[at:]}\n", following, 0
                    continue
                text += line[at:end]
                if line.startswith('""', end):
                    text, at = f'{text}"', end + 2
                    continue
                at = end + 1
                break
            stop = line.find(mark, at)
            # Text behind a closing quote belongs to it, as spreadsheets read it.
            text += line[at : stop if stop >= 0 else len(line)]
        else:
            stop = line.find(mark, at)
            text = line[at : stop if stop >= 0 else len(line)]
        fields.append(text)
        if stop < 0 or len(fields) > _MOST_COLUMNS:
            return fields, starts, ""
        at = stop + 1
