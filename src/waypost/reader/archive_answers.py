"""Answers of a web archive by address, for a page that is rendered from the archive alone."""

from __future__ import annotations

from bisect import bisect_left
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin

from waypost.errors import MissingExtra
from waypost.reader.archives import records_of

if TYPE_CHECKING:
    from fastwarc.warc import WarcRecord

MOST_ANSWERS = 1_000_000
_MOST_REDIRECTS = 5
_HEADERS = (
    "access-control-allow-credentials", "access-control-allow-origin", "content-language", "content-security-policy",
    "content-type", "cross-origin-resource-policy", "location", "referrer-policy", "x-content-type-options",
    "x-frame-options",
)  # fmt: skip


class ArchivedAnswer(NamedTuple):
    """Answer in an archive. `url`: after redirects within the archive; `headers`: names in lower case."""

    url: str
    status: int
    headers: dict[str, str]
    data: bytes


class ArchiveAnswers:
    """Answers of an archive by address: an index of the offsets, and the records on the disk.

    A damaged archive has the answers before the damage. Raises MissingExtra.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._offsets: dict[int, list[int]] = {}
        self._payloads: dict[int, int] = {}
        # What cannot be read is reported with the pages of the archive.
        with suppress(OSError), Path(path).open("rb") as file:
            for number, record in enumerate(records_of(file)):
                if number >= MOST_ANSWERS:
                    break
                self._add(record)

    def _add(self, record: WarcRecord) -> None:
        from fastwarc.warc import WarcRecordType

        is_response = record.record_type == WarcRecordType.response
        if not is_response and record.record_type != WarcRecordType.revisit:
            return
        if record.http_headers is None or not record.http_headers.status_code:
            return
        url = (record.headers.get("WARC-Target-URI") or "").strip("<>")
        self._offsets.setdefault(_key(url), []).append(record.stream_pos)
        if is_response and (digest := record.headers.get("WARC-Payload-Digest")):
            self._payloads.setdefault(_key(digest), record.stream_pos)

    def answer(self, url: str, near: int, most: int) -> ArchivedAnswer | None:
        """Answer for an address, by its last redirect; None for an address that the archive does not have.

        near  offset of the page: of several answers the first one behind the page counts, as a crawl requests them.
        most  bytes of an answer; the rest is cut off.
        """
        for _ in range(_MOST_REDIRECTS):
            offsets = self._offsets.get(_key(url))
            if not offsets:
                return None
            found = self._read(url, offsets[min(bisect_left(offsets, near), len(offsets) - 1)], most)
            target = found.headers.get("location") if found is not None and 300 <= found.status < 400 else None
            if target is None:
                return found
            url = urljoin(url, target)
        return None

    def _read(self, url: str, offset: int, most: int) -> ArchivedAnswer | None:
        from fastwarc.warc import WarcRecordType

        try:
            with Path(self._path).open("rb") as file:
                file.seek(offset)
                record = next(iter(records_of(file, "all")))
                head = record.http_headers
                assert head is not None
                headers = {name: value for name in _HEADERS if (value := head.get(name)) is not None}
                if record.record_type == WarcRecordType.revisit:
                    # A crawl writes the content of equal answers once, and refers to it by its digest.
                    earlier = self._payloads.get(_key(record.headers.get("WARC-Payload-Digest") or ""))
                    data = b"" if earlier is None else self._data_at(earlier, most)
                else:
                    data = record.reader.read(most)
                return ArchivedAnswer(url, head.status_code or 0, headers, data)
        except (OSError, ValueError, StopIteration, MissingExtra):
            return None

    def _data_at(self, offset: int, most: int) -> bytes:
        with Path(self._path).open("rb") as file:
            file.seek(offset)
            return next(iter(records_of(file, "all"))).reader.read(most)


def _key(text: str) -> int:
    text = text.partition("#")[0]
    # A browser writes the slash of a host's front page.
    text += "/" * (text.count("/") == 2)
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "big")
