"""From one input to the page it holds: fetched or read, told apart as HTML or JSON, and read."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import IO, TYPE_CHECKING, NamedTuple

from waypost.cli._archives import read_page_at
from waypost.cli._inputs import MOST_BYTES, Input, Kind, is_binary, kind_of, read
from waypost.cli._registry import registry
from waypost.errors import FetchDenied, FetchFailed, Unreadable

if TYPE_CHECKING:
    from waypost.models.page import Page


class Opened(NamedTuple):
    """The bytes of an input and what is known about them; `media_type` as a server sent it."""

    data: bytes
    kind: Kind
    url: str | None
    media_type: str | None


class Kept:
    """Pages that cannot be read twice, by their path in the report: in memory, beyond a bound in a nameless file."""

    IN_MEMORY_BYTES = 64 << 20

    def __init__(self) -> None:
        self._pages: dict[str, tuple[Opened, int, int]] = {}
        self._file: IO[bytes] | None = None

    def __setitem__(self, path: str, page: Opened) -> None:
        import tempfile

        if self._file is None:
            self._file = tempfile.SpooledTemporaryFile(self.IN_MEMORY_BYTES)  # noqa: SIM115 - lives as long as we do
        start = self._file.seek(0, os.SEEK_END)
        self._file.write(page.data)
        self._pages[path] = (page._replace(data=b""), start, len(page.data))

    def get(self, path: str) -> Opened | None:
        if path not in self._pages or self._file is None:
            return None
        page, start, length = self._pages[path]
        self._file.seek(start)
        return page._replace(data=self._file.read(length))

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


def opened(what: Input, allow_private: bool) -> Opened:
    """Read or fetch an input. Raises Unreadable, whatever kept it from being read."""
    if what.fault:
        raise Unreadable(what.path, what.fault)
    if what.kind == "url":
        return _fetched(what, allow_private)
    if what.kind == "archived":
        data, media_type = read_page_at(what.where, what.path, what.offset, MOST_BYTES)
        return answered(what, 200, data, what.url or "", media_type)
    data = read(what)
    return Opened(data, kind_of(what.path, data), what.url, None)


def _fetched(what: Input, allow_private: bool) -> Opened:
    from waypost.cli._fetching import policy_for
    from waypost.net.fetch import fetch

    try:
        got = fetch(what.where, policy=policy_for([what.where], allow_private))
    except (FetchFailed, FetchDenied) as fault:
        raise Unreadable(what.path, str(fault)) from None
    return answered(what, got.status, got.data, got.url.reveal(), got.media_type)


def answered(what: Input, status: int, data: bytes, url: str, media_type: str | None) -> Opened:
    """The page that a server answered with. Raises Unreadable: an answer that is no page is not judged as one."""
    if status >= 400:
        raise Unreadable(what.path, f"the server answered with status {status}")
    if is_binary(data):
        raise Unreadable(what.path, f"this is no page but {media_type or 'binary data'}")
    return Opened(data, _kind_sent(data, media_type), what.url or url, media_type)


def _kind_sent(data: bytes, media_type: str | None) -> Kind:
    """HTML or JSON by what the server says of it, else by its beginning."""
    essence = (media_type or "").partition(";")[0].strip().lower()
    if essence in {"text/html", "application/xhtml+xml"}:
        return "html"
    if essence == "text/markdown":
        return "markdown"
    return "json" if essence == "application/json" or essence.endswith("+json") else kind_of("", data)


def page_of(what: Opened, path: str, syntaxes: Iterable[str] | None = None) -> Page:
    """What an input says, as nodes with their places; `syntaxes` are all unless some are named."""
    from waypost.extract import SYNTAXES, read_data, read_page

    words = registry().vocabulary
    if what.kind == "json":
        return read_data(what.data, words, path=path, url=what.url)
    if what.kind == "markdown":
        from waypost.extract.markdown import read_markdown

        return read_markdown(what.data, words, path=path, url=what.url, syntaxes=syntaxes or SYNTAXES)
    return read_page(
        what.data, words, path=path, url=what.url, media_type=what.media_type, syntaxes=syntaxes or SYNTAXES
    )
