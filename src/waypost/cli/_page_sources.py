"""Page sources: bytes of an input, read or fetched, with the kind of the page, and the parser for them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import IO, TYPE_CHECKING, NamedTuple

from waypost.cli._archives import read_page_at
from waypost.cli._inputs import MAX_BYTES, Input, Kind, is_binary, kind_of, read
from waypost.cli._registry import registry
from waypost.errors import FetchDenied, FetchFailed, Unreadable

if TYPE_CHECKING:
    from waypost.models.page import Page


class PageSource(NamedTuple):
    """Bytes of a page, kind and address; `media_type` is the Content-Type of a response."""

    data: bytes
    kind: Kind
    url: str | None
    media_type: str | None


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


def open_page(item: Input, allow_private: bool) -> PageSource:
    """Read or fetch an input. Raises Unreadable."""
    if item.error:
        raise Unreadable(item.path, item.error)
    if item.kind == "url":
        return _fetch(item, allow_private)
    if item.kind == "archived":
        data, media_type = read_page_at(item.where, item.path, item.offset, MAX_BYTES)
        return page_from_response(item, 200, data, item.url or "", media_type)
    data = read(item)
    return PageSource(data, kind_of(item.path, data), item.url, None)


def _fetch(item: Input, allow_private: bool) -> PageSource:
    from waypost.cli._fetching import policy_for
    from waypost.net.fetch import fetch

    try:
        response = fetch(item.where, policy=policy_for([] if item.from_list else [item.where], allow_private))
    except (FetchFailed, FetchDenied) as error:
        raise Unreadable(item.path, str(error)) from None
    return page_from_response(item, response.status, response.data, response.url.reveal(), response.media_type)


def page_from_response(item: Input, status: int, data: bytes, url: str, media_type: str | None) -> PageSource:
    """Page in a server's answer. Raises Unreadable for an error status and for binary data."""
    if status >= 400:
        raise Unreadable(item.path, f"the server answered with status {status}")
    if is_binary(data):
        raise Unreadable(item.path, f"this is no page but {media_type or 'binary data'}")
    return PageSource(data, _kind_of_response(data, media_type), item.url or url, media_type)


def _kind_of_response(data: bytes, media_type: str | None) -> Kind:
    """Kind by the Content-Type; by the first character where the type is neither HTML, JSON nor Markdown."""
    essence = (media_type or "").partition(";")[0].strip().lower()
    if essence in {"text/html", "application/xhtml+xml"}:
        return "html"
    if essence == "text/markdown":
        return "markdown"
    return "json" if essence == "application/json" or essence.endswith("+json") else kind_of("", data)


def parse_page(source: PageSource, path: str, syntaxes: Iterable[str] | None = None) -> Page:
    """Parse a source into nodes with locations. `syntaxes` limits the syntaxes read; None for no limit."""
    from waypost.extract import SYNTAXES, read_data, read_page

    words = registry().vocabulary
    if source.kind == "json":
        return read_data(source.data, words, path=path, url=source.url)
    if source.kind == "markdown":
        from waypost.extract.markdown import read_markdown

        return read_markdown(source.data, words, path=path, url=source.url, syntaxes=syntaxes or SYNTAXES)
    return read_page(
        source.data, words, path=path, url=source.url, media_type=source.media_type, syntaxes=syntaxes or SYNTAXES
    )
