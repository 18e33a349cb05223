"""Probe of a destination: name, certificate, front page and registration, at the same time under one deadline.

Late parts are unknown, and failures are reported as such; nothing is decided, and no failure of the network raises.
Only `/` is requested unless the caller opts in: other URLs may work only once. Certificates are always verified; the
verifier's own reason is the evidence.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import msgspec

from waypost.errors import FetchDenied, FetchFailed
from waypost.formats.ip_addresses import literal
from waypost.models.decision import Unknown
from waypost.models.observation import (
    CertificateError,
    DnsObservation,
    HttpObservation,
    Observations,
    RegistrationObservation,
    Status,
    TlsObservation,
)
from waypost.net import rdap
from waypost.net.address import PUBLIC, AddressPolicy
from waypost.net.fetch import ACCEPT, Fetched, Journey, Stop, read_url
from waypost.net.rdap import Registries
from waypost.net.resolve import Answer, DelegationResolver, Outcome, Resolver, SystemResolver
from waypost.net.trust import default_trust
from waypost.net.wire import Connection, Limits
from waypost.tracing import span

T = TypeVar("T")

WITHIN_S = 1.5
_LEAST_MS, _MOST_MS = 60_000, 24 * 3600 * 1000
"""Lifetime of DNS answers: a minute at least and a day at most; failures have a minute."""
_GRACE_S = 0.05
_BODY_BYTES = 262_144
_CERTIFICATE_ERRORS: dict[int, CertificateError] = {
    2: "untrusted_issuer",
    9: "not_yet_valid",
    10: "expired",
    18: "self_signed",
    19: "self_signed",
    20: "untrusted_issuer",
    21: "untrusted_issuer",
    23: "revoked",
    62: "name_mismatch",
    64: "name_mismatch",
}
"""X509_V_ERR_* of OpenSSL's x509_vfy.h."""
_UNRESOLVED: dict[Outcome, tuple[Status, Unknown]] = {
    "no_such_name": ("not_observed", "dns_not_resolved"),
    "no_address": ("not_observed", "dns_not_resolved"),
    "failed": ("failed", "dns_not_resolved"),
    "timeout": ("failed", "dns_timeout"),
}
_NO_CERTIFICATE: tuple[Unknown, ...] = ("tls_not_checked", "certificate_history_unavailable")
_REFUSALS = frozenset({"non_public_address", "port_not_allowed"})
_MOST_ALIASES = 16


def clock() -> int:
    """Now, in milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000


async def probe_async(
    host: str,
    *,
    scheme: str = "https",
    port: int | None = None,
    registrable: str = "",
    target: str = "/",
    within_s: float = WITHIN_S,
    resolver: Resolver | None = None,
    policy: AddressPolicy = PUBLIC,
    trust: ssl.SSLContext | None = None,
    registries: Registries | None = None,
    now: Callable[[], int] = clock,
) -> Observations:
    """Observations of a host within a time.

    host         name in A-labels, or IP address without brackets
    registrable  domain for the registration query; empty for none
    target       path and query to request: `/` unless the caller has opted in to more
    within_s     seconds for all parts together
    registries   RDAP servers; the shipped table by default

    Raises only FetchDenied, for a host or scheme invalid in a URL.
    """
    stop = _destination(host, scheme, port, target)
    # Both take some milliseconds the first time, which must not count for the destination.
    trust = trust or default_trust()
    registries = rdap.shipped_registries() if registries is None else registries
    resolver = resolver or SystemResolver()
    began = now()
    visit = _Visit(resolver, policy, trust, within_s)
    registration = rdap.registration(
        registrable, registries=registries, within_s=within_s, resolver=resolver, policy=policy, trust=trust, now=began
    )
    site = asyncio.create_task(_spanned("waypost.look.http", visit.follow(stop)))
    registry = asyncio.create_task(_spanned("waypost.look.registration", registration))
    servers = asyncio.create_task(_name_servers(registrable, resolver, within_s))
    try:
        await _finish({site, registry}, servers, within_s)
    finally:
        # Also where the probe is cancelled, as with a client that is gone: no part outlives it.
        for task in (site, registry, servers):
            task.add_done_callback(_taken)
            task.cancel()
    seen = _observations(stop, began, visit, site, registry, registrable, registries)
    return _with_name_servers(seen, _outcome(servers))


def _with_name_servers(seen: Observations, found: Any) -> Observations:
    """Observations with the names of the name servers, where these were found in time."""
    if not isinstance(found, tuple) or not found:
        return seen
    return msgspec.structs.replace(seen, dns=msgspec.structs.replace(seen.dns, name_servers=found))


async def _finish(tasks: set[asyncio.Task[Any]], servers: asyncio.Task[Any], within_s: float) -> None:
    """Wait for the tasks, and a moment for the name servers; cancel each that is late."""
    _, late = await asyncio.wait(tasks, timeout=within_s)
    if not late:
        # Requested at the beginning, the name servers are known by now; no answer waits for them longer than this.
        await asyncio.wait({servers}, timeout=_GRACE_S)
    if not servers.done():
        late.add(servers)
    for task in late:
        task.cancel()
    if late:
        # Bounded: a resolver that swallows its cancellation must not hold up the answer.
        await asyncio.wait(late, timeout=_GRACE_S)


def _taken(task: asyncio.Task[Any]) -> None:
    """Take note of a task's error, which asyncio would report with a traceback if no one did."""
    if not task.cancelled():
        task.exception()


async def _spanned(name: str, part: Awaitable[T]) -> T:
    with span(name):
        return await part


async def _name_servers(domain: str, resolver: Resolver, within_s: float) -> tuple[str, ...]:
    if not domain or not isinstance(resolver, DelegationResolver):
        return ()
    return await resolver.name_servers(domain, within_s=within_s)


def _destination(host: str, scheme: str, port: int | None, target: str) -> Stop:
    address = literal(host)
    written = f"[{host}]" if address is not None and address.version == 6 else host
    return read_url(f"{scheme}://{written}{'' if port is None else f':{port}'}{target}")


class _Visit(Journey):
    """Journey that records the observations of its first hop, the destination itself."""

    def __init__(
        self, resolver: Resolver, policy: AddressPolicy, trust: ssl.SSLContext | None, within_s: float
    ) -> None:
        limits = Limits(
            total_s=within_s,
            connect_s=within_s,
            read_s=within_s,
            body_bytes=_BODY_BYTES,
            wire_bytes=_BODY_BYTES + 65536,
            cut=True,
        )
        self._notes = _RecordingResolver(resolver)
        super().__init__(limits, self._notes, policy, trust, ACCEPT)
        self.connected: Connection | None = None
        self.not_connected: FetchFailed | None = None

    @property
    def denied(self) -> str:
        """Reason of the policy for no connection to the destination; empty without a denial."""
        return self.hops[0].error if self.hops and self.hops[0].error in _REFUSALS else ""

    @property
    def named(self) -> Answer | None:
        """DNS answer for the destination's own name."""
        return self._notes.first

    async def open(self, stop: Stop, addresses: Sequence[str]) -> Connection:
        # A redirect may lead to another owner: only the first connection says something about the destination.
        first = not self.hops
        try:
            with span("waypost.look.tls" if stop.scheme == "https" else "waypost.look.connect"):
                connection = await super().open(stop, addresses)
        except FetchFailed as error:
            if first:
                self.not_connected = error
            raise
        if first:
            self.connected = connection
        return connection


class _RecordingResolver:
    """Resolver that records its first answer."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self.first: Answer | None = None

    async def resolve(self, host: str, *, within_s: float) -> Answer:
        with span("waypost.look.dns") as made:
            answer = await self._resolver.resolve(host, within_s=within_s)
            made.note(outcome=answer.outcome)
        # Redirects resolve further names through the same resolver.
        if self.first is None:
            self.first = answer
        return answer


def _observations(
    stop: Stop,
    began: int,
    visit: _Visit,
    site: asyncio.Task[Fetched],
    registry: asyncio.Task[RegistrationObservation],
    registrable: str,
    registries: Registries,
) -> Observations:
    result, seen = _outcome(site), _outcome(registry)
    dns = _dns(stop, visit, result is not None, began)
    return Observations(
        host=stop.host,
        observed_at=began,
        dns=dns,
        tls=_tls(stop, visit, dns, began),
        http=_http(result, visit, dns, began),
        registration=seen if isinstance(seen, RegistrationObservation) else rdap.late(registrable, registries, began),
    )


def _outcome(task: asyncio.Task[T]) -> T | BaseException | None:
    """Result or exception of a task; None when it was late."""
    if not task.done() or task.cancelled():
        return None
    error = task.exception()
    return error if error is not None else task.result()


def _dns(stop: Stop, visit: _Visit, arrived: bool, began: int) -> DnsObservation:
    answer = visit.named
    not_public = visit.denied == "non_public_address"
    if answer is not None and answer.outcome == "found" and answer.addresses:
        # Addresses of a private network must not leak into a decision.
        return DnsObservation(
            status="observed",
            observed_at=began,
            valid_until=began + min(max(answer.ttl_s * 1000, _LEAST_MS), _MOST_MS),
            addresses=() if not_public else answer.addresses,
            aliases=answer.aliases[:_MOST_ALIASES],
            ttl_s=answer.ttl_s,
            not_public=not_public,
        )
    status, reason, unknowns = _unresolved(stop, visit, arrived)
    return DnsObservation(
        status=status,
        reason=reason,
        unknowns=unknowns,
        observed_at=began,
        valid_until=began + _LEAST_MS,
        addresses=(stop.host,) if reason == "literal" else (),
        not_public=not_public,
    )


def _unresolved(stop: Stop, visit: _Visit, arrived: bool) -> tuple[Status, str, tuple[Unknown, ...]]:
    """(status, reason, unknowns) of a name without addresses."""
    answer = visit.named
    if answer is not None:
        outcome = "no_address" if answer.outcome == "found" else answer.outcome
        status, unknown = _UNRESOLVED[outcome]
        return status, outcome, (unknown,)
    if literal(stop.host) is not None:
        return "not_attempted", "literal", ()
    if visit.denied:
        return "not_attempted", visit.denied, ("dns_not_resolved",)
    return ("failed", "error", ("dns_not_resolved",)) if arrived else ("failed", "timeout", ("dns_timeout",))


def _tls(stop: Stop, visit: _Visit, dns: DnsObservation, began: int) -> TlsObservation:
    if visit.connected is not None and stop.scheme == "https":
        # A certificate is evidence for the addresses it was seen at: no longer than the DNS answer.
        validity = visit.connected.validity
        ends = validity.not_after if validity else dns.valid_until
        return TlsObservation(
            status="observed",
            unknowns=() if validity else ("certificate_history_unavailable",),
            observed_at=began,
            valid_until=min(dns.valid_until, ends),
            valid=True,
            not_before=validity.not_before if validity else None,
            not_after=validity.not_after if validity else None,
            issuer=validity.issuer if validity else "",
            organization=validity.organization if validity else "",
            organization_id=validity.organization_id if validity else "",
        )
    error: CertificateError | None = None
    status, reason, unknowns = _no_tls(stop, visit, dns)
    if reason == "tls_invalid" and visit.not_connected is not None:
        # The verifier's code is on the original ssl error; other handshake errors have none.
        cause = visit.not_connected.__cause__
        error = (
            _CERTIFICATE_ERRORS.get(cause.verify_code, "invalid")
            if isinstance(cause, ssl.SSLCertVerificationError)
            else "invalid"
        )
    return TlsObservation(
        status=status,
        reason=reason if status != "observed" else "",
        unknowns=unknowns,
        observed_at=began,
        valid_until=began + _LEAST_MS,
        error=error,
    )


def _no_tls(stop: Stop, visit: _Visit, dns: DnsObservation) -> tuple[Status, str, tuple[Unknown, ...]]:
    """(status, reason, unknowns) without a valid certificate."""
    if stop.scheme != "https":
        return "not_attempted", "not_secure", _NO_CERTIFICATE
    if visit.not_connected is not None:
        match visit.not_connected.reason:
            case "tls_invalid":
                return "observed", "tls_invalid", ("certificate_history_unavailable",)
            case "tls_failed":
                return "failed", "tls_failed", ("tls_handshake_failed", "certificate_history_unavailable")
            case reason:
                return "failed", reason, _NO_CERTIFICATE
    if visit.denied or (dns.status != "observed" and dns.reason != "literal"):
        return "not_attempted", visit.denied or "not_resolved", _NO_CERTIFICATE
    return "failed", "timeout", _NO_CERTIFICATE


def _http(result: Fetched | BaseException | None, visit: _Visit, dns: DnsObservation, began: int) -> HttpObservation:
    hops = tuple(visit.hops)
    if isinstance(result, Fetched):
        return HttpObservation(
            status="observed",
            observed_at=began,
            valid_until=dns.valid_until,
            hops=hops,
            answer=result.status,
            media_type=result.media_type,
            # An error page says nothing about the owner's claims.
            body=result.data if 200 <= result.status < 300 else b"",
            truncated=result.truncated,
        )
    reason = (
        result.reason if isinstance(result, FetchDenied | FetchFailed) else "timeout" if result is None else "error"
    )
    redirected = any(300 <= hop.status < 400 for hop in hops)
    return HttpObservation(
        status="not_attempted" if visit.denied else "failed",
        reason=reason,
        unknowns=("redirect_target_not_checked" if redirected else "http_not_fetched",),
        observed_at=began,
        valid_until=began + _LEAST_MS,
        hops=hops,
    )
