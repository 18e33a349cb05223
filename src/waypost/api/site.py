"""Static files of the built site, with redirects and the 404 page."""

from __future__ import annotations

import hashlib
import mimetypes
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from waypost.api.endpoint import PUBLIC, Endpoint
from waypost.api.exchange import SECURITY, SITE, Resource
from waypost.api.request import Call, Reply
from waypost.api.settings import Settings
from waypost.contract.headers import page_headers
from waypost.service.problems import ProblemError

_KINDS = {
    ".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
    ".json": "application/json", ".md": "text/markdown; charset=utf-8", ".txt": "text/plain; charset=utf-8",
    ".xml": "application/xml", ".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon",
}  # fmt: skip
_SERVICE = {"server-timing": "waypost"}
"""Says that a service gave the page: the only header that the page's scripts can read (W3C Server Timing)."""
_FOREVER = "public, max-age=31536000, immutable"
_A_WHILE = "public, max-age=300"
_LARGEST = 16 << 20
_NOT_FILES = frozenset({"_headers", "site.manifest.json"})


UNPLACED = b"http://127.0.0.1:8000/"
"""Address in the sitemap of a site that was built without one; `pages/feeds.py` writes it."""

_SOON = {"retry-after": "2"}
_BEING_BUILT = (
    b'<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="2">'
    b"<title>The site is being built</title><p>The site is being built. This page loads again in two seconds.</p>"
)


async def _unrouted(_: Call) -> Reply:
    raise ProblemError("not-found")


class _File(NamedTuple):
    data: bytes
    media: str
    etag: str
    changed: tuple[int, int]


SITE_RESOURCE = Resource.of(
    SITE, [Endpoint("GET", SITE, "", "", "", "", handle=_unrouted, scopes=(PUBLIC,), answers={})]
)


class Site:
    """Files of the site's folder, never of a path outside. Paths under /v1, /access and /api/ai have no files."""

    def __init__(self, settings: Settings, is_incomplete: Callable[[], bool] = lambda: False) -> None:
        self._is_incomplete = is_incomplete
        self._root = Path(settings.site).resolve() if settings.site else None
        self._held: dict[str, _File] = {}
        self._url = settings.site_url
        headers = page_headers(settings.site_url, settings.api_url) | _SERVICE
        # Without those that every answer has: a proxy in front would pass both on.
        self._headers = {name: value for name, value in headers.items() if name.encode() not in dict(SECURITY)}

    def answer(self, call: Call) -> Reply:
        """File for a request's path, a redirect to the path with a slash, or a 404. Raises ProblemError under /v1.

        While the site is being built, 503 stands for a file that is not there yet.
        """
        path = call.scope["path"]
        # A mistyped path of the API gets a problem document, not the site's page for people.
        if path == "/v1" or path.startswith(("/v1/", "/api/ai/", "/access/")):
            raise ProblemError("not-found")
        file = self._file(path)
        if file is None and not path.endswith("/") and self._file(f"{path}/") is not None:
            # Relative, so that it also holds behind a proxy that adds a prefix.
            return Reply(b"", 308, "", {"location": f"{quote(path.rpartition('/')[2])}/"})
        if file is None:
            return self._nothing(call)
        cache = _FOREVER if path.startswith("/assets/") else _A_WHILE
        answer = Reply(file.data, 200, file.media, {"etag": file.etag, "cache-control": cache, **self._headers})
        if file.etag in call.header("if-none-match"):
            return Reply(b"", 304, "", answer.headers)
        return answer

    def page(self, path: str) -> Reply | None:
        """Page of the built site by its path; None if missing."""
        file = self._file(path)
        return Reply(file.data, 200, file.media, self._headers) if file else None

    def _nothing(self, call: Call) -> Reply:
        """404 answer: an HTML page for browsers, otherwise ProblemError. 503 where the file may still be built."""
        if self._is_incomplete():
            if "text/html" in call.header("accept"):
                headers = {"cache-control": "no-store", **_SOON, **self._headers}
                return Reply(_BEING_BUILT, 503, _KINDS[".html"], headers)
            raise ProblemError("not-ready", "the site is being built; request the page again later", headers=_SOON)
        if "text/html" in call.header("accept") and (page := self._file("/404.html")):
            return Reply(page.data, 404, page.media, {"cache-control": "no-store", **self._headers})
        raise ProblemError("not-found")

    def _placed(self, name: str, data: bytes) -> bytes:
        """File as it is served: a sitemap needs absolute addresses, which a site built without `--base` has not."""
        if name != "sitemap.xml":
            return data
        return data.replace(b"<loc>" + UNPLACED, f"<loc>{self._url}/".encode())

    def _file(self, path: str) -> _File | None:
        """File by its URL path, cached until size or modification time change."""
        if self._root is None or "\0" in path or "\\" in path:
            return None
        name = path.lstrip("/") + ("index.html" if path.endswith("/") else "")
        if not {"", ".", ".."}.isdisjoint(
            name.split("/")
        ):  # a single spelling per file, or the cache would grow without limit
            return None
        # Resolved before the check below, as a symbolic link may lead outside the folder.
        target = (self._root / name).resolve()
        if not target.is_relative_to(self._root) or name in _NOT_FILES or name.endswith((".gz", ".br")):
            return None
        try:
            stat = target.stat()
            changed = (stat.st_mtime_ns, stat.st_size)
            held = self._held.get(name)
            if held is not None and held.changed == changed:
                return held
            if not target.is_file() or stat.st_size > _LARGEST:
                return None
            data = self._placed(name, target.read_bytes())
        except (OSError, ValueError):
            return None
        media = _KINDS.get(target.suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
        file = _File(data, media, f'"{hashlib.sha256(data).hexdigest()[:32]}"', changed)
        self._held[name] = file
        return file
