"""Page sources: bytes of an input, read or fetched, with the kind of the page, and the parser for them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import IO, TYPE_CHECKING

from waypost.errors import Unreadable
from waypost.formats.source_kinds import kind_of_source
from waypost.lint.inputs import Input, read
from waypost.reader.archives import read_page_at
from waypost.reader.sources import MAX_BYTES, PageSource, parse_source, response_source
from waypost.registry import shared_registry

if TYPE_CHECKING:
    from waypost.models.page import Page
    from waypost.net.access import Access


class PageStore:
    """Sources readable only once, by path in the report.

    Bytes beyond `IN_MEMORY_BYTES` go to a temporary file without a name.
    """

    IN_MEMORY_BYTES = 64 << 20

    def __init__(self) -> None:
        self._pages: dict[str, tuple[PageSource, int, int]] = {}
        self._file: IO[bytes] | None = None

    def __setitem__(self, path: str, page: PageSource) -> None:
        import tempfile

        if self._file is None:
            self._file = tempfile.SpooledTemporaryFile(self.IN_MEMORY_BYTES)  # noqa: SIM115 - closed in `close`
        start = self._file.seek(0, os.SEEK_END)
        self._file.write(page.data)
        self._pages[path] = (page._replace(data=b""), start, len(page.data))

    def get(self, path: str) -> PageSource | None:
        if path not in self._pages or self._file is None:
            return None
        page, start, length = self._pages[path]
        self._file.seek(start)
        return page._replace(data=self._file.read(length))

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


def open_page(item: Input, allow_private: bool, access: Access | None = None) -> PageSource:
    """Read or fetch an input. Raises Unreadable.

    access  user agent and secrets of the request.
    """
    if item.error:
        raise Unreadable(item.path, item.error)
    if item.kind == "url":
        return _fetch(item, allow_private, access)
    if item.kind == "archived":
        data, media_type = read_page_at(item.where, item.path, item.offset, MAX_BYTES)
        return page_from_response(item, 200, data, item.url or "", media_type)
    data = read(item)
    return PageSource(data, kind_of_source(item.path, data), item.url, None)


def _fetch(item: Input, allow_private: bool, access: Access | None) -> PageSource:
    from waypost.lint.fetching import policy_for
    from waypost.net.crawl import Crawler

    policy = policy_for([] if item.from_list else [item.where], allow_private)
    with Crawler(robots=False, policy=policy, access=access) as crawler:
        ((_, answer),) = crawler.pages([item.where])
    if answer.url is None:
        raise Unreadable(item.path, answer.reason)
    return page_from_response(item, answer.status, answer.data, answer.url.reveal(), answer.media_type)


def page_from_response(item: Input, status: int, data: bytes, url: str, media_type: str | None) -> PageSource:
    """Page in a server's answer. Raises Unreadable for an error status and for binary data."""
    return response_source(item.path, status, data, item.url or url, media_type)


def parse_page(source: PageSource, path: str, syntaxes: Iterable[str] | None = None) -> Page:
    """Parse a source into nodes with locations. `syntaxes` limits the syntaxes read; None for no limit."""
    return parse_source(source, path, shared_registry().vocabulary, syntaxes)
