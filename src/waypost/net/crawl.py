"""Fetch many pages politely: robots.txt, a pace and few connections for each host, retries, and an end in any case.

Every address comes to exactly one `Came`, whatever happened to it. Where a fetch may go and what it may cost is the
matter of `fetch`; here is how many there are, how fast, and how long. Answers wait for whoever takes them, and no
more are fetched meanwhile than are being waited for, so that memory has a bound too.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Literal, Protocol, Self, TypeVar

import msgspec

from waypost.errors import FetchDenied, FetchFailed
from waypost.models.decision import SensitiveUrl
from waypost.net import robots as robots_
from waypost.net import sitemap
from waypost.net.address import PUBLIC, AddressPolicy
from waypost.net.fetch import ACCEPT, Fetched, Journey, Stop, read_url
from waypost.net.resolve import Resolver, SystemResolver
from waypost.net.wire import AGENT, Limits

T = TypeVar("T")
Outcome = Literal["fetched", "unchanged", "disallowed", "refused", "failed", "not_fetched"]

_PASSING_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504})
_PASSING = frozenset(
    {"timeout", "connect_timeout", "connection_broken", "connect_failed", "dns_timeout", "dns_failed", "bad_answer"}
)
_SILENT = frozenset({"timeout", "connect_timeout", "connect_failed", "dns_timeout", "dns_failed", "no_such_name"})
_ASKS_TO_WAIT = frozenset({429, 503})
_LONGEST_WAIT_S = 120.0
_ROBOTS_ACCEPT = "text/plain, */*;q=0.5"
_SITEMAP_ACCEPT = "application/xml, text/xml, text/plain;q=0.8, */*;q=0.5"
MOST_SITEMAPS = 1_000
_DEEPEST = 3
_GRACE_S = 30.0


class Manners(msgspec.Struct, frozen=True, kw_only=True):
    """How many, how fast, how long.

    rate         requests a second to one host; 0 sets no pace. A site's own `crawl-delay` holds where it is slower.
    connections  at once to one host; `together` to all of them.
    retries      how often what may pass is tried again, `pause_s` doubling each time unless the server says when.
    total_s      seconds for everything; what was not fetched by then is told as such.
    urls         pages at most.
    patience     after so many addresses in a row without any answer a host is given up.
    """

    rate: float = 10.0
    connections: int = 4
    together: int = 8
    retries: int = 2
    pause_s: float = 1.0
    total_s: float = 3600.0
    urls: int = 10_000
    patience: int = 8


class Came(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one address.

    outcome   fetched: the server answered, with whatever `status`. unchanged: it said that what is remembered holds.
              disallowed: its robots.txt asks us not to. refused: we do not go there. failed: no answer came about.
              not_fetched: its turn never came.
    url       where the answer came from in the end.
    attempts  how often it was tried.
    reason    what is to be told about it, where there is no answer.
    """

    outcome: Outcome
    status: int = 0
    url: SensitiveUrl | None = None
    media_type: str | None = None
    data: bytes = b""
    attempts: int = 0
    reason: str = ""


class Remembered(msgspec.Struct, frozen=True, kw_only=True):
    """An answer that was kept, with what a server recognises it by. `url` is where it came from in the end."""

    url: str
    etag: str | None = None
    last_modified: str | None = None
    media_type: str | None = None
    status: int = 200
    data: bytes = b""


class Memory(Protocol):
    """Answers of earlier runs."""

    def recall(self, url: str) -> Remembered | None: ...

    def keep(self, url: str, answer: Remembered) -> None: ...


class Listed(msgspec.Struct, kw_only=True):
    """What sitemaps list: `pages` in order, each once; `troubles` with sitemaps that could not be read, or not whole.

    left_out  pages that the sitemaps say have not changed since the time that was asked for.
    over      pages beyond `Manners.urls`.
    """

    pages: list[str] = []
    troubles: list[tuple[str, str]] = []
    left_out: int = 0
    over: int = 0


class _Host:
    """One host and port: who may ask it next, and when."""

    def __init__(self, interval_s: float) -> None:
        self.interval_s = interval_s
        self.next = 0.0
        self.not_before = 0.0
        self.silent = 0
        self.given_up = ""

    def booked(self, now: float) -> float:
        """The seconds until one's turn; the turn is taken."""
        self.next = max(self.next, self.not_before, now) + self.interval_s
        return self.next - self.interval_s - now


class Crawler:
    """Fetches lists of pages, in an event loop of its own: call it where there is none, in a `with` statement.

    robots  obey robots.txt; False for a site of one's own.
    """

    def __init__(
        self,
        manners: Manners | None = None,
        *,
        robots: bool = True,
        limits: Limits | None = None,
        policy: AddressPolicy = PUBLIC,
        resolver: Resolver | None = None,
        trust: ssl.SSLContext | None = None,
        memory: Memory | None = None,
    ) -> None:
        self.manners = manners or Manners()
        self.limits = limits or Limits()
        self.policy, self.trust, self.memory = policy, trust, memory
        self.resolver = resolver or SystemResolver()
        self._obeys = robots
        self._hosts: dict[tuple[str, int], _Host] = {}
        self._robots: dict[str, asyncio.Task[robots_.Robots | Came]] = {}
        self._runner = asyncio.Runner()
        self._ends: float | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        """End the loop, and whatever still runs in it."""
        self._runner.close()

    def pages(self, urls: Sequence[str], *, obey: bool | None = None) -> Iterator[tuple[int, Came]]:
        """(index, what became of it) of every address, as they come. `obey` overrides whether robots.txt counts."""
        obeys = self._obeys if obey is None else obey
        return self._driven(self._all(urls, ACCEPT, obeys, self.limits, self.memory))

    def listed(self, start: str | bytes, *, since: datetime | None = None, already: int = 0, name: str = "") -> Listed:
        """The pages that a sitemap lists, given by its address or as it is, and those of the sitemaps it names.

        Given the address of a site, the sitemaps that its robots.txt names, else `/sitemap.xml`.

        since    leaves out pages that the sitemap says were last changed before; what says nothing stays.
        already  pages that were asked for otherwise and count towards the limit.
        name     what to call a sitemap that is given as it is.
        """
        return self._runner.run(self._listed(start, since, already, name))

    def _driven(self, source: AsyncIterator[T]) -> Iterator[T]:
        async def following() -> T | None:
            return await anext(source, None)

        async def closed() -> None:
            await source.aclose()  # type: ignore[attr-defined]

        try:
            while (each := self._runner.run(following())) is not None:
                yield each
        finally:
            self._runner.run(closed())

    async def _all(
        self, urls: Sequence[str], accept: str, obeys: bool, limits: Limits, memory: Memory | None
    ) -> AsyncIterator[tuple[int, Came]]:
        lanes: dict[str, list[int]] = {}
        for index, url in enumerate(urls):
            lanes.setdefault(_host_of(url), []).append(index)
        came: asyncio.Queue[tuple[int, Came]] = asyncio.Queue(maxsize=self.manners.connections)
        turns = asyncio.Semaphore(self.manners.together)

        async def lane(indices: Iterator[int]) -> None:
            for index in indices:
                async with turns:
                    told = await self._told(_Errand(self, urls[index], accept, obeys, limits, memory))
                await came.put((index, told))

        tasks = []
        for indices in lanes.values():
            shared = iter(indices)
            tasks += [asyncio.create_task(lane(shared)) for _ in range(min(self.manners.connections, len(indices)))]
        left = set(range(len(urls)))
        try:
            while left:
                async with asyncio.timeout(max(self.left_s(), 0) + _GRACE_S):
                    index, told = await came.get()
                left.discard(index)
                yield index, told
        except TimeoutError:  # nothing that is known of comes to this; the promise of an end does not rest on that
            for index in sorted(left):
                yield index, Came(outcome="not_fetched", reason=self.late)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _told(self, errand: _Errand) -> Came:
        """One address, come what may."""
        try:
            return await errand.run()
        except Exception as fault:  # noqa: BLE001 - a fault of ours with one address must not cost the others
            return Came(outcome="failed", reason=f"waypost failed to fetch this, please report it ({fault!r})")

    def host(self, stop: Stop) -> _Host:
        rate = self.manners.rate
        return self._hosts.setdefault((stop.host, stop.port), _Host(1 / rate if rate else 0.0))

    @property
    def late(self) -> str:
        return f"the time for fetching, {self.manners.total_s:g} s, was over"

    def left_s(self) -> float:
        """Seconds until everything must be over."""
        now = asyncio.get_running_loop().time()
        if self._ends is None:
            self._ends = now + self.manners.total_s
        return self._ends - now

    async def robots(self, stop: Stop) -> robots_.Robots | Came:
        """What holds at an origin; where that cannot be known, what becomes of every page (RFC 9309, 2.3.1.4)."""
        origin = f"{stop.scheme}://{stop.host_header}"
        if origin not in self._robots:
            self._robots[origin] = asyncio.create_task(self._read_robots(stop, origin))
        return await asyncio.shield(self._robots[origin])

    async def _read_robots(self, stop: Stop, origin: str) -> robots_.Robots | Came:
        limits = msgspec.structs.replace(self.limits, body_bytes=robots_.MOST_BYTES, wire_bytes=2 << 20, cut=True)
        errand = _Errand(self, f"{origin}/robots.txt", _ROBOTS_ACCEPT, False, limits, None)
        came = await self._told(errand)
        if came.outcome == "fetched" and (came.status >= 500 or came.status == 429):
            why = f"the robots.txt of {stop.host} cannot be read: the server answered with status {came.status}"
            return Came(outcome="disallowed", reason=why)
        if came.outcome != "fetched":
            return Came(outcome=came.outcome, reason=came.reason)
        if came.status >= 400:
            return robots_.ALL_MAY
        found = robots_.read(came.data, AGENT)
        host = self.host(stop)
        host.interval_s = max(host.interval_s, found.delay_s)
        return found

    async def _listed(self, start: str | bytes, since: datetime | None, already: int, name: str) -> Listed:
        told = Listed()
        pages: dict[str, None] = {}
        if isinstance(start, bytes):
            waiting = self._taken(told, pages, name, sitemap.read(start), since, already)
        else:
            waiting = await self._sitemaps_of(start)
        seen = set(waiting)
        limits = msgspec.structs.replace(
            self.limits, body_bytes=sitemap.MOST_BYTES, wire_bytes=sitemap.MOST_BYTES + (1 << 20)
        )
        for depth in range(_DEEPEST + 1):
            found: list[list[str]] = [[] for _ in waiting]
            read: list[Came | None] = [None] * len(waiting)
            async for index, came in self._all(waiting, _SITEMAP_ACCEPT, self._obeys, limits, None):
                read[index] = came
            for index, (url, answer) in enumerate(zip(waiting, read, strict=True)):
                assert answer is not None
                if why := _no_answer(answer):
                    told.troubles.append((url, why))
                    continue
                found[index] = self._taken(told, pages, url, sitemap.read(answer.data), since, already)
            fresh = [each for each in dict.fromkeys(url for urls in found for url in urls) if each not in seen]
            if fresh and depth == _DEEPEST:
                told.troubles += [(url, "it lies too deep: an index names an index") for url in fresh]
                break
            if len(seen) + len(fresh) > MOST_SITEMAPS:
                kept = MOST_SITEMAPS - len(seen)
                told.troubles += [(url, f"more than {MOST_SITEMAPS:,} sitemaps are not read") for url in fresh[kept:]]
                fresh = fresh[:kept]
            waiting = fresh
            seen.update(fresh)
            if not waiting:
                break
        told.pages = list(pages)
        return told

    async def _sitemaps_of(self, url: str) -> list[str]:
        try:
            stop = read_url(url)
        except FetchDenied:
            return [url]
        if stop.target != "/":
            return [url]
        found = await self.robots(stop)
        named = found.sitemaps if isinstance(found, robots_.Robots) else ()
        return [*dict.fromkeys(named)] or [f"{stop.scheme}://{stop.host_header}/sitemap.xml"]

    def _taken(
        self,
        told: Listed,
        pages: dict[str, None],
        name: str,
        read: sitemap.Sitemap,
        since: datetime | None,
        already: int,
    ) -> list[str]:
        """Note what a sitemap lists; the sitemaps that it names in turn."""
        if read.fault:
            told.troubles.append((name, read.fault))
        for entry in read.pages:
            if entry.url in pages:
                continue
            if since and entry.modified and entry.modified < since:
                told.left_out += 1
            elif len(pages) + already >= self.manners.urls:
                told.over += 1
            else:
                pages[entry.url] = None
        return [each.url for each in read.sitemaps if not (since and each.modified and each.modified < since)]


class _Errand(Journey):
    """One address, from the first look at robots.txt to the last retry."""

    def __init__(
        self, crawler: Crawler, url: str, accept: str, obeys: bool, limits: Limits, memory: Memory | None
    ) -> None:
        super().__init__(limits, crawler.resolver, crawler.policy, crawler.trust, accept)
        self._crawler, self._url, self._obeys = crawler, url, obeys
        self._memory = memory
        self._remembered = memory.recall(url) if memory is not None else None

    async def run(self) -> Came:
        """Raises nothing for what the network does."""
        try:
            stop = read_url(self._url)
        except FetchDenied as fault:
            return Came(outcome="refused", reason=str(fault))
        if self._obeys and self._crawler.left_s() > 0:
            held = await self._crawler.robots(stop)  # its time is not the page's
            if isinstance(held, Came):
                return held
        host = self._crawler.host(stop)
        last: Came | None = None
        for attempt in range(self._crawler.manners.retries + 1):
            if why := self._hopeless(host):
                return last or Came(outcome="not_fetched", reason=why)
            wait = host.booked(asyncio.get_running_loop().time())
            if wait >= self._crawler.left_s():
                return last or Came(outcome="not_fetched", reason=self._crawler.late)
            if wait > 0:
                await asyncio.sleep(wait)
            last = await self._attempt(stop, host, attempt + 1)
            again = self._again_in(last, self._crawler.manners.pause_s * 2**attempt)
            if not again:
                break
            if again > _LONGEST_WAIT_S:
                host.given_up = f"the server asked to come back in {again:.0f} s"
                return msgspec.structs.replace(last, reason=host.given_up)
            if last.status in _ASKS_TO_WAIT:
                host.not_before = max(host.not_before, asyncio.get_running_loop().time() + again)
            elif attempt < self._crawler.manners.retries:
                await asyncio.sleep(min(again, max(self._crawler.left_s(), 0)))
        assert last is not None
        return last

    def _hopeless(self, host: _Host) -> str:
        """Why there is no use in trying."""
        return self._crawler.late if self._crawler.left_s() <= 0 else host.given_up

    def _again_in(self, came: Came, pause: float) -> float:
        """Seconds after which it is worth another try; 0 for never."""
        if came.outcome == "failed":
            return pause if self._passing else 0.0
        return max(pause, self._asked_s) if came.outcome == "fetched" and came.status in _PASSING_STATUS else 0.0

    async def _attempt(self, stop: Stop, host: _Host, number: int) -> Came:
        self._passing, self._asked_s = False, 0.0
        self.hops.clear()
        within = min(self._limits.total_s, max(self._crawler.left_s(), 0.1))
        self._deadline = asyncio.get_running_loop().time() + within
        try:
            async with asyncio.timeout(within):
                fetched = await self.follow(stop)
        except FetchDenied as fault:
            outcome: Outcome = "disallowed" if fault.reason == "robots" else "refused"
            return Came(outcome=outcome, attempts=number, reason=str(fault))
        except FetchFailed as fault:
            return self._failed(host, number, str(fault), fault.reason)
        except TimeoutError:
            return self._failed(host, number, f"{self.where} took longer than {within:g} s", "timeout")
        host.silent = 0
        return self._answered(fetched, number)

    def _failed(self, host: _Host, number: int, text: str, reason: str) -> Came:
        self._passing = reason in _PASSING
        host.silent = host.silent + 1 if reason in _SILENT else 0
        if host.silent >= self._crawler.manners.patience:
            host.given_up = f"{host.silent} times in a row nothing came from this host; it was not asked again ({text})"
        return Came(outcome="failed", attempts=number, reason=text)

    def _answered(self, fetched: Fetched, number: int) -> Came:
        self._asked_s = _retry_after(fetched.headers.get("retry-after", ""))
        known = self._remembered
        if fetched.status == 304 and known and known.url == fetched.url.reveal():
            return Came(
                outcome="unchanged", status=known.status, url=fetched.url, media_type=known.media_type,
                data=known.data, attempts=number,
            )  # fmt: skip
        if (
            self._memory is not None
            and fetched.status == 200
            and "no-store" not in fetched.headers.get("cache-control", "").lower()
        ):
            etag, modified = fetched.headers.get("etag"), fetched.headers.get("last-modified")
            if etag or modified:
                kept = Remembered(
                    url=fetched.url.reveal(), etag=etag, last_modified=modified, media_type=fetched.media_type,
                    data=fetched.data,
                )  # fmt: skip
                self._memory.keep(self._url, kept)
        return Came(
            outcome="fetched", status=fetched.status, url=fetched.url, media_type=fetched.media_type,
            data=fetched.data, attempts=number,
        )  # fmt: skip

    async def before(self, stop: Stop, *, is_first: bool) -> None:
        """Redirects count towards the pace, and robots.txt holds where they lead."""
        if not is_first:
            self._crawler.host(stop).booked(asyncio.get_running_loop().time())
        if not self._obeys:
            return
        found = await self._crawler.robots(stop)
        if isinstance(found, Came):
            raise FetchDenied(found.reason, "robots" if found.outcome == "disallowed" else "refused")
        if not found.allows(stop.target):
            raise FetchDenied(f"the robots.txt of {stop.host} does not allow it", "robots")

    def asking(self, stop: Stop) -> Mapping[str, str]:
        """Ask only for what has changed, where it lay when it was last seen."""
        known = self._remembered
        if known is None or known.url != stop.href:
            return {}
        told = {"If-None-Match": known.etag} if known.etag else {"If-Modified-Since": known.last_modified}
        return {name: value for name, value in told.items() if value and value.isascii() and value.isprintable()}


def _host_of(url: str) -> str:
    try:
        return read_url(url).host_header
    except FetchDenied:
        return ""


def _no_answer(came: Came) -> str:
    """Why there is nothing to read in an answer."""
    if came.outcome not in {"fetched", "unchanged"}:
        return came.reason
    return f"the server answered with status {came.status}" if came.status != 200 else ""


def _retry_after(text: str) -> float:
    """Seconds that a server asks to wait; 0 if it asks for nothing that can be understood."""
    if text.isascii() and text.isdigit() and len(text) < 10:
        return float(text)
    try:
        when = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return 0.0
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max((when - datetime.now(UTC)).total_seconds(), 0.0)
