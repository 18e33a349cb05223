"""Pages as code holds them: text, bytes, paths, objects of JSON-LD, files and responses of web frameworks."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from waypost.errors import Unreadable
from waypost.formats.file_kinds import DATA, MARKDOWN, PAGES, kind_of_response
from waypost.formats.source_kinds import kind_of_source, source_language
from waypost.reader.sources import PageSource, display_path, read_file

_ENDS_OF_PAGES = (*PAGES, *DATA, *MARKDOWN, ".gz")
_MOST_IN_A_PATH = 4096


class GivenPage(NamedTuple):
    """Page with a name for reports. `where`: path of its file, None without one."""

    source: PageSource
    name: str
    where: str | None = None


def given_page(page: Any, url: str | None = None, media_type: str | None = None) -> GivenPage:
    """Page from any of the forms that code holds it in.

    page        HTML or JSON-LD as text or bytes; a Path, or the path of a file as text; dictionaries and lists of
                JSON-LD; an open file; or a response of Django, Flask, httpx, requests, Starlette or another library
                with the body in `content` or `data`.
    url         URL of the page, base for links.
    media_type  Content-Type of the page; by default that of a response.

    Raises TypeError for another object, ValueError for a URL and for a response with another status than 200, and
    Unreadable for a path without a readable page.
    """
    if isinstance(page, dict | list):
        import msgspec

        data = msgspec.json.format(msgspec.json.encode(page), indent=2)
        return GivenPage(PageSource(data, "json", url, None), "JSON-LD")
    if isinstance(page, str):
        if is_path(page):
            return _from_file(page, url, media_type)
        return _from_bytes(page.encode("utf-8", "replace"), url, media_type or "; charset=utf-8")
    if isinstance(page, bytes | bytearray | memoryview):
        return _from_bytes(bytes(page), url, media_type)
    if isinstance(page, os.PathLike):
        return _from_file(os.fspath(page), url, media_type)
    return _from_response(page, url, media_type)


def is_path(text: str) -> bool:
    """Whether a string is the path or URL of a page: one line that ends as one does, or names a file.

    Raises ValueError for a URL: pages are not fetched here.
    """
    line = text.strip()
    if not line or len(line) > _MOST_IN_A_PATH or any(mark in line for mark in '<>{}[]"\n\0'):
        return False
    if line.startswith(("http://", "https://")):
        raise ValueError(f"{line!r} is a URL; fetch it and give the response, or run `waypost validate URL`")
    # `Path.exists` raises an error for a name that is too long.
    return line.lower().endswith(_ENDS_OF_PAGES) or bool(source_language(line)) or os.path.exists(text)  # noqa: PTH110


def _from_bytes(data: bytes, url: str | None, media_type: str | None) -> GivenPage:
    return GivenPage(PageSource(data, kind_of_response(data, media_type), url, media_type), url or "the page")


def _from_file(path: str, url: str | None, media_type: str | None) -> GivenPage:
    name = display_path(path)
    try:
        data = read_file(path)
    except OSError as error:
        raise Unreadable(name, (error.strerror or str(error)).lower()) from None
    kind = kind_of_response(data, media_type) if media_type else kind_of_source(path, data)
    return GivenPage(PageSource(data, kind, url, media_type), name, path)


def _from_response(page: Any, url: str | None, media_type: str | None) -> GivenPage:
    # `content` in Django, httpx and requests; `data` in Flask and Werkzeug; `read` of files and of urllib.
    body = getattr(page, "content", None)
    body = getattr(page, "data", None) if body is None else body
    if body is None and callable(getattr(page, "read", None)):
        body = page.read()
    if isinstance(body, str):
        body = body.encode("utf-8", "replace")
        media_type = media_type or _header(page, "content-type") or "; charset=utf-8"
    if not isinstance(body, bytes):
        what = type(page).__name__
        raise TypeError(
            f"a page is text, bytes, a Path, a file, a response, or JSON-LD as dictionaries and lists, not {what}"
        )
    media_type = media_type or _header(page, "content-type")
    address = str(getattr(page, "url", "") or "")
    status = getattr(page, "status_code", getattr(page, "status", None))
    # An error page is valid or not by chance; the check is about another page.
    if isinstance(status, int) and status != 200:
        raise ValueError(f"{address or 'the response'} has the status {status}, not 200; to check it, give its content")
    named = url or (address if address.startswith(("http://", "https://")) else None)
    source = PageSource(body, kind_of_response(body, media_type), named, media_type)
    return GivenPage(source, named or "the response")


def _header(response: Any, name: str) -> str | None:
    headers = getattr(response, "headers", None)
    try:
        # Plain dictionaries of headers know one spelling only.
        found = headers.get(name) or headers.get(name.title()) if headers is not None else None
    except AttributeError:
        return None
    return found if isinstance(found, str) else None
