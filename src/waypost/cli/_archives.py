"""Web archives (WARC): the pages in them, each found again by where its record begins."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal, NamedTuple

from waypost.errors import MissingExtra, Unreadable

if TYPE_CHECKING:
    from fastwarc.warc import WarcRecord

ENDINGS = (".warc", ".warc.gz")
MOST_PAGES = 1_000_000
_PAGES = ("text/html", "application/xhtml+xml", "application/ld+json")
_LONGEST_HEADER = 65_536


class Archived(NamedTuple):
    """A page of an archive: where its record begins, in bytes of the file, and its address.

    fault  in place of a page: why the archive, or the rest of it, cannot be read.
    """

    offset: int
    url: str
    fault: str = ""


def is_archive(name: str) -> bool:
    return name.lower().endswith(ENDINGS)


def pages_of(path: str) -> Iterator[Archived]:
    """Every answer in an archive that is a page, in their order. Never raises for what is in the file."""
    try:
        with Path(path).open("rb") as file:
            yield from _pages(file, path)
    except MissingExtra as fault:
        yield Archived(-1, "", str(fault))
    except OSError as fault:
        # fastwarc reports damaged archives as OSError without a number.
        why = (fault.strerror or "").lower() or f"the archive is damaged ({fault})"
        yield Archived(-1, "", why)


def _pages(file: BinaryIO, path: str) -> Iterator[Archived]:
    number, before = 0, -1
    for record in _records(file):
        if not _is_page(record):
            continue
        if record.stream_pos == before:
            yield Archived(-1, "", "it is packed as a whole; pack it record by record, as the WARC standard asks")
            return
        before = record.stream_pos
        number += 1
        if number > MOST_PAGES:
            yield Archived(-1, "", f"more than {MOST_PAGES:,} pages are not read")
            return
        yield Archived(record.stream_pos, (record.headers.get("WARC-Target-URI") or "").strip("<>"))
    if before < 0 and Path(path).stat().st_size and not _records_at_all(path):
        yield Archived(-1, "", "this is no web archive")


def _records_at_all(path: str) -> bool:
    with Path(path).open("rb") as file:
        return next(iter(_records(file)), None) is not None


def _records(file: BinaryIO, auto_decode: Literal["none", "all"] = "none") -> Iterator[WarcRecord]:
    try:
        from fastwarc.warc import ArchiveIterator
    except ImportError:
        raise MissingExtra("fastwarc", "warc", "to read web archives") from None
    records: Iterator[WarcRecord] = ArchiveIterator(
        file, parse_http=True, auto_decode=auto_decode, max_header_len=_LONGEST_HEADER, fsspec_args=False
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


def read_page_at(path: str, shown: str, offset: int, most_bytes: int) -> tuple[bytes, str]:
    """(the page whose record begins there, its Content-Type). Raises Unreadable."""
    try:
        with Path(path).open("rb") as file:
            file.seek(offset)
            record = next(iter(_records(file, "all")))
            media_type = _media_type(record)
            data: bytes = record.reader.read(most_bytes + 1)
    except StopIteration:
        raise Unreadable(shown, "the archive has changed meanwhile") from None
    except MissingExtra as fault:
        raise Unreadable(shown, str(fault)) from None
    except (OSError, ValueError) as fault:
        raise Unreadable(shown, f"the record cannot be read ({fault})") from None
    if len(data) > most_bytes:
        raise Unreadable(shown, f"it is larger than {most_bytes >> 20} MiB")
    return data, media_type
