"""Sitemaps: URLs of a site's pages in the format of sitemaps.org (protocol 0.9, read 2026-11-20).

XML, an index of sitemaps, or a text with a URL per line; optionally packed with gzip. Pure functions with the limits
of the protocol. Documents with a DTD are rejected, so that no entity is expanded.
"""

from __future__ import annotations

import re
import zlib
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from xml.parsers import expat

MOST_BYTES = 52_428_800
MOST_ENTRIES = 50_000
"""Limits of the protocol for a file."""
_LONGEST_URL = 8192


class Entry(NamedTuple):
    """URL with the time of its last change; None where absent or invalid."""

    url: str
    modified: datetime | None = None


class Sitemap(NamedTuple):
    """Entries of a file: `pages`, or `sitemaps` of an index. `error` is the reason why the rest was not read."""

    pages: list[Entry]
    sitemaps: list[Entry]
    error: str = ""


def read(data: bytes) -> Sitemap:
    """Sitemap of a file. Never raises: entries before a defect are kept, and `error` describes the defect."""
    if data.startswith(b"\x1f\x8b"):
        try:
            unpack = zlib.decompressobj(16 + zlib.MAX_WBITS)
            # One byte more than allowed distinguishes a file of exactly the limit from a larger one.
            data = unpack.decompress(data, MOST_BYTES + 1)
        except zlib.error:
            return Sitemap([], [], "it is damaged: what is packed as gzip cannot be unpacked")
        if not unpack.eof and len(data) <= MOST_BYTES:
            return Sitemap([], [], "it is damaged: the packed data ends in the middle")
    if len(data) > MOST_BYTES:
        return Sitemap([], [], f"it is larger than the {MOST_BYTES >> 20} MiB that a sitemap may have")
    head = data[:200].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head[:14].lower() == b"<!doctype html":
        return Sitemap([], [], "this is not a sitemap but an HTML page")
    if head[:1] == b"<" or data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _Reader().read(data)
    return _text(data)


def _text(data: bytes) -> Sitemap:
    lines = (line.strip() for line in data.decode("utf-8-sig", "replace").splitlines())
    urls = [line for line in lines if line.lower().startswith(("http://", "https://")) and len(line) <= _LONGEST_URL]
    if not urls:
        return Sitemap([], [], "this is not a sitemap: neither XML nor a list of addresses")
    over = _too_many() if len(urls) > MOST_ENTRIES else ""
    return Sitemap([Entry(url) for url in urls[:MOST_ENTRIES]], [], over)


def _too_many() -> str:
    return f"it lists more than the {MOST_ENTRIES:,} addresses that a sitemap may have; the rest is left out"


class _Stop(Exception):
    """End of reading, with the reason as text."""


class _Reader:
    """Reader of the XML. Only a `loc` directly in `url` or `sitemap` counts; images and videos have their own."""

    def __init__(self) -> None:
        self._found = Sitemap([], [])
        self._path: list[str] = []
        self._text: list[str] = []
        self._loc = self._modified = ""

    def read(self, data: bytes) -> Sitemap:
        parser = expat.ParserCreate(namespace_separator="}")
        parser.StartDoctypeDeclHandler = self._doctype
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self._text.append
        error = ""
        try:
            parser.Parse(data, True)
        except _Stop as stop:
            error = str(stop)
        except expat.ExpatError as broken:
            error = f"it is not well-formed XML ({expat.ErrorString(broken.code)}, line {broken.lineno})"
        return self._found._replace(error=error)

    def _doctype(self, *_: object) -> None:
        # Before any declaration is read: entities could expand to gigabytes.
        raise _Stop("this is not a sitemap but XML with a document type, which no sitemap has")

    def _start(self, name: str, _: dict[str, str]) -> None:
        local = name.rpartition("}")[2]
        if not self._path and local not in {"urlset", "sitemapindex"}:
            raise _Stop(f"this is not a sitemap: it begins with <{local[:40]}>, not <urlset> or <sitemapindex>")
        if len(self._path) > 20:
            raise _Stop("its elements are nested too deep")
        self._path.append(local)
        self._text.clear()
        if local in {"url", "sitemap"} and len(self._path) == 2:
            self._loc = self._modified = ""

    def _end(self, _: str) -> None:
        local = self._path.pop()
        # expat hands over a text in many pieces; one in this many is not an address.
        text = "".join(self._text).strip() if len(self._text) < 10_000 else ""
        self._text.clear()
        if self._path[1:] in (["url"], ["sitemap"]):
            if local == "loc":
                self._loc = text
            elif local == "lastmod":
                self._modified = text
        elif len(self._path) == 1 and local in {"url", "sitemap"} and 0 < len(self._loc) <= _LONGEST_URL:
            entries = self._found.pages if local == "url" else self._found.sitemaps
            if len(entries) >= MOST_ENTRIES:
                raise _Stop(_too_many())
            entries.append(Entry(self._loc, moment(self._modified)))


_WHEN = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?)?)?", re.ASCII
)


def moment(text: str) -> datetime | None:
    """End of the period that a W3C date and time names (a second, day, month or year); None for an invalid text."""
    found = _WHEN.fullmatch(text.strip())
    if found is None:
        return None
    year, month, day, hour, minute, second, zone = found.groups()
    try:
        if hour is not None:
            return datetime.fromisoformat(f"{year}-{month}-{day}T{hour}:{minute}:{second or '00'}{zone or '+00:00'}")
        start = datetime(int(year), int(month or 1), int(day or 1), tzinfo=UTC)
        if day:
            # The end of the period: a page changed some time on that day must not be left out as older.
            return start + timedelta(days=1, seconds=-1)
        following = (start.year + (not month or month == "12"), start.month % 12 + 1 if month else 1)
        return datetime(*following, 1, tzinfo=UTC) - timedelta(seconds=1)
    except (ValueError, OverflowError):
        return None
