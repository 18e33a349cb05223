"""Web archives (WARC): pages addressed by the byte offset of a record."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal, NamedTuple

from waypost.errors import MissingExtra, Unreadable
from waypost.formats.patterns import pattern

if TYPE_CHECKING:
    from fastwarc.warc import WarcRecord

ENDINGS = (".warc", ".warc.gz")
MAX_PAGES = 1_000_000
_PAGES = ("text/html", "application/xhtml+xml", "application/ld+json")
# A header without an end would otherwise be collected in memory without a bound.
_MAX_HEADER_BYTES = 65_536
_CONTENT_LENGTH = pattern(rb"^content-length:[ \t]*(\d{1,18})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_CHUNK = 1 << 16
_GZIP = 31
"""Window of zlib for data with the header of gzip."""


class ArchivedPage(NamedTuple):
    """Page of an archive: byte offset of the record, and URL.

    error  reason why the archive cannot be read from here on; an entry with an error has no page, but the URL of the
           page that is cut off, and the offset of the record that is.
    """

    offset: int
    url: str
    error: str = ""


def is_archive(name: str) -> bool:
    return name.lower().endswith(ENDINGS)


def pages_of(path: str) -> Iterator[ArchivedPage]:
    """Pages of an archive, in order. Raises nothing: an unreadable archive yields an entry with an error."""
    try:
        with Path(path).open("rb") as file:
            yield from _pages(file, path)
    except MissingExtra as error:
        yield ArchivedPage(-1, "", str(error))
    except OSError as error:
        # fastwarc reports damaged archives as OSError without a number.
        why = (error.strerror or "").lower() or f"the archive is damaged ({error})"
        yield ArchivedPage(-1, "", why)


def _pages(file: BinaryIO, path: str) -> Iterator[ArchivedPage]:
    number, last = 0, -1
    # Held back until the next record: the page at the end of a cut archive is not all there.
    waiting: ArchivedPage | None = None
    for record in records_of(file):
        if waiting is not None and record.stream_pos != waiting.offset:
            yield waiting
            waiting = None
        last = record.stream_pos
        if not is_page(record):
            continue
        # Two pages at one offset: the file is one gzip member, in which a record cannot be reached by its offset.
        if waiting is not None:
            yield waiting
            yield ArchivedPage(-1, "", "it is packed as a whole; pack it record by record, as the WARC standard asks")
            return
        number += 1
        if number > MAX_PAGES:
            yield ArchivedPage(-1, "", f"more than {MAX_PAGES:,} pages are not read")
            return
        waiting = ArchivedPage(last, (record.headers.get("WARC-Target-URI") or "").strip("<>"))
    if last < 0:
        if Path(path).stat().st_size:
            yield ArchivedPage(-1, "", "this is not a web archive")
    elif not _ends_with_its_record(path, last):
        where = "in this page" if waiting else "in a record that is not a page"
        yield ArchivedPage(last, waiting.url if waiting else "", f"the archive breaks off {where}")
    elif waiting is not None:
        yield waiting


def _ends_with_its_record(path: str, offset: int) -> bool:
    """Whether the record at `offset` is complete, and the last of the file. The reader passes over a cut one."""
    with Path(path).open("rb") as file:
        is_packed = file.read(2) == b"\x1f\x8b"
        file.seek(offset)
        return _is_whole_member(file) if is_packed else _is_whole_record(file)


def _is_whole_member(file: BinaryIO) -> bool:
    """Whether the rest of the file is complete gzip members, each with the right checksum."""
    member = zlib.decompressobj(_GZIP)
    while data := file.read(_CHUNK):
        try:
            while data:
                while data and not member.eof:
                    member.decompress(data, _CHUNK)
                    data = member.unconsumed_tail if not member.eof else member.unused_data
                if data:
                    member = zlib.decompressobj(_GZIP)
        except zlib.error:
            return False
    return member.eof


def _is_whole_record(file: BinaryIO) -> bool:
    """Whether the rest of the file is one record with as many bytes as its header says."""
    file_size = os.fstat(file.fileno()).st_size
    head, end, body = file.read(_MAX_HEADER_BYTES).partition(b"\r\n\r\n")
    length = _CONTENT_LENGTH.search(head)
    if not end or length is None:
        return False
    behind = file.seek(int(length[1]) - len(body), os.SEEK_CUR)
    return behind <= file_size and not file.read(_CHUNK).strip(b"\r\n")


def record_error(error: Exception) -> str:
    """Reason why a record cannot be read, in words."""
    return f"the record cannot be read ({error})"


def records_of(file: BinaryIO, auto_decode: Literal["none", "all"] = "none") -> Iterator[WarcRecord]:
    """Records of an archive. Raises MissingExtra, OSError for a damaged archive."""
    try:
        from fastwarc.warc import ArchiveIterator
    except ImportError:
        raise MissingExtra("fastwarc", "warc", "to read web archives") from None
    records: Iterator[WarcRecord] = ArchiveIterator(
        file, parse_http=True, auto_decode=auto_decode, max_header_len=_MAX_HEADER_BYTES, fsspec_args=False
    )
    return records


def is_page(record: WarcRecord) -> bool:
    """Whether a record is a successful response with a page."""
    from fastwarc.warc import WarcRecordType

    if record.record_type != WarcRecordType.response or record.http_headers is None:
        return False
    status = record.http_headers.status_code
    return (
        status is not None and 200 <= status < 300 and media_type_of(record).partition(";")[0].strip().lower() in _PAGES
    )


def media_type_of(record: WarcRecord) -> str:
    """Content-Type of a response; empty without one."""
    return (record.http_headers.get("Content-Type") if record.http_headers is not None else None) or ""


def read_page_at(path: str, name: str, offset: int, max_bytes: int) -> tuple[bytes, str]:
    """(bytes of the page whose record begins at `offset`, Content-Type). Raises Unreadable about `name`."""
    try:
        with Path(path).open("rb") as file:
            file.seek(offset)
            # "all" also undoes Content-Encoding, which the archive keeps as it came from the server.
            record = next(iter(records_of(file, "all")))
            # One byte more than allowed distinguishes a page that is too large from one that just fits.
            media_type = media_type_of(record)
            data: bytes = record.reader.read(max_bytes + 1)
    except StopIteration:
        raise Unreadable(name, "the archive has changed meanwhile") from None
    except MissingExtra as error:
        raise Unreadable(name, str(error)) from None
    except (OSError, ValueError) as error:
        raise Unreadable(name, record_error(error)) from None
    if len(data) > max_bytes:
        raise Unreadable(name, f"it is larger than {max_bytes >> 20} MiB")
    return data, media_type
