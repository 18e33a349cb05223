"""Fetch many pages politely: robots.txt, a pace and few connections for each host, retries, and a deadline.

Every URL has exactly one `PageResult`. Destinations and costs of a fetch are bounded by `fetch`; number, pace and
duration of fetches are bounded here. Results wait in a bounded queue for the caller, so that memory is bounded too.
"""

from __future__ import annotations

import asyncio
import ssl
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Any, Literal, Protocol, Self, TypeAlias, TypeVar

import msgspec

from waypost.errors import FetchDenied, FetchFailed
from waypost.models.decision import SensitiveUrl
from waypost.net import robots as robots_
from waypost.net import sitemap
from waypost.net.access import NO_SECRETS, Access, AccessError, Secrets, proxy_for, secrets_in, without_userinfo
from waypost.net.address import PUBLIC, AddressPolicy
from waypost.net.encodings import accepted
from waypost.net.fetch import ACCEPT, REDIRECTS, Fetched, Journey, Stop, allowed_addresses, read_url, stop_if_cancelled
from waypost.net.pool import Pool
from waypost.net.resolve import Resolver, SystemResolver
from waypost.net.wire import AGENT, Limits

T = TypeVar("T")
Outcome = Literal["fetched", "unchanged", "disallowed", "refused", "failed", "not_fetched"]

# Answers and errors that may be gone a moment later: worth another attempt.
_PASSING_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504})
_PASSING = frozenset(
    {"timeout", "connect_timeout", "connection_broken", "connect_failed", "dns_timeout", "dns_failed", "bad_answer"}
)
# Errors of a host without any sign of life: after some in a row its other pages are not tried.
_SILENT = frozenset({"timeout", "connect_timeout", "connect_failed", "dns_timeout", "dns_failed", "no_such_name"})
_RETRY_LATER = frozenset({429, 503})
# A longer pause than this is a refusal: the crawl goes on with other hosts.
_LONGEST_WAIT_S = 120.0
_ROBOTS_ACCEPT = "text/plain, */*;q=0.5"
_SITEMAP_ACCEPT = "application/xml, text/xml, text/plain;q=0.8, */*;q=0.5"
MOST_SITEMAPS = 1_000
_DEEPEST = 3
_GRACE_S = 30.0
_PROXY_DNS_S = 1.0
"""Seconds for the addresses of a host that a proxy connects to: many networks with a proxy resolve no other names."""


class Manners(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of a crawl.

    rate         requests a second to one host; 0 sets no pace. A site's own `crawl-delay` holds where it is slower.
    connections  at once to one host; `together` to all of them.
    retries      retries after a transient error; `pause_s` doubles each time unless the server sends Retry-After.
    total_s      seconds for the whole crawl; pages not fetched by then are reported as such.
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


class PageResult(msgspec.Struct, frozen=True, kw_only=True):
    """Result for a URL.

    outcome   fetched: the server answered, with any `status`. unchanged: the cached response is current.
              disallowed: forbidden by robots.txt. refused: denied by the address policy. failed: no answer.
              not_fetched: the crawl ended before.
    url       address of the answer, after redirects.
    attempts  number of attempts.
    reason    message where there is no answer.
    """

    outcome: Outcome
    status: int = 0
    url: SensitiveUrl | None = None
    media_type: str | None = None
    data: bytes = b""
    attempts: int = 0
    reason: str = ""


class CachedResponse(msgspec.Struct, frozen=True, kw_only=True):
    """Stored response with its validators (ETag, Last-Modified). `url` is the address after redirects."""

    url: str
    etag: str | None = None
    last_modified: str | None = None
    media_type: str | None = None
    status: int = 200
    data: bytes = b""


class Memory(Protocol):
    """Responses of earlier runs."""

    def recall(self, url: str) -> CachedResponse | None: ...

    def keep(self, url: str, answer: CachedResponse) -> None: ...


class SitemapListing(msgspec.Struct, kw_only=True):
    """Pages of sitemaps, in order, without duplicates; `errors` are (URL, message) of sitemaps not read in full.

    left_out  pages unchanged since the requested time, by their sitemap.
    over      pages beyond `Manners.urls`.
    """

    pages: list[str] = []
    errors: list[tuple[str, str]] = []
    left_out: int = 0
    over: int = 0


class _Host:
    """Pace of a host and port, also for several crawlers. Times are those of event loops (monotonic), in seconds."""

    def __init__(self, interval_s: float) -> None:
        self.interval_s = interval_s
        self.next = 0.0
        self.not_before = 0.0
        self.silent = 0
        self.given_up = ""
        self._lock = threading.Lock()

    def booked(self, now: float) -> float:
        """Book the next request. Returns the seconds to wait for it."""
        with self._lock:
            self.next = max(self.next, self.not_before, now) + self.interval_s
            return self.next - self.interval_s - now


Paces: TypeAlias = dict[tuple[str, int], _Host]
"""Paces by (host, port)."""


class Crawler:
    """Crawler with an event loop of its own: use it outside a loop, in a `with` statement.

    robots  obey robots.txt; False for a site of your own.
    access  user agent, and the secrets of origins.
    paces   paces in common with other crawlers.
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
        access: Access | None = None,
        paces: Paces | None = None,
    ) -> None:
        self.manners = manners or Manners()
        self.limits = limits or Limits()
        self.policy, self.memory, self.access = policy, memory, access or Access()
        self.pool = Pool(self.limits, trust, self.manners.together)
        self.resolver = resolver or SystemResolver()
        self._obeys = robots
        self._hosts: Paces = paces if paces is not None else {}
        self._robots: dict[str, asyncio.Task[robots_.Robots | PageResult]] = {}
        self._runner = asyncio.Runner()
        self._ends: float | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the loop, all tasks in it and all connections."""
        self._runner.run(self.pool.aclose())
        self._runner.close()

    def pages(self, urls: Sequence[str], *, obey: bool | None = None) -> Iterator[tuple[int, PageResult]]:
        """(index, result) of every URL, in order of completion. `obey` overrides `robots`."""
        obeys = self._obeys if obey is None else obey
        return self.driven(self._all(urls, ACCEPT, obeys, self.limits, self.memory))

    def sitemap_pages(
        self, start: str | bytes, *, since: datetime | None = None, already: int = 0, name: str = ""
    ) -> SitemapListing:
        """Pages of a sitemap, given by URL or content, and of the sitemaps in it.

        For the URL of a site, the sitemaps in its robots.txt, else `/sitemap.xml`.

        since    leaves out pages with an earlier `lastmod`; pages without one stay.
        already  pages from elsewhere that count towards the limit.
        name     name in messages for a sitemap given by content.
        """
        return self._runner.run(self._sitemap_pages(start, since, already, name))

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Result of a coroutine in the crawler's event loop."""
        return self._runner.run(work)

    def driven(self, source: AsyncIterator[T]) -> Iterator[T]:
        """Items of an asynchronous iterator that runs in the crawler's event loop while an item is requested."""

        async def following() -> T | None:
            return await anext(source, None)

        async def closed() -> None:
            await source.aclose()  # type: ignore[attr-defined]

        try:
            while (item := self._runner.run(following())) is not None:
                yield item
        finally:
            self._runner.run(closed())

    async def _all(
        self, urls: Sequence[str], accept: str, obeys: bool, limits: Limits, memory: Memory | None
    ) -> AsyncIterator[tuple[int, PageResult]]:
        lanes: dict[str, list[int]] = {}
        for index, url in enumerate(urls):
            # A lane for each host: many pages of one slow host never keep those of others waiting.
            lanes.setdefault(_host_of(url), []).append(index)
        # Bounded: fetching waits for the caller, and pages do not pile up in memory.
        results: asyncio.Queue[tuple[int, PageResult]] = asyncio.Queue(maxsize=self.manners.connections)
        turns = asyncio.Semaphore(self.manners.together)

        async def lane(indices: Iterator[int]) -> None:
            for index in indices:
                async with turns:
                    fetched = await self._result(PageFetch(self, urls[index], accept, obeys, limits, memory))
                await results.put((index, fetched))

        tasks = []
        for indices in lanes.values():
            # The workers of a host draw from one iterator, so that a slow page holds up one of them alone.
            shared = iter(indices)
            tasks += [asyncio.create_task(lane(shared)) for _ in range(min(self.manners.connections, len(indices)))]
        left = set(range(len(urls)))
        try:
            while left:
                async with asyncio.timeout(max(self.left_s(), 0) + _GRACE_S):
                    index, fetched = await results.get()
                left.discard(index)
                yield index, fetched
        except TimeoutError:  # no known cause leads here, but the promised deadline does not depend on that
            for index in sorted(left):
                yield index, PageResult(outcome="not_fetched", reason=self.late)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _result(self, errand: PageFetch) -> PageResult:
        """Result of a fetch, also for an unforeseen exception."""
        try:
            return await errand.run()
        except Exception as error:  # noqa: BLE001 - a bug with one URL must not cost the others
            # Without its text, which may quote a header.
            kind = type(error).__name__
            return PageResult(outcome="failed", reason=f"waypost failed to fetch this, please report it ({kind})")

    def host(self, stop: Stop) -> _Host:
        rate = self.manners.rate
        return self._hosts.setdefault((stop.host, stop.port), _Host(1 / rate if rate else 0.0))

    @property
    def late(self) -> str:
        return f"the time for fetching, {self.manners.total_s:g} s, was over"

    def left_s(self) -> float:
        """Seconds until the deadline of the crawl; the first call starts the clock."""
        now = asyncio.get_running_loop().time()
        if self._ends is None:
            self._ends = now + self.manners.total_s
        return self._ends - now

    async def robots(self, stop: Stop) -> robots_.Robots | PageResult:
        """Rules of an origin, or the result for all its pages where robots.txt is unreachable (RFC 9309, 2.3.1.4)."""
        origin = f"{stop.scheme}://{stop.host_header}"
        if origin not in self._robots:
            # A task, so that pages of one origin that start together read its robots.txt once.
            self._robots[origin] = asyncio.create_task(self._read_robots(stop, origin))
        # Shielded: a page that is cancelled must not take the rules from the others.
        return await asyncio.shield(self._robots[origin])

    async def _read_robots(self, stop: Stop, origin: str) -> robots_.Robots | PageResult:
        limits = msgspec.structs.replace(self.limits, body_bytes=robots_.MOST_BYTES, wire_bytes=2 << 20, cut=True)
        errand = PageFetch(self, f"{origin}/robots.txt", _ROBOTS_ACCEPT, False, limits, None)
        result = await self._result(errand)
        # Unreachable rules forbid everything (RFC 9309, 2.3.1.4); a missing file allows everything (2.3.1.3).
        if result.outcome == "fetched" and (result.status >= 500 or result.status == 429):
            why = f"the robots.txt of {stop.host} cannot be read: the server answered with status {result.status}"
            return PageResult(outcome="disallowed", reason=why)
        if result.outcome != "fetched":
            return PageResult(outcome=result.outcome, reason=result.reason)
        if result.status >= 400:
            return robots_.ALLOW_ALL
        found = robots_.read(result.data, AGENT)
        host = self.host(stop)
        # The site's pace counts where it is slower than ours.
        host.interval_s = max(host.interval_s, found.delay_s)
        return found

    async def _sitemap_pages(
        self, start: str | bytes, since: datetime | None, already: int, name: str
    ) -> SitemapListing:
        listing = SitemapListing()
        pages: dict[str, None] = {}
        if isinstance(start, bytes):
            waiting = self._taken(listing, pages, name, sitemap.read(start), since, already)
        else:
            waiting = await self._sitemaps_of(start)
        seen = set(waiting)
        limits = msgspec.structs.replace(
            self.limits, body_bytes=sitemap.MOST_BYTES, wire_bytes=sitemap.MOST_BYTES + (1 << 20)
        )
        for depth in range(_DEEPEST + 1):
            read: list[PageResult | None] = [None] * len(waiting)
            # Read by level, and evaluated in their order: the listing must not depend on which server answers first.
            async for index, result in self._all(waiting, _SITEMAP_ACCEPT, self._obeys, limits, None):
                read[index] = result
            found: list[str] = []
            for url, answer in zip(waiting, read, strict=True):
                assert answer is not None
                if why := _no_answer(answer):
                    listing.errors.append((url, why))
                else:
                    found += self._taken(listing, pages, url, sitemap.read(answer.data), since, already)
            fresh = [url for url in dict.fromkeys(found) if url not in seen]
            if fresh and depth == _DEEPEST:
                listing.errors += [(url, "it lies too deep: an index names an index") for url in fresh]
                break
            if len(seen) + len(fresh) > MOST_SITEMAPS:
                room = MOST_SITEMAPS - len(seen)
                listing.errors += [(url, f"more than {MOST_SITEMAPS:,} sitemaps are not read") for url in fresh[room:]]
                fresh = fresh[:room]
            waiting = fresh
            seen.update(fresh)
            if not waiting:
                break
        listing.pages = list(pages)
        return listing

    async def _sitemaps_of(self, url: str) -> list[str]:
        try:
            stop = read_url(url)
        except FetchDenied:
            return [url]
        # The address of a file is a sitemap itself; only that of a site is searched for them.
        if stop.target != "/":
            return [url]
        found = await self.robots(stop)
        named = found.sitemaps if isinstance(found, robots_.Robots) else ()
        return [*dict.fromkeys(named)] or [f"{stop.scheme}://{stop.host_header}/sitemap.xml"]

    def _taken(
        self,
        listing: SitemapListing,
        pages: dict[str, None],
        name: str,
        read: sitemap.Sitemap,
        since: datetime | None,
        already: int,
    ) -> list[str]:
        """Add the pages of a sitemap to the listing. Returns the sitemaps in an index."""
        if read.error:
            listing.errors.append((name, read.error))
        for entry in read.pages:
            if entry.url in pages:
                continue
            if since and entry.modified and entry.modified < since:
                listing.left_out += 1
            elif len(pages) + already >= self.manners.urls:
                listing.over += 1
            else:
                pages[entry.url] = None
        # `lastmod` in an index is when the sitemap changed: an older one lists no page that has changed since.
        return [entry.url for entry in read.sitemaps if not (since and entry.modified and entry.modified < since)]


class PageFetch(Journey):
    """Fetch of a URL, from robots.txt to the last retry."""

    def __init__(
        self, crawler: Crawler, url: str, accept: str, obeys: bool, limits: Limits, memory: Memory | None
    ) -> None:
        super().__init__(limits, crawler.resolver, crawler.policy, None, accept)
        self._crawler, self._url, self._obeys = crawler, url, obeys
        self._own = secrets_in(url)
        self._memory = memory
        # Neither the name nor the content of an entry has a secret of the URL; each user agent has entries of its own.
        self._entry = without_userinfo(url) + ("" if crawler.access.is_own else f" {crawler.access.agent}")
        self._remembered = memory.recall(self._entry) if memory is not None else None

    async def run(self) -> PageResult:
        """Result of the fetch. Never raises for a failure of the network."""
        try:
            stop = read_url(self._url)
        except FetchDenied as error:
            return PageResult(outcome="refused", reason=str(error))
        if self._obeys and self._crawler.left_s() > 0:
            held = await self._crawler.robots(stop)  # the time for robots.txt does not count for the page
            if isinstance(held, PageResult):
                return held
        host = self._crawler.host(stop)
        last: PageResult | None = None
        for attempt in range(self._crawler.manners.retries + 1):
            if why := self._hopeless(host):
                return last or PageResult(outcome="not_fetched", reason=why)
            wait = host.booked(asyncio.get_running_loop().time())
            if wait >= self._crawler.left_s():
                return last or PageResult(outcome="not_fetched", reason=self._crawler.late)
            if wait > 0:
                await asyncio.sleep(wait)
            last = await self._attempt(stop, host, attempt + 1)
            again = self._retry_in(last, self._crawler.manners.pause_s * 2**attempt)
            if not again:
                break
            if again > _LONGEST_WAIT_S:
                host.given_up = f"the server requested a pause of {again:.0f} s"
                return msgspec.structs.replace(last, reason=host.given_up)
            if last.status in _RETRY_LATER:
                host.not_before = max(host.not_before, asyncio.get_running_loop().time() + again)
            elif attempt < self._crawler.manners.retries:
                await asyncio.sleep(min(again, max(self._crawler.left_s(), 0)))
        assert last is not None
        return last

    def _hopeless(self, host: _Host) -> str:
        """Reason not to try at all; empty to go on."""
        return self._crawler.late if self._crawler.left_s() <= 0 else host.given_up

    def _retry_in(self, result: PageResult, pause: float) -> float:
        """Seconds until the next attempt; 0 for none."""
        if result.outcome == "failed":
            return pause if self._passing else 0.0
        return (
            max(pause, self._retry_after_s) if result.outcome == "fetched" and result.status in _PASSING_STATUS else 0.0
        )

    async def _attempt(self, stop: Stop, host: _Host, number: int) -> PageResult:
        self._passing, self._retry_after_s = False, 0.0
        self.hops.clear()
        within = min(self._limits.total_s, max(self._crawler.left_s(), 0.1))
        self._deadline = asyncio.get_running_loop().time() + within
        try:
            async with asyncio.timeout(within):
                fetched = await self.follow(stop)
        except FetchDenied as error:
            outcome: Outcome = "disallowed" if error.reason == "robots" else "refused"
            return PageResult(outcome=outcome, attempts=number, reason=str(error))
        except FetchFailed as error:
            return self._failed(host, number, str(error), error.reason)
        except TimeoutError:
            return self._failed(host, number, f"{self.where} took longer than {within:g} s", "timeout")
        host.silent = 0
        return self._answered(fetched, number)

    def _failed(self, host: _Host, number: int, text: str, reason: str) -> PageResult:
        self._passing = reason in _PASSING
        host.silent = host.silent + 1 if reason in _SILENT else 0
        if host.silent >= self._crawler.manners.patience:
            host.given_up = (
                f"{host.silent} times in a row nothing came from this host; it was not requested again ({text})"
            )
        return PageResult(outcome="failed", attempts=number, reason=text)

    def _answered(self, fetched: Fetched, number: int) -> PageResult:
        self._retry_after_s = _retry_after(fetched.headers.get("retry-after", ""))
        known = self._remembered
        # A 304 confirms the cached response of its own URL; after a redirect it would be of another.
        if fetched.status == 304 and known and known.url == fetched.url.reveal():
            return PageResult(
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
                cached = CachedResponse(
                    url=fetched.url.reveal(), etag=etag, last_modified=modified, media_type=fetched.media_type,
                    data=fetched.data,
                )  # fmt: skip
                self._memory.keep(self._entry, cached)
        return PageResult(
            outcome="fetched", status=fetched.status, url=fetched.url, media_type=fetched.media_type,
            data=fetched.data, attempts=number,
        )  # fmt: skip

    async def before(self, stop: Stop, *, is_first: bool) -> None:
        """Apply pace and robots.txt to redirects too. Raises FetchDenied."""
        if not is_first:
            self._crawler.host(stop).booked(asyncio.get_running_loop().time())
        if not self._obeys:
            return
        found = await self._crawler.robots(stop)
        if isinstance(found, PageResult):
            raise FetchDenied(found.reason, "robots" if found.outcome == "disallowed" else "refused")
        if not found.allows(stop.target):
            raise FetchDenied(f"the robots.txt of {stop.host} does not allow it", "robots")

    async def visit(self, stop: Stop) -> Fetched | str:
        """Response of a hop over a connection that may be open already, or the Location of its redirect."""
        crawler = self._crawler
        secrets = self.secrets(stop)
        proxy = proxy_for(stop)
        try:
            within = _PROXY_DNS_S if proxy else self._limits.connect_s
            addresses = (await allowed_addresses(stop, self._resolver, self._policy_for(stop), within)).addresses
        except FetchFailed:
            # Names that only the proxy can resolve. A private address that is known here is refused all the same.
            if proxy is None:
                raise
            addresses = ()
        stop_if_cancelled()
        headers = {"User-Agent": crawler.access.agent, "Accept": self._accept, "Accept-Encoding": accepted()}
        headers |= {**self._validators(stop, secrets), **self.further_headers(stop)}
        # A header that was given counts: a test of another User-Agent, or of another Accept-Language.
        given = {name.lower() for name in secrets.headers}
        headers = {name: value for name, value in headers.items() if name.lower() not in given} | secrets.headers
        way = crawler.pool.get(stop, addresses, headers, self._limits, certificate=secrets.certificate, proxy=proxy)
        try:
            async with way as response:
                head = response.head
                location = head.headers.get("location")
                if head.status in REDIRECTS and location is not None:
                    self._pass(stop, head.status)
                    return location
                data, truncated = await response.body()
        except AccessError as error:
            raise FetchDenied(str(error), "access") from None
        self._pass(stop, head.status)
        return self._fetched(stop, head, data, truncated)

    def secrets(self, stop: Stop) -> Secrets:
        """Secrets for a hop. Raises FetchDenied for missing ones."""
        return self._crawler.access.towards(stop, self._own)

    def further_headers(self, stop: Stop) -> Mapping[str, str]:  # noqa: ARG002 - for a subclass
        """Headers for a hop besides the usual ones and the secrets."""
        return {}

    def _validators(self, stop: Stop, secrets: Secrets) -> Mapping[str, str]:
        """Validators of the cached response (RFC 9110, 13.1), only for the URL that it came from."""
        known = self._remembered
        if known is None or known.url != stop.href:
            return {}
        # An ETag takes precedence over a date (RFC 9110, 13.1.3), and alone tells what two users get apart.
        dated = {"If-Modified-Since": known.last_modified} if secrets == NO_SECRETS else {}
        headers = {"If-None-Match": known.etag} if known.etag else dated
        # Validators come from third parties: a line break would begin another header.
        return {name: value for name, value in headers.items() if value and value.isascii() and value.isprintable()}


def _host_of(url: str) -> str:
    try:
        return read_url(url).host_header
    except FetchDenied:
        return ""


def _no_answer(result: PageResult) -> str:
    """Reason why a result has no content; empty where it has."""
    if result.outcome not in {"fetched", "unchanged"}:
        return result.reason
    return f"the server answered with status {result.status}" if result.status != 200 else ""


def _retry_after(text: str) -> float:
    """Seconds of a Retry-After header; 0 for an invalid one."""
    if text.isascii() and text.isdigit() and len(text) < 10:
        return float(text)
    try:
        when = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return 0.0
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max((when - datetime.now(UTC)).total_seconds(), 0.0)
