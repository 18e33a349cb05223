"""Answers to the requests of a rendered page: the only way from the browser to files and to the network."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from waypost.net.resources import Resource, fetch_resource, turn_of
from waypost.net.wire import Limits as FetchLimits
from waypost.render.folders import ORIGIN, Folder
from waypost.render.model import Denial, Limits, Target

if TYPE_CHECKING:
    from playwright.async_api import Page, Request, Route

    from waypost.net.crawl import Crawler

_DOT = bytes.fromhex("47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b")
"""Image of a transparent pixel in place of every image: no image is loaded, and no script waits for an image."""
_NOT_LOADED = frozenset({"media", "font", "texttrack", "manifest"})
_DENIED = {
    "eventsource": "event streams are not opened",
    "websocket": "web sockets are not opened",
    "ping": "beacons are not sent",
    "cspviolationreport": "reports are not sent",
}
_READING = frozenset({"GET", "HEAD"})
_PASSED_ON = frozenset(
    {"access-control-allow-credentials", "access-control-allow-origin", "access-control-expose-headers",
     "cache-control", "content-language", "content-security-policy", "content-type", "cross-origin-resource-policy",
     "referrer-policy", "x-content-type-options", "x-frame-options"}
)  # fmt: skip
_MOST_DENIED = 50
_LONGEST_WAIT_S = 60.0
_LONGEST_PAGE_S = 300.0
"""Seconds for a page, with the time for the pace of its hosts."""


class Shelf:
    """Answers for several pages of a run: scripts and styles of a site are requested once."""

    MOST_BYTES = 64 << 20

    def __init__(self) -> None:
        self._answers: OrderedDict[tuple[str, str], Resource] = OrderedDict()
        self._bytes = 0

    def get(self, key: tuple[str, str]) -> Resource | None:
        answer = self._answers.get(key)
        if answer is not None:
            self._answers.move_to_end(key)
        return answer

    def put(self, key: tuple[str, str], answer: Resource) -> None:
        is_private = any(word in answer.headers.get("cache-control", "") for word in ("no-store", "private"))
        if answer.status != 200 or is_private or len(answer.data) > self.MOST_BYTES // 8:
            return
        self._bytes += len(answer.data) - (len(old.data) if (old := self._answers.pop(key, None)) else 0)
        self._answers[key] = answer
        while self._bytes > self.MOST_BYTES:
            self._bytes -= len(self._answers.popitem(last=False)[1].data)


class Answers:
    """Answers for one page, within its limits.

    answered    number of answered requests.
    navigated   number of further documents opened by the page.
    ends        time limit of the page, extended by the time that requests wait for the pace of a host.
    """

    def __init__(
        self, target: Target, crawler: Crawler, limits: Limits, shelf: Shelf, turns: asyncio.Semaphore
    ) -> None:
        self._target, self._crawler, self._limits = target, crawler, limits
        self._shelf, self._turns = shelf, turns
        self._folder = Folder(target.root, target.base) if target.root is not None else None
        self._is_first = True
        self._left = limits.answer_bytes
        self._denied: Counter[tuple[str, str, str]] = Counter()
        self.answered = self.navigated = self.pending = 0
        self.page: Page | None = None
        self.ends: asyncio.Timeout | None = None
        self._begun = 0.0

    @property
    def denied(self) -> list[Denial]:
        """Denied requests, the first kinds."""
        return [Denial(*key, count) for key, count in self._denied.items()][:_MOST_DENIED]

    async def handle(self, route: Route, request: Request) -> None:
        """Answer a request. Never raises: a page may end before the answer arrives."""
        from playwright.async_api import Error

        self.pending += 1
        try:
            if _is_of_another_window(request, self.page):
                await self._deny(route, request, "further windows are not opened", "window")
            else:
                await self._answer(route, request)
        except Error:
            pass
        finally:
            self.pending -= 1

    async def _answer(self, route: Route, request: Request) -> None:
        url, kind = request.url, request.resource_type
        is_main = request.is_navigation_request() and request.frame.parent_frame is None
        if is_main and self._is_first:
            self._is_first = False
            await _give(route, 200, {"content-type": self._target.media_type}, self._target.data)
            return
        if kind == "image":
            await _give(route, 200, {"content-type": "image/gif", "access-control-allow-origin": "*"}, _DOT)
            return
        if kind in _NOT_LOADED:
            await route.abort("blockedbyclient")
            return
        if why := self._why_not(request, is_main):
            await self._deny(route, request, why)
            return
        if request.is_navigation_request() and not is_main and _origin(url) != _origin(self._target.url):
            # A frame of another site is a page of its own: its markup is not that of this page.
            await _give(route, 200, {"content-type": "text/html"}, b"")
            return
        self.navigated += is_main
        self.answered += 1
        if _origin(url) == ORIGIN or (self._folder is not None and self._folder.holds(url)):
            found = self._folder.read(url) if self._folder is not None else None
            data, media_type = found or (b"", "text/plain")
            self._left -= len(data)
            await _give(route, 200 if found else 404, {"content-type": media_type}, data)
            return
        if self._target.archive is not None:
            found_there = self._target.archive.answer(url, self._target.offset, max(self._left, 1))
            answer = Resource(denied="it is not in the archive") if found_there is None else Resource(
                status=found_there.status, url=found_there.url, headers=found_there.headers, data=found_there.data
            )  # fmt: skip
            await self._pass_on(route, request, answer, is_main)
            return
        await self._from_the_web(route, request, is_main)

    def _why_not(self, request: Request, is_main: bool) -> str:
        """Reason to deny a request; empty for an allowed request."""
        kind = request.resource_type
        if why := _DENIED.get(kind):
            return why
        if request.method not in _READING:
            return f"{request.method} is not sent"
        if self.answered >= self._limits.requests:
            return f"more than {self._limits.requests} requests"
        if self._left <= 0:
            return f"more than {self._limits.answer_bytes:,} bytes of answers"
        return "it goes from page to page" if is_main and self.navigated >= 5 else ""

    async def _deny(self, route: Route, request: Request, why: str, kind: str = "") -> None:
        if len(self._denied) < _MOST_DENIED:
            self._denied[kind or request.resource_type, _host(request.url), why] += 1
        if request.is_navigation_request():
            # An answer without content leaves the browser on the page where it is.
            await _give(route, 204, {}, b"")
        else:
            await route.abort("blockedbyclient")

    async def _from_the_web(self, route: Route, request: Request, is_main: bool) -> None:
        url, kind = request.url, request.resource_type
        owner = self._owner_of(request)
        # What the secrets of an origin brought is for its own pages.
        key = (url, owner and _origin(owner))
        # Data may differ from page to page; scripts and styles do not.
        is_shared = kind in {"script", "stylesheet"}
        answer = self._shelf.get(key) if is_shared else None
        if answer is None:
            if self._target.is_paced and (why := await self._paced(url)):
                await self._deny(route, request, why)
                return
            async with self._turns:
                answer = await fetch_resource(
                    self._crawler, url, owner, _lower(request.headers), self._fetch_limits(),
                    obeys=self._target.obeys, is_paced=self._target.is_paced,
                )  # fmt: skip
            if is_shared:
                self._shelf.put(key, answer)
        await self._pass_on(route, request, answer, is_main)

    async def _pass_on(self, route: Route, request: Request, answer: Resource, is_main: bool) -> None:
        """Give the browser the answer of a server, as far as the page may read it."""
        url, kind = request.url, request.resource_type
        self._left -= len(answer.data)
        if not answer.status:
            if answer.denied:
                await self._deny(route, request, answer.denied)
            else:
                await route.abort("failed")
            return
        if is_main and answer.url.partition("#")[0] != url.partition("#")[0]:
            # The browser must know the address after redirects: relative addresses depend on it.
            where = msgspec.json.encode(answer.url).decode().replace("<", "\\u003c")
            await _give(
                route, 200, {"content-type": "text/html"}, f"<script>location.replace({where})</script>".encode()
            )
            return
        if kind in {"fetch", "xhr"} and not _may_read(request, answer):
            await self._deny(route, request, "its server does not allow other sites to read it (CORS)")
            return
        headers = {name: value for name, value in answer.headers.items() if name in _PASSED_ON}
        await _give(route, answer.status, headers, answer.data)

    def _owner_of(self, request: Request) -> str:
        """Address with the private host and the secrets for a request; empty where a strange page makes it.

        A page may go to another site, whose scripts must not read the first one by its password.
        """
        owner = self._target.owner
        if not owner or request.is_navigation_request():
            return owner
        frame = request.frame
        # A frame without an address of its own belongs to the page around it.
        while frame.url.startswith("about:") and frame.parent_frame is not None:
            frame = frame.parent_frame
        return owner if _origin(frame.url) in {_origin(owner), _origin(self._target.url)} else ""

    async def _paced(self, url: str) -> str:
        """Wait for the turn of a request. Returns the reason where the wait would be too long."""
        wait = turn_of(self._crawler, url)
        now = asyncio.get_running_loop().time()
        self._begun = self._begun or now
        if wait > _LONGEST_WAIT_S or now + wait > self._begun + _LONGEST_PAGE_S:
            return "the pace of its host leaves no time for it"
        if wait and self.ends is not None and (when := self.ends.when()) is not None:
            # The limit is about scripts and servers; the pace of a host is ours.
            with suppress(RuntimeError):  # the limit was reached meanwhile
                self.ends.reschedule(max(when, now + wait + self._limits.total_s))
        await asyncio.sleep(wait)
        return ""

    def _fetch_limits(self) -> FetchLimits:
        own = self._crawler.limits
        most = max(min(own.body_bytes, self._left), 1)
        return msgspec.structs.replace(own, total_s=min(own.total_s, self._limits.total_s), body_bytes=most)


async def _give(route: Route, status: int, headers: dict[str, str], data: bytes) -> None:
    await route.fulfill(status=status, headers=headers, body=data)


def _may_read(request: Request, answer: Resource) -> bool:
    """Whether the page may read an answer (Fetch Standard, CORS check without credentials)."""
    own = _origin(request.frame.url)
    return own in {_origin(request.url), "null"} or answer.headers.get("access-control-allow-origin") in {"*", own}


def _is_of_another_window(request: Request, page: Page | None) -> bool:
    from playwright.async_api import Error

    try:
        return request.frame.page is not page
    except Error:  # a window has no page yet
        return True


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def _host(url: str) -> str:
    # Neither path nor query: a report is stored and sent around.
    return urlsplit(url).netloc.rpartition("@")[2] or urlsplit(url).scheme


def _lower(headers: dict[str, Any]) -> dict[str, str]:
    return {name.lower(): str(value) for name, value in headers.items()}
