"""From one input to the page it holds: fetched or read, told apart as HTML or JSON, and read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from waypost.cli._inputs import Input, Kind, is_binary, kind_of, read
from waypost.cli._registry import registry
from waypost.errors import FetchFailed, FetchRefused, Unreadable

if TYPE_CHECKING:
    from waypost.shapes.page import Page


class Opened(NamedTuple):
    """The bytes of an input and what is known about them; `media_type` as a server sent it."""

    data: bytes
    kind: Kind
    url: str | None
    media_type: str | None


def opened(what: Input, allow_private: bool) -> Opened:
    """Read or fetch an input. Raises Unreadable, whatever kept it from being read."""
    if what.kind == "url":
        return _fetched(what, allow_private)
    data = read(what)
    return Opened(data, kind_of(what.path, data), what.url, None)


def _fetched(what: Input, allow_private: bool) -> Opened:
    """An answer that is no page is not judged as one."""
    from waypost.net.address import ALLOW_PRIVATE, PUBLIC
    from waypost.net.fetch import fetch

    try:
        got = fetch(what.where, policy=ALLOW_PRIVATE if allow_private else PUBLIC)
    except (FetchFailed, FetchRefused) as fault:
        raise Unreadable(what.path, str(fault)) from None
    if got.status >= 400:
        raise Unreadable(what.path, f"the server answered with status {got.status}")
    if is_binary(got.data):
        raise Unreadable(what.path, f"this is no page but {got.media_type or 'binary data'}")
    return Opened(got.data, _kind_sent(got.data, got.media_type), what.url or got.url.reveal(), got.media_type)


def _kind_sent(data: bytes, media_type: str | None) -> Kind:
    """HTML or JSON by what the server says of it, else by its beginning."""
    essence = (media_type or "").partition(";")[0].strip().lower()
    if essence in {"text/html", "application/xhtml+xml"}:
        return "html"
    return "json" if essence == "application/json" or essence.endswith("+json") else kind_of("", data)


def page_of(what: Opened, path: str, syntaxes: Iterable[str] | None = None) -> Page:
    """What an input says, as nodes with their places; `syntaxes` are all unless some are named."""
    from waypost.extract import SYNTAXES, read_data, read_page

    words = registry().vocabulary
    if what.kind == "json":
        return read_data(what.data, words, path=path, url=what.url)
    return read_page(
        what.data, words, path=path, url=what.url, media_type=what.media_type, syntaxes=syntaxes or SYNTAXES
    )
