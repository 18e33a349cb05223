"""Guarded fetch of a URL: every hop is checked against the address policy, and time and bytes are limited.

Each hop is parsed and resolved again, all its addresses are checked, and the connection goes to a checked address in
the name of the host. No cookies, credentials, proxies or automatic headers. Error messages name a host, and never a
path, query, fragment or credentials.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Sequence
from typing import NamedTuple

import ada_url
import msgspec

from waypost.errors import FetchDenied, FetchFailed
from waypost.formats.ip_addresses import literal
from waypost.models.decision import SensitiveUrl
from waypost.models.observation import Hop
from waypost.net.address import ALLOW_PRIVATE, PUBLIC, AddressPolicy
from waypost.net.resolve import Answer, Resolver, SystemResolver, literal_answer
from waypost.net.trust import default_trust
from waypost.net.wire import Connection, Head, Limits, connect

LONGEST_URL = 8192
ACCEPT = "text/html, application/xhtml+xml, application/ld+json, application/json;q=0.9, */*;q=0.5"
DEFAULT_PORTS = {"http": 80, "https": 443}
# Without 300, which needs a choice, and 304, which has no body (RFC 9110, section 15.4).
REDIRECTS = frozenset({301, 302, 303, 307, 308})
_REPORTED_HEADERS = frozenset(
    {"cache-control", "content-language", "etag", "last-modified", "retry-after", "x-robots-tag"}
)


class Stop(NamedTuple):
    """Destination of a hop: the parts of a URL, without credentials and fragment.

    `host` has no brackets and trailing dot, `host_header` is in HTTP's form, `target` is path and query.
    """

    scheme: str
    host: str
    port: int
    host_header: str
    target: str

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.host_header}"

    @property
    def href(self) -> str:
        return f"{self.origin}{self.target}"


class Fetched(msgspec.Struct, frozen=True, kw_only=True):
    """Response for a URL, of any status.

    url         URL after redirects, without credentials and fragment
    media_type  Content-Type as sent, with its charset; None without one
    headers     selected headers, names in lower case
    data        unpacked body
    hops        hops from the first URL to the response
    truncated   whether `data` is only the beginning (with `Limits.cut`)
    """

    url: SensitiveUrl
    status: int
    media_type: str | None
    headers: dict[str, str]
    data: bytes
    hops: tuple[Hop, ...]
    truncated: bool = False


def fetch(
    url: SensitiveUrl | str,
    *,
    limits: Limits | None = None,
    resolver: Resolver | None = None,
    policy: AddressPolicy = PUBLIC,
    trust: ssl.SSLContext | None = None,
    accept: str = ACCEPT,
) -> Fetched:
    """Fetch a URL outside an event loop. Raises FetchDenied and FetchFailed; see `fetch_async`."""
    return asyncio.run(fetch_async(url, limits=limits, resolver=resolver, policy=policy, trust=trust, accept=accept))


async def fetch_async(
    url: SensitiveUrl | str,
    *,
    limits: Limits | None = None,
    resolver: Resolver | None = None,
    policy: AddressPolicy = PUBLIC,
    trust: ssl.SSLContext | None = None,
    accept: str = ACCEPT,
) -> Fetched:
    """Fetch a URL. Raises FetchDenied for a forbidden destination and FetchFailed for a failure of the network."""
    limits = limits or Limits()
    # Before the clock starts: a URL that cannot be fetched costs no task.
    stop = read_url(url.reveal() if isinstance(url, SensitiveUrl) else url)
    journey = Journey(limits, resolver or SystemResolver(), policy, trust, accept)
    try:
        async with asyncio.timeout(limits.total_s):
            return await journey.follow(stop)
    except TimeoutError:
        raise FetchFailed(f"{journey.where} took longer than {limits.total_s:g} s", "timeout") from None


def read_url(text: str, base: str | None = None) -> Stop:
    """Parts of a URL by the WHATWG standard, relative to `base` if given. Raises FetchDenied."""
    if len(text) > LONGEST_URL:
        raise FetchDenied(f"the URL is longer than {LONGEST_URL} characters", "invalid_url")
    try:
        url = ada_url.URL(text, base=base)
    except ValueError:
        raise FetchDenied("this is not a valid absolute URL", "invalid_url") from None
    scheme = url.protocol[:-1]
    if scheme not in DEFAULT_PORTS:
        raise FetchDenied("only http and https URLs are fetched", "unsupported_scheme")
    # The final dot only marks the name as absolute; certificates name hosts without one.
    host = url.hostname.strip("[]").removesuffix(".")
    # 63 octets a label and 255 a name (RFC 1035, 2.3.4), which is 253 characters as text.
    if not host or len(host) > 253 or (literal(host) is None and not all(0 < len(s) < 64 for s in host.split("."))):
        raise FetchDenied("the URL names no host", "invalid_url")
    return Stop(scheme, host, int(url.port or DEFAULT_PORTS[scheme]), url.host, f"{url.pathname}{url.search}")


async def allowed_addresses(stop: Stop, resolver: Resolver, policy: AddressPolicy, within_s: float) -> Answer:
    """Addresses of a host, all checked against the policy. Raises FetchDenied and FetchFailed."""
    policy = policy.towards(stop.host, stop.port)
    if policy.denies_name(stop.host):
        raise FetchDenied(f"{stop.host} is a name of the local network{_HOW}", "non_public_address")
    answer = literal_answer(stop.host)
    # A literal is checked before the port, so that the message names the address as the reason.
    if answer is not None:
        _check_addresses(stop, answer, policy, "is")
    if policy.denies_port(stop.port):
        raise FetchDenied(f"port {stop.port} of {stop.host} is neither 80 nor 443{_HOW}", "port_not_allowed")
    if answer is None:
        answer = await _resolved(stop.host, resolver, within_s)
        _check_addresses(stop, answer, policy, "points to")
    return answer


async def _resolved(host: str, resolver: Resolver, within_s: float) -> Answer:
    try:
        async with asyncio.timeout(within_s):
            answer = await resolver.resolve(host, within_s=within_s)
    except TimeoutError:
        answer = Answer("timeout")
    if answer.outcome != "found" or not answer.addresses:
        raise FetchFailed(*_unresolved(host, answer))
    return answer


def _check_addresses(stop: Stop, answer: Answer, policy: AddressPolicy, verb: str) -> None:
    """Raise FetchDenied if any address is denied: a host with a single private address is not a public host."""
    for text in answer.addresses:
        address = None if text[:1] == "[" else literal(text)  # brackets belong to URLs
        kind = "no address" if address is None else policy.refusal(address)
        if kind:
            never = address is None or ALLOW_PRIVATE.refusal(address)
            raise FetchDenied(f"{stop.host} {verb} {kind}{_NEVER if never else _HOW}", "non_public_address")


_HOW = "; it is fetched only when private addresses are allowed (--allow-private)"
_NEVER = "; nothing is ever fetched from there"


def _unresolved(host: str, answer: Answer) -> tuple[str, str]:
    match answer.outcome:
        case "no_such_name":
            return f"there is no host named {host}", "no_such_name"
        case "timeout":
            return f"the name servers did not answer in time for {host}", "dns_timeout"
        case "failed":
            return f"the name servers could not answer for {host}", "dns_failed"
        case _:
            return f"{host} has no address", "no_address"


class Journey:
    """Fetch with its redirects. `hops` grows with every hop; `where` is the current host, for messages."""

    def __init__(
        self,
        limits: Limits,
        resolver: Resolver,
        policy: AddressPolicy,
        trust: ssl.SSLContext | None,
        accept: str,
    ) -> None:
        self._limits, self._resolver, self._policy = limits, resolver, policy
        self._trust, self._accept = trust, accept
        self._deadline = asyncio.get_running_loop().time() + limits.total_s
        self._named: tuple[str, int] | None = None
        self.hops: list[Hop] = []
        self.where = "the host"

    async def follow(self, stop: Stop) -> Fetched:
        """Follow redirects to the first other response. Raises FetchDenied and FetchFailed."""
        been: set[str] = set()
        self._named = (stop.host, stop.port)
        while True:
            if stop.href in been:
                raise FetchFailed(f"{stop.host} redirects in a circle", "redirect_loop")
            if len(been) > self._limits.redirects:
                raise FetchFailed(f"more than {self._limits.redirects} redirects", "too_many_redirects")
            self.where = stop.host
            try:
                await self.before(stop, is_first=not been)
                been.add(stop.href)
                result = await self.visit(stop)
            except (FetchDenied, FetchFailed) as error:
                self._pass(stop, error=error.reason)
                raise
            # The deadline cancels the task: the hop that it fell into is part of the evidence.
            except asyncio.CancelledError:
                self._pass(stop, error="timeout")
                raise
            if isinstance(result, Fetched):
                return result
            stop = _next_stop(stop, result)

    async def before(self, stop: Stop, *, is_first: bool) -> None:
        """Hook before every hop. A subclass may raise FetchDenied."""

    async def open(self, stop: Stop, addresses: Sequence[str]) -> Connection:
        """Connect to a checked address in the name of the host. Raises FetchFailed."""
        return await connect(
            stop.host,
            addresses,
            stop.port,
            trust=(self._trust or default_trust()) if stop.scheme == "https" else None,
            limits=self._limits,
            deadline=self._deadline,
        )

    async def visit(self, stop: Stop) -> Fetched | str:
        """Response of a hop, or the Location of its redirect."""
        answer = await allowed_addresses(stop, self._resolver, self._policy_for(stop), self._limits.connect_s)
        stop_if_cancelled()
        connection = await self.open(stop, answer.addresses)
        try:
            head = await connection.request(stop.host_header, stop.target, self._accept)
            location = head.headers.get("location")
            if head.status in REDIRECTS and location is not None:
                self._pass(stop, head.status)
                return location
            data, truncated = await connection.body(head.headers.get("content-encoding", ""))
        finally:
            connection.close()
        self._pass(stop, head.status)
        return self._fetched(stop, head, data, truncated)

    def _policy_for(self, stop: Stop) -> AddressPolicy:
        """Policy for a hop: a redirect to another host or port is not what the user named."""
        if (stop.host, stop.port) == self._named or not self._policy.named:
            return self._policy
        return msgspec.structs.replace(self._policy, named=frozenset())

    def _pass(self, stop: Stop, status: int = 0, error: str = "") -> None:
        self.hops.append(Hop(scheme=stop.scheme, host=stop.host, port=stop.port, status=status, error=error))

    def _fetched(self, stop: Stop, head: Head, data: bytes, truncated: bool) -> Fetched:
        return Fetched(
            url=SensitiveUrl(stop.href, stop.origin),
            status=head.status,
            media_type=head.headers.get("content-type"),
            headers={name: value for name, value in head.headers.items() if name in _REPORTED_HEADERS},
            data=data,
            hops=tuple(self.hops),
            truncated=truncated,
        )


def stop_if_cancelled() -> None:
    """Raise CancelledError in a cancelled task: a resolver may swallow it, and no connection follows the deadline."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


def _next_stop(stop: Stop, location: str) -> Stop:
    try:
        return read_url(location, stop.href)
    except FetchDenied as error:
        raise FetchDenied(f"{stop.host} redirects to where nothing is fetched: {error}", error.reason) from None
