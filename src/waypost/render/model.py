"""Pages to render, limits, and rendered pages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

if TYPE_CHECKING:
    from waypost.reader.archive_answers import ArchiveAnswers


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of a page.

    total_s       seconds, with the time of servers; a page with endless scripts is ended.
    virtual_ms    milliseconds of the page's own clock, which runs ahead while no answer is pending: timers up to the
                  limit have run, and results do not depend on the speed of the machine.
    requests      answered requests.
    answer_bytes  bytes of the answers together; `page_bytes` of the rendered page.
    """

    total_s: float = 15.0
    virtual_ms: int = 5_000
    requests: int = 300
    answer_bytes: int = 30_000_000
    page_bytes: int = 16_000_000


class Target(NamedTuple):
    """Page to render, with bytes from an earlier read.

    url         address of the page; of an unpublished file below `folders.ORIGIN`.
    data        bytes of the page, of type `media_type`.
    owner       URL on the web, with the private host and the secrets for requests of the page; empty for a file.
    root        folder with the site of a file, published at `base`; None for a page from the web.
    obeys       whether robots.txt counts for the page's requests.
    is_paced    whether the page's requests wait for the pace of their hosts, as in a crawl.
    archive     archive with the page at `offset`: what the page requests comes from there alone.
    """

    url: str
    data: bytes
    media_type: str
    owner: str = ""
    root: Path | None = None
    base: str = ""
    obeys: bool = False
    is_paced: bool = False
    archive: ArchiveAnswers | None = None
    offset: int = 0


class Writer(msgspec.Struct, frozen=True):
    """Script with the statement for a block: address, line and column, 1-based."""

    url: str
    line: int
    column: int


class Denial(msgspec.Struct, frozen=True):
    """Denied request: kind of resource, host, reason, number."""

    kind: str
    host: str
    why: str
    count: int = 1


class Rendered(msgspec.Struct, kw_only=True):
    """Page after its scripts.

    outcome   rendered, or failed for a `reason`.
    html      page as UTF-8, shadow trees in place. Elements without display have the attribute `data-waypost-hidden`,
              struck texts `data-waypost-struck`, displayed elements of a class for hidden ones
              `data-waypost-displayed`.
    url       address at the end.
    writers   syntax -> scripts of the blocks, in document order; None for a block of the page as sent.
    requests  number of answered requests; `denied` has the rest.
    errors    first errors of scripts.
    """

    outcome: Literal["rendered", "failed"]
    reason: str = ""
    html: bytes = b""
    url: str = ""
    writers: dict[str, list[Writer | None]] = {}
    requests: int = 0
    denied: list[Denial] = []
    errors: list[str] = []
