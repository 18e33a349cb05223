"""Values of a crawl: units of work, settings, and the messages of a worker."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, TypeAlias

import msgspec

from waypost.config import Config

UNIT_BITS = 32
"""Number of a page: the number of the unit, shifted by so many bits, plus the place in the unit."""


class CrawlFile(msgspec.Struct, frozen=True, array_like=True):
    """File to check: path for the operating system, name in the report, URL of its publication, found in a folder."""

    where: str
    path: str
    url: str | None = None
    walked: bool = False


class StretchUnit(msgspec.Struct, frozen=True, tag="archive", kw_only=True):
    """Records of an archive, beginning in the bytes `start` to `end` (exclusive). `size_bytes`: of the archive."""

    number: int
    where: str
    path: str
    start: int
    end: int
    size_bytes: int

    @property
    def cost(self) -> int:
        return self.end - self.start


class FilesUnit(msgspec.Struct, frozen=True, tag="files", kw_only=True):
    """Some files, in order; `size_bytes` of all together."""

    number: int
    files: tuple[CrawlFile, ...]
    size_bytes: int

    @property
    def cost(self) -> int:
        return self.size_bytes


class SiteUnit(msgspec.Struct, frozen=True, tag="site", kw_only=True):
    """Addresses of a registrable domain: fetched by a single task, because the pace of a site is never divided."""

    number: int
    site: str
    urls: tuple[str, ...]

    @property
    def cost(self) -> int:
        return len(self.urls) * PAGE_COST


PAGE_COST = 100_000
"""Bytes per address, for the order of the units and the time left."""
Unit: TypeAlias = StretchUnit | FilesUnit | SiteUnit


class FetchSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Pace and limits of fetching, as the options of the command line give them.

    named  allowed (host, port) pairs outside the public internet or the usual ports.
    agent  User-Agent; empty for waypost's own.

    Secrets are no part of it: they are given again when a crawl goes on, and stand in no file.
    """

    rate: float = 10.0
    connections: int = 4
    retries: int = 2
    timeout_s: float = 20.0
    total_s: float = 3600.0
    robots: bool = True
    allow_private: bool = False
    named: tuple[tuple[str, int], ...] = ()
    agent: str = ""


class RenderSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Rendering of pages in a browser.

    share      share of the pages, above 0 to 1; which ones is decided by their addresses.
    timeout_s  seconds for the scripts of a page.
    folders    folders named by the user: sites, whose files are served to their pages.
    """

    share: float
    timeout_s: float = 15.0
    folders: tuple[str, ...] = ()


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of every page of a crawl.

    page_s        seconds for a page, after which the worker is ended.
    memory_bytes  address space of a worker; 0 sets no limit.
    feeds         files with feeds of products, which are compared when all pages are checked.
    render        None to render no page.
    """

    now: datetime
    site: str = ""
    profiles: tuple[str, ...] = ()
    syntaxes: tuple[str, ...] | None = None
    config: Config = Config()
    page_s: float = 30.0
    memory_bytes: int = 2 << 30
    fetch: FetchSettings = FetchSettings()
    feeds: tuple[str, ...] = ()
    render: RenderSettings | None = None
    template: Literal["no"] = "no"  # a crawl reads built pages


class Position(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Place in a unit: byte of the archive or number of the file, and number of the record at the byte.

    rows  pages with a row before this place: the next page has this number.
    """

    at: int
    inner: int = 0
    rows: int = 0


class PageInfo(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Facts of a page before it is checked."""

    path: str
    source: str
    url: str | None = None
    offset: int | None = None
    seen: str | None = None
    status: int | None = None
    walked: bool = False


# Messages of a worker.


class Begin(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A page was read and is about to be checked. Equal keys have equal rows, apart from the page's own facts.

    position  place behind the page, for the next worker should the page end this one.
    is_known  the key is one of the driver's, or of an earlier page of the unit: the page is not checked.
    """

    position: Position
    info: PageInfo
    size_bytes: int
    content: str
    key: bytes
    is_known: bool = False


class Rows(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Rows of the page begun before, encoded; empty for a file without a page."""

    data: bytes


class Unread(msgspec.Struct, frozen=True, array_like=True):
    """A page could not be read. `outcome` as in the table of pages."""

    position: Position
    info: PageInfo
    error: str
    outcome: str = "unreadable"
    content: str | None = None


class At(msgspec.Struct, frozen=True, array_like=True):
    """The worker is alive, and reads on at a place."""

    position: Position


Message: TypeAlias = Begin | Rows | Unread | At


class CheckedRows(msgspec.Struct, array_like=True):
    """Rows of a checked page, without the number and the facts of `PageInfo`.

    url       the page's own address.
    page      columns of the page from the check, in order: those from `shape` on.
    items     rows of the table of items in the order of the columns, without `page`; like the findings.
    paths     paths of the shape.
    facts     packed facts for the comparison with further pages.
    rendering row of the table of renderings, without `page`; None for a page that was not rendered.
    """

    url: str | None
    page: list[Any]
    items: list[list[Any]] = []
    findings: list[list[Any]] = []
    paths: list[str] = []
    facts: bytes = b""
    rendering: list[Any] | None = None
