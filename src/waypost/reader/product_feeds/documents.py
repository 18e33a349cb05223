"""JSON: lists of rows, one row a line, and catalogues of products with variants."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import accumulate
from typing import Any, TextIO

import msgspec

from waypost.formats.text import clip
from waypost.reader.product_feeds.model import LONGEST_VALUE, MOST_ROW, Position, Row, RowError
from waypost.reader.product_feeds.opening import damage

_CHUNK = 1 << 16
_MOST_ELEMENT = 8 << 20
_LISTS = frozenset({"products", "items", "entries"})
_MARK = re.compile(r'"(?:[^"\\]|\\.)*("?)|[{}\[\]]', re.DOTALL)
_WITHOUT_CENTS = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
_OF_THOUSANDS = "BHD IQD JOD KWD LYD OMR TND"
_MINOR = dict.fromkeys(_WITHOUT_CENTS.split(" "), 0) | dict.fromkeys(_OF_THOUSANDS.split(" "), 3)
"""Decimals of currencies that do not have two of them, by ISO 4217."""
_MOST_VARIANTS = 10_000
_FIX = "check the JSON: quotes around texts, commas between members, no comment"


def document_rows(text: TextIO) -> Iterator[Row | RowError]:
    """Rows of a JSON document, or of lines with one JSON object each."""
    head = text.readline(MOST_ROW)
    number = 1
    while head and not head.strip():
        head, number = text.readline(MOST_ROW), number + 1
    if head.strip().startswith("{") and _is_object(head):
        yield from _lines(head, number, text)
    else:
        yield from _Elements(head, number, text).rows()


def _is_object(line: str) -> bool:
    """Is a line a complete object, and no list of products? Its JSON may have an error, as a row may."""
    try:
        found = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        marks = [each[0] for each in _MARK.finditer(line) if each[0][0] != '"']
        depths = list(accumulate(1 if mark in "{[" else -1 for mark in marks))
        is_closed = 0 in depths and depths.index(0) == len(depths) - 1
        return is_closed and line.rstrip().endswith("}") and not any(f'"{name}"' in line for name in _LISTS)
    return isinstance(found, dict) and not any(isinstance(found.get(name), list) for name in _LISTS)


def _lines(head: str, number: int, text: TextIO) -> Iterator[Row | RowError]:
    line = head
    while line:
        if not line.endswith("\n") and len(line) >= MOST_ROW:
            yield RowError(number, 1, f"the row is longer than {MOST_ROW:,} characters", "shorten its texts")
            while line and not line.endswith("\n"):
                line = text.readline(MOST_ROW)
        elif line.strip():
            yield from rows_of(line, (number, 1 + len(line) - len(line.lstrip())))
        line, number = text.readline(MOST_ROW), number + 1


class _Elements:
    """Reader of the objects of a list: that of the document, or that of its member `products`.

    buffer  text to be read; begins at `line`, `column` (minus one) of the document
    start   of an element in the buffer, or -1; `base` is the depth at which it begins
    row_depth  depth of the objects that are rows, or -1
    """

    def __init__(self, head: str, line: int, text: TextIO) -> None:
        self.text = text
        self.buffer, self.at = head, 0
        self.line, self.column = line, 0
        self.stack: list[str] = []
        self.key = ""
        self.start = self.base = -1
        self.row_depth = 1 if head.lstrip().startswith("[") else -1

    def rows(self) -> Iterator[Row | RowError]:
        while True:
            found = _MARK.search(self.buffer, self.at)
            mark = found[0] if found else ""
            is_open = found is not None and mark[0] == '"' and not found[1]
            if found is None or is_open:
                begin = found.start() if found else len(self.buffer)
                more = self.text.read(_CHUNK)
                if not more:
                    if self.stack or is_open:
                        yield self._error(max(self.start, 0), "the JSON ends inside an object or a list")
                    return
                if len(self.buffer) - (self.start if self.start >= 0 else begin) > _MOST_ELEMENT:
                    yield self._error(max(self.start, 0), f"an object is longer than {_MOST_ELEMENT:,} characters")
                    return
                self._refill(begin, more)
                continue
            self.at = found.end()
            if mark[0] == '"':
                self.key = mark[1:-1] if len(self.stack) == 1 else self.key
            elif mark in "{[":
                self._open(mark, found.start())
            elif not self.stack or self.stack.pop() != ("{" if mark == "}" else "["):
                yield self._error(found.start(), f"a {mark} stands where none is open")
                return
            else:
                yield from self._close()

    def _refill(self, begin: int, more: str) -> None:
        """Append text, and drop the part before the next mark. `begin`: of an incomplete mark."""
        cut = self.start if self.start >= 0 else begin
        self.line, self.column = self.place(cut)
        self.column -= 1
        self.at = begin - cut
        self.buffer = self.buffer[cut:] + more
        self.start = 0 if self.start >= 0 else -1

    def _open(self, mark: str, at: int) -> None:
        depth = len(self.stack)
        if mark == "[" and depth == 1 and self.stack[0] == "{" and self.key in _LISTS:
            self.row_depth = 2
        elif mark == "{" and self.start < 0 and depth == self.row_depth:
            self.start, self.base = at, depth
        self.stack.append(mark)

    def _close(self) -> Iterator[Row | RowError]:
        if self.start >= 0 and len(self.stack) == self.base:
            yield from rows_of(self.buffer[self.start : self.at], self.place(self.start))
            self.start = -1
        elif self.row_depth == 2 and len(self.stack) == 1:
            self.row_depth = -1

    def place(self, at: int) -> Position:
        return _place(self.buffer, self.line, self.column, at)

    def _error(self, at: int, message: str) -> RowError:
        return RowError(*self.place(at), message, _FIX, is_last=True)


def _place(buffer: str, line: int, line_start: int, at: int) -> Position:
    lines = buffer.count("\n", 0, at)
    column = at - buffer.rfind("\n", 0, at) if lines else line_start + at + 1
    return line + lines, column


def rows_of(source: str, place: Position) -> Iterator[Row | RowError]:
    """Rows of a JSON object: the object itself, or the variants of a product."""
    if why := damage(source):
        yield RowError(
            *place, f"the row cannot be read as it stands: {why}", "save the feed as UTF-8, without control characters"
        )
        source = source.encode("utf-8", "replace").decode("utf-8").replace("\0", "")
    try:
        document = msgspec.json.decode(source)
    except msgspec.DecodeError as error:
        yield RowError(*place, f"the row is not valid JSON: {str(error).partition(' (byte')[0].lower()}", _FIX)
        return
    except RecursionError:
        yield RowError(*place, "the row is nested too deep", "write a flat object for each item")
        return
    if not isinstance(document, dict):
        yield RowError(*place, f"the row is {clip(source, 40)!r}, not an object", "write an object for each item")
        return
    variants = document.get("variants")
    if not isinstance(variants, list):
        if not {"feed_id", "account_id"} & document.keys() or {"id", "item_id"} & document.keys():
            yield JsonRow(flat_values(document), *place, source=source)
        return
    product = {f"product_{name}": value for name, value in flat_values(document).items()}
    kind = "ucp" if "price_range" in document else "acp"
    starts = _starts_of_variants(source)
    for number, variant in enumerate(variants[:_MOST_VARIANTS]):
        if isinstance(variant, dict):
            start = starts[number] if number < len(starts) else 0
            values = product | flat_values(variant) | {"variant_of": kind}
            yield JsonRow(values, *_place(source, place[0], place[1] - 1, start), source=source[start:])
    if not variants:
        yield JsonRow(product | {"variant_of": kind, "variants": ""}, *place, source=source)


class JsonRow(Row):
    """Row of a JSON document. `source`: text of the object, in which the place of a member is searched on demand."""

    source: str = ""

    def place(self, name: str) -> Position:
        found = re.search(rf'"{re.escape(_MEMBERS.get(name, name))}"\s*:\s*', self.source)
        return _place(self.source, self.line, self.column - 1, found.end()) if found else (self.line, self.column)


_MEMBERS = {"image": "media", "gtin": "barcodes", "review_count": "count", "star_rating": "rating"}


def _starts_of_variants(source: str) -> list[int]:
    """Offsets of the objects of the member `variants` of a product."""
    starts: list[int] = []
    stack: list[str] = []
    key, is_inside = "", False
    for found in _MARK.finditer(source):
        mark = found[0]
        if mark[0] == '"':
            key = mark[1:-1] if len(stack) == 1 else key
        elif mark in "{[":
            is_inside = is_inside or (mark == "[" and len(stack) == 1 and key == "variants")
            if mark == "{" and is_inside and len(stack) == 2:
                starts.append(found.start())
            stack.append(mark)
        elif stack:
            stack.pop()
            if is_inside and len(stack) == 1:
                return starts
    return starts


def flat_values(item: dict[str, Any]) -> dict[str, str]:
    """Members as texts: an amount in minor units as "19.99 EUR", the first picture, the barcode with a GTIN."""
    values: dict[str, str] = {}
    for name, value in item.items():
        key = name.casefold()
        if isinstance(value, bool):
            values[key] = str(value).lower()
        elif isinstance(value, str | int | float | Decimal):
            values[key] = str(value).strip()[:LONGEST_VALUE]
        elif isinstance(value, dict):
            values.update(_of_object(key, value))
        elif isinstance(value, list) and value:
            values.update(_of_list(key, value))
    return {name: value for name, value in values.items() if value}


def _of_object(key: str, value: dict[str, Any]) -> dict[str, str]:
    if isinstance(value.get("amount"), int) and isinstance(value.get("currency"), str):
        decimals = _MINOR.get(value["currency"], 2)
        return {key: f"{Decimal(value['amount']).scaleb(-decimals)} {value['currency']}"}
    if key == "availability":
        status, is_available = value.get("status"), value.get("available")
        if isinstance(status, str):
            return {key: status}
        return {key: "in_stock" if is_available else "out_of_stock"} if isinstance(is_available, bool) else {}
    if key == "rating":
        parts = {
            "star_rating": value.get("value"),
            "rating_scale": value.get("scale_max"),
            "review_count": value.get("count"),
        }
        return {name: str(part) for name, part in parts.items() if isinstance(part, int | float)}
    if key == "description":
        return {key: next((str(text) for text in value.values() if isinstance(text, str)), "")}
    if key.endswith("price_range"):
        return {key: "present"}
    return {}


def _of_list(key: str, value: list[Any]) -> dict[str, str]:
    if key == "media":
        pictures = [each for each in value if isinstance(each, dict) and each.get("type") in ("image", None)]
        urls = [each["url"] for each in pictures if isinstance(each.get("url"), str)]
        return {"image": urls[0], "more_images": ",".join(urls[1:20])} if urls else {}
    if key == "barcodes":
        codes = [str(each.get("value", "")) for each in value if isinstance(each, dict)]
        return {"gtin": next((code for code in codes if code.isdecimal() and 8 <= len(code) <= 14), "")}
    texts = [str(each) for each in value[:50] if isinstance(each, str | int | float)]
    return {key: ",".join(texts)}
