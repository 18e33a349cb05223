"""Records of a stretch of a web archive. No record of an archive, however broken, costs the records behind it.

An archive is compressed record by record, or not compressed. The first record of a stretch is found by the first bytes
of a record. In a compressed archive a record is read from the gzip member alone: a wrong length costs no other.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterator
from typing import IO, NamedTuple

from waypost.reader.archives import is_page, media_type_of, record_error, records_of
from waypost.reader.sources import MAX_BYTES

_CHUNK, _FIRST_CHUNK = 1 << 18, 1 << 14
_MAX_HEADER_BYTES = 65_536
MAX_RECORD_BYTES = MAX_BYTES + 2 * _MAX_HEADER_BYTES
"""Bytes read of a record: the largest page, and the headers before the page."""
# Window bits of zlib: 15 for the largest window, and 16 for a gzip header and trailer instead of zlib's own.
_GZIP = 31
# RFC 1952, 2.3: the two bytes of gzip, and deflate, its only method.
_MAGIC = b"\x1f\x8b\x08"
_VERSION = b"WARC/"
# The line end before a version is part of the match: within a page's text `WARC/1.0` may stand in a line.
_START = re.compile(rb"(?:\A|\n)WARC/[01]\.\d\d?\r?\n")
_LENGTH = re.compile(rb"^content-length:[ \t]*(\d{1,18})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_TYPE = re.compile(rb"^warc-type:[ \t]*response[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_URI = re.compile(rb"^warc-target-uri:[ \t]*<?([^\r\n>]*)>?[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_HTTP = re.compile(rb"^content-type:[ \t]*application/http", re.IGNORECASE | re.MULTILINE)


class Record(NamedTuple):
    """Page of an archive, or the reason why a record cannot be read.

    offset  byte at which the record, or its gzip member, begins.
    inner   number of the record in its gzip member.
    error   reason, with empty `data`; `url` is the record's where readable.
    """

    offset: int
    inner: int
    url: str
    data: bytes = b""
    media_type: str | None = None
    seen: str | None = None
    status: int | None = None
    error: str = ""


class Passed(NamedTuple):
    """Record without a page."""

    offset: int
    inner: int


def read_stretch(file: IO[bytes], start: int, end: int, resumed_at: int | None = None) -> Iterator[Record | Passed]:
    """Records that begin in the bytes `start` to `end` (exclusive).

    resumed_at  a known beginning of a record, to begin there in place of `start`.
    """
    file.seek(0)
    packed = file.read(len(_MAGIC)) == _MAGIC
    size = file.seek(0, io.SEEK_END)
    stretch = _Packed(file, size) if packed else _Plain(file, size)
    position = resumed_at if resumed_at is not None else (0 if start == 0 else stretch.find(start, min(end, size)))
    if position is not None:
        yield from stretch.records(position, min(end, size))


class _Reader:
    """Window of a file, moved forward."""

    def __init__(self, file: IO[bytes], size: int) -> None:
        self.file, self.size = file, size

    def at(self, offset: int, length: int) -> bytes:
        self.file.seek(offset)
        return self.file.read(length)


class _Packed(_Reader):
    """Archive with record by record compressed."""

    def find(self, start: int, end: int) -> int | None:
        """First byte of a gzip member with a record, from `start` on and before `end`."""
        base = start
        while base < end:
            # Chunks overlap by the magic bytes, which may cross the border of two.
            data = self.at(base, _CHUNK + len(_MAGIC))
            at = data.find(_MAGIC)
            while 0 <= at < _CHUNK:
                if base + at >= end:
                    return None
                if self._begins_record(base + at):
                    return base + at
                at = data.find(_MAGIC, at + 1)
            base += _CHUNK
        return None

    def _begins_record(self, offset: int) -> bool:
        try:
            # The three bytes of a gzip header occur in compressed data by chance: only a member that unpacks to a
            # record counts.
            return zlib.decompressobj(_GZIP).decompress(self.at(offset, 4096), len(_VERSION)) == _VERSION
        except zlib.error:
            return False

    def records(self, offset: int, end: int) -> Iterator[Record | Passed]:
        while offset < end:
            data, length, error = self._member(offset)
            # A member of line ends or zeros alone holds no record.
            if not error and not data.strip(b"\r\n\0"):
                offset += length
                continue
            if error:
                yield _broken(offset, 0, data, error)
            else:
                yield from _records_in(data, offset)
            # After damage the next record is searched: its place cannot be computed from this one.
            following = offset + length if not error else self.find(offset + 1, end)
            if following is None:
                return
            if not error and following < end and self._is_damaged(following):
                yield _broken(following, 0, b"", "the archive is damaged here")
                following = self.find(following + 1, end)
                if following is None:
                    return
            offset = following

    def _is_damaged(self, offset: int) -> bool:
        """Whether something else than a gzip member, or zeros at the end of a file, begins at a place."""
        return self.at(offset, len(_MAGIC)) != _MAGIC and bool(self.at(offset, 64).strip(b"\0"))

    def _member(self, offset: int) -> tuple[bytes, int, str]:
        """(content, compressed length, error) of the gzip member at `offset`."""
        parts: list[bytes] = []
        held, used = 0, 0
        member = zlib.decompressobj(_GZIP)
        self.file.seek(offset)
        rest, chunk = b"", _FIRST_CHUNK
        try:
            while not member.eof:
                if not rest:
                    rest = self.file.read(chunk)
                    chunk = min(chunk * 4, _CHUNK)
                    used += len(rest)
                    if not rest:
                        return b"".join(parts), used, "the archive breaks off in this record"
                # Bounded: a small member may unpack to gigabytes.
                part = member.decompress(rest, _CHUNK * 4)
                rest = member.unconsumed_tail
                held += len(part)
                # The first part has the headers, and with them the URL for the error.
                if held > MAX_RECORD_BYTES:
                    return parts[0], used, _TOO_LARGE
                parts.append(part)
        except zlib.error as error:
            return b"".join(parts), used, f"the compressed data is damaged ({error})"
        # The last chunk was read past the member's end.
        return b"".join(parts), used - len(member.unused_data), ""


_TOO_LARGE = f"it is larger than {MAX_BYTES >> 20} MiB"


class _Plain(_Reader):
    """Archive without compression."""

    def find(self, start: int, end: int) -> int | None:
        """First byte of a record, from `start` on and before `end`."""
        base = max(start - 1, 0)  # the line end before the record
        while base < end:
            # Chunks overlap, as long as a version with its line ends may be.
            data = self.at(base, _CHUNK + 16)
            for found in _START.finditer(data):
                at = base + found.start() + (found[0][:1] == b"\n")
                if at >= end or found.start() >= _CHUNK:
                    break
                if at >= start and self._length(at) is not None:
                    return at
            base += _CHUNK
        return None

    def _length(self, offset: int) -> tuple[bytes, int] | None:
        """(header, bytes of the content) of the record at `offset`; None where no record begins there."""
        head, behind, _ = self.at(offset, _MAX_HEADER_BYTES).partition(b"\r\n\r\n")
        length = _LENGTH.search(head)
        return (head, int(length[1])) if behind and length and head.startswith(_VERSION) else None

    def records(self, offset: int, end: int) -> Iterator[Record | Passed]:
        while offset < end:
            found = self._length(offset)
            if found is None:
                yield _broken(offset, 0, self.at(offset, 4096), "the archive is damaged here")
                following = self.find(offset + 1, end)
            else:
                head, length = found
                behind = offset + len(head) + 4 + length
                error = self._wrong_end(behind, length)
                # Without another record behind it the file was cut short; with one, the length is wrong.
                if error and behind > self.size and self.find(offset + 1, self.size) is None:
                    error = "the archive breaks off in this record"
                if error:
                    yield _broken(offset, 0, head, error)
                    following = self.find(offset + 1, end)
                else:
                    if _TYPE.search(head):
                        data = self.at(offset, min(len(head) + 4 + length, MAX_RECORD_BYTES))
                        yield from _records_in(data, offset, is_cut=behind - offset > len(data))
                    else:
                        yield Passed(offset, 0)
                    following = behind + self._line_ends(behind)
            if following is None:
                return
            offset = following

    def _wrong_end(self, behind: int, length: int) -> str:
        if behind > self.size:
            return f"the record says that it has {length:,} bytes, which the archive has not"
        rest = self.at(behind, _LINE_ENDS)
        if rest.strip(b"\r\n") and not rest.lstrip(b"\r\n").startswith(_VERSION):
            return f"the record says that it has {length:,} bytes, and does not end there"
        return ""

    def _line_ends(self, behind: int) -> int:
        rest = self.at(behind, _LINE_ENDS)
        return len(rest) - len(rest.lstrip(b"\r\n"))


# Two line ends close a record (WARC 1.1, section 4); none and more, up to this many bytes, are read as well.
_LINE_ENDS = 32


def _broken(offset: int, inner: int, head: bytes, error: str) -> Record:
    url = _URI.search(head[:_MAX_HEADER_BYTES].partition(b"\r\n\r\n")[0])
    return Record(offset, inner, url[1].decode("utf-8", "replace").strip() if url else "", error=error)


def _records_in(data: bytes, offset: int, *, is_cut: bool = False) -> Iterator[Record | Passed]:
    """Records in the bytes of a record, or of a gzip member with several records."""
    inner, start = 0, 0
    while start < len(data):
        head, behind, _ = data[start : start + _MAX_HEADER_BYTES].partition(b"\r\n\r\n")
        length = _LENGTH.search(head)
        if not behind or length is None or not head.startswith(_VERSION):
            yield _broken(offset, inner, b"", "this is not a record of a web archive")
            return
        stop = start + len(head) + 4 + int(length[1])
        if stop > len(data) and not is_cut:
            error = f"the record says that it has {int(length[1]):,} bytes, which it has not"
            yield _broken(offset, inner, head, error)
            return
        rest = data[stop : stop + _LINE_ENDS].lstrip(b"\r\n")
        if rest and not rest.startswith(_VERSION):
            error = f"the record says that it has {int(length[1]):,} bytes, and does not end there"
            yield _broken(offset, inner, head, error)
            return
        if not _TYPE.search(head) or not _HTTP.search(head):
            yield Passed(offset, inner)
        else:
            yield _record(data[start:stop], offset, inner, head)
        start = stop + len(data[stop : stop + _LINE_ENDS]) - len(rest)
        inner += 1


def _record(data: bytes, offset: int, inner: int, head: bytes) -> Record | Passed:
    try:
        record = next(records_of(io.BytesIO(data), "all"), None)
        if record is None or not is_page(record):
            return Passed(offset, inner)
        body = record.reader.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        return _broken(offset, inner, head, record_error(error))
    url = (record.headers.get("WARC-Target-URI") or "").strip("<>")
    if len(body) > MAX_BYTES:
        return Record(offset, inner, url, error=_TOO_LARGE)
    status = record.http_headers.status_code if record.http_headers is not None else None
    return Record(offset, inner, url, body, media_type_of(record), record.headers.get("WARC-Date"), status)
