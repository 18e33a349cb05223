"""Resources that a rendered page requests: scripts, styles and data, through the guard of every other fetch.

Each request and each redirect is checked when it connects, as that of a page is. A page's own private host, which the
user named, is open to the page itself and to no other; so are the secrets of an origin.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import msgspec

from waypost.errors import FetchDenied, FetchFailed
from waypost.net.access import NO_SECRETS, Secrets
from waypost.net.address import AddressPolicy
from waypost.net.crawl import Crawler, PageFetch
from waypost.net.fetch import Fetched, Stop, read_url
from waypost.net.wire import Head, Limits

_SENT = frozenset({"accept", "accept-language", "origin", "referer"})
"""Headers of a page's request that go to any origin; further ones go to its own alone (Fetch Standard, CORS)."""
_OURS = frozenset(
    {"accept-encoding", "authorization", "connection", "content-length", "content-type", "cookie", "host",
     "if-modified-since", "if-none-match", "proxy-authorization", "range", "te", "transfer-encoding", "upgrade",
     "user-agent"}
)  # fmt: skip
_LONGEST_VALUE = 4_000


class Resource(msgspec.Struct, frozen=True, kw_only=True):
    """Answer to a page's request.

    status   0 without an answer.
    url      address after redirects.
    headers  of the answer, names in lower case.
    denied   reason of a refusal by the guard or by robots.txt; `failed`: why there is no answer.
    """

    status: int = 0
    url: str = ""
    headers: dict[str, str] = {}
    data: bytes = b""
    denied: str = ""
    failed: str = ""


async def fetch_resource(
    crawler: Crawler,
    url: str,
    owner: str,
    headers: Mapping[str, str],
    limits: Limits,
    *,
    obeys: bool,
    is_paced: bool = False,
) -> Resource:
    """Answer for a request of a page. Never raises for a refusal or a failure of the network.

    owner    URL of the page, which the user named; empty for a page without an address on the web.
    headers  of the request, as the browser would send it.
    obeys    whether robots.txt counts.
    is_paced  whether redirects count in the pace of their hosts; the request itself has waited, see `turn_of`.
    """
    errand = _ResourceFetch(crawler, url, owner, headers, limits, obeys, is_paced)
    try:
        async with asyncio.timeout(limits.total_s):
            fetched = await errand.follow(read_url(url))
    except FetchDenied as error:
        return Resource(denied=str(error))
    except FetchFailed as error:
        return Resource(failed=str(error))
    except TimeoutError:
        return Resource(failed=f"{errand.where} took longer than {limits.total_s:g} s")
    return Resource(status=fetched.status, url=fetched.url.reveal(), headers=errand.received, data=fetched.data)


def turn_of(crawler: Crawler, url: str) -> float:
    """Book a request in the pace of its host. Returns the seconds to wait for it; 0 for an address that is refused."""
    try:
        return max(crawler.host(read_url(url)).booked(asyncio.get_running_loop().time()), 0.0)
    except FetchDenied:
        return 0.0


class _ResourceFetch(PageFetch):
    """Fetch of a resource, with its redirects."""

    def __init__(
        self, crawler: Crawler, url: str, owner: str, headers: Mapping[str, str], limits: Limits, obeys: bool,
        is_paced: bool,
    ) -> None:  # fmt: skip
        super().__init__(crawler, url, headers.get("accept", "*/*"), obeys, limits, None)
        self._owner = read_url(owner) if owner else None
        self._headers, self._is_paced = headers, is_paced
        self.received: dict[str, str] = {}

    async def before(self, stop: Stop, *, is_first: bool) -> None:
        """Apply robots.txt. Outside of a crawl a page's resources have no pace, as in a browser."""
        await super().before(stop, is_first=is_first or not self._is_paced)

    def secrets(self, stop: Stop) -> Secrets:
        """Secrets of the page's own origin, for requests there alone: a strange page must not use them."""
        if self._owner is None or stop.origin != self._owner.origin:
            return NO_SECRETS
        return super().secrets(stop)

    def further_headers(self, stop: Stop) -> Mapping[str, str]:
        is_own = self._owner is not None and stop.origin == self._owner.origin
        return {
            name: value
            for name, value in self._headers.items()
            if (name in _SENT or (is_own and name not in _OURS and not name.startswith(("sec-", "proxy-", ":"))))
            and name != "accept"
            and len(value) <= _LONGEST_VALUE
            and value.isascii()
            and value.isprintable()
        }

    def _policy_for(self, stop: Stop) -> AddressPolicy:  # noqa: ARG002 - the same for each hop
        """Policy for a hop: what the user named is open to the page there, never to another page."""
        owner = self._owner
        named = frozenset({(owner.host, owner.port)} if owner is not None else ()) & self._policy.named
        return msgspec.structs.replace(self._policy, named=named)

    def _fetched(self, stop: Stop, head: Head, data: bytes, truncated: bool) -> Fetched:
        self.received = head.headers
        return super()._fetched(stop, head, data, truncated)
