"""Web archives (WARC): pages addressed by the byte offset of a record."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal, NamedTuple

from waypost.errors import MissingExtra, Unreadable

if TYPE_CHECKING:
    from fastwarc.warc import WarcRecord

ENDINGS = (".warc", ".warc.gz")
MAX_PAGES = 1_000_000
_PAGES = ("text/html", "application/xhtml+xml", "application/ld+json")
_MAX_HEADER_BYTES = 65_536


class ArchivedPage(NamedTuple):
    """Page of an archive: byte offset of the record, and URL.

    error  reason why the archive cannot be read from here on; an entry with an error has no page.
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
    number, previous = 0, -1
    for record in _records(file):
        if not _is_page(record):
            continue
        if record.stream_pos == previous:
            yield ArchivedPage(-1, "", "it is packed as a whole; pack it record by record, as the WARC standard asks")
            return
        previous = record.stream_pos
        number += 1
        if number > MAX_PAGES:
            yield ArchivedPage(-1, "", f"more than {MAX_PAGES:,} pages are not read")
            return
        yield ArchivedPage(record.stream_pos, (record.headers.get("WARC-Target-URI") or "").strip("<>"))
    if previous < 0 and Path(path).stat().st_size and not _has_records(path):
        yield ArchivedPage(-1, "", "this is no web archive")


def _has_records(path: str) -> bool:
    with Path(path).open("rb") as file:
        return next(iter(_records(file)), None) is not None


def _records(file: BinaryIO, auto_decode: Literal["none", "all"] = "none") -> Iterator[WarcRecord]:
    try:
        from fastwarc.warc import ArchiveIterator
    except ImportError:
        raise MissingExtra("fastwarc", "warc", "to read web archives") from None
    records: Iterator[WarcRecord] = ArchiveIterator(
        file, parse_http=True, auto_decode=auto_decode, max_header_len=_MAX_HEADER_BYTES, fsspec_args=False
    )
    return records


def _is_page(record: WarcRecord) -> bool:
    from fastwarc.warc import WarcRecordType

    if record.record_type != WarcRecordType.response or record.http_headers is None:
        return False
    status = record.http_headers.status_code
    return (
        status is not None and 200 <= status < 300 and _media_type(record).partition(";")[0].strip().lower() in _PAGES
    )


def _media_type(record: WarcRecord) -> str:
    return (record.http_headers.get("Content-Type") if record.http_headers is not None else None) or ""


def read_page_at(path: str, name: str, offset: int, max_bytes: int) -> tuple[bytes, str]:
    """(bytes of the page whose record begins at `offset`, Content-Type). Raises Unreadable about `name`."""
    try:
        with Path(path).open("rb") as file:
            file.seek(offset)
            record = next(iter(_records(file, "all")))
            media_type = _media_type(record)
            data: bytes = record.reader.read(max_bytes + 1)
    except StopIteration:
        raise Unreadable(name, "the archive has changed meanwhile") from None
    except MissingExtra as error:
        raise Unreadable(name, str(error)) from None
    except (OSError, ValueError) as error:
        raise Unreadable(name, f"the record cannot be read ({error})") from None
    if len(data) > max_bytes:
        raise Unreadable(name, f"it is larger than {max_bytes >> 20} MiB")
    return data, media_type
