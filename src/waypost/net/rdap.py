"""When a domain was registered, as its registry says: RDAP, RFC 9082 and 9083.

Which server answers for which suffix comes from a bootstrap file in the format of RFC 9224: a small one of
our own, or the whole one of IANA where an operator has fetched it. What no file names stays unknown: an age
that is not known is never an old age.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from urllib.parse import quote

import msgspec

from waypost.errors import FetchDenied, FetchFailed, RegistryError
from waypost.models.decision import Unknown
from waypost.models.observation import RegistrationObservation, Status
from waypost.net.address import AddressPolicy
from waypost.net.fetch import Fetched, fetch_async
from waypost.net.resolve import Resolver
from waypost.net.wire import Limits

Registries = Mapping[str, str]
"""Suffix, lower case, A-labels -> the address of its RDAP server, with a slash at the end."""

FRESH_MS = 24 * 3600 * 1000
RETRY_MS = 60 * 1000
_SHIPPED = Path(__file__).resolve().parent.parent / "data" / "rdap.json"
_LIMITS = Limits(body_bytes=262_144, wire_bytes=300_000, redirects=3)
_BUSY = frozenset({429, 503})
_MOST_STATES = 16


class _Bootstrap(msgspec.Struct):
    services: list[tuple[list[str], list[str]]]


class _Event(msgspec.Struct, rename={"action": "eventAction", "date": "eventDate"}):
    action: str = ""
    date: str = ""


class _Domain(msgspec.Struct, rename={"name": "ldhName"}):
    name: str = ""
    status: list[str] = []
    events: list[_Event] = []


def read_bootstrap(data: bytes, name: str = "the RDAP bootstrap file") -> dict[str, str]:
    """The servers that a bootstrap file names; those without https are left out. Raises RegistryError."""
    try:
        services = msgspec.json.decode(data, type=_Bootstrap).services
    except (msgspec.MsgspecError, RecursionError) as fault:
        raise RegistryError(name, str(fault)) from None
    servers: dict[str, str] = {}
    for suffixes, addresses in services:
        server = next((each for each in addresses if each.startswith("https://")), "")
        if server:
            servers.update((suffix.lower(), f"{server.rstrip('/')}/") for suffix in suffixes)
    return servers


@cache
def shipped_registries() -> Registries:
    """The table that comes with waypost."""
    return read_bootstrap(_SHIPPED.read_bytes(), _SHIPPED.name)


def server_for(domain: str, registries: Registries) -> str | None:
    """The server that answers for the longest suffix of a domain."""
    rest = domain
    while rest:
        if rest in registries:
            return registries[rest]
        rest = rest.partition(".")[2]
    return None


async def registration(
    domain: str,
    *,
    registries: Registries,
    within_s: float,
    resolver: Resolver,
    policy: AddressPolicy,
    trust: ssl.SSLContext | None,
    now: int,
) -> RegistrationObservation:
    """What the registry says of a registrable domain, given as A-labels. Never raises for what the network does.

    An empty domain, that of an address or of a tenant on somebody else's domain, is not asked for.
    """
    if not domain:
        return _unseen("not_attempted", "no_domain", "registration_age_unavailable", now)
    server = server_for(domain, registries)
    if server is None:
        return _unseen("not_attempted", "no_server", "registry_rdap_unsupported", now)
    host = server.split("/")[2]
    try:
        got = await fetch_async(
            f"{server}domain/{quote(domain, safe='')}",
            limits=msgspec.structs.replace(_LIMITS, total_s=within_s, connect_s=within_s, read_s=within_s),
            resolver=resolver,
            policy=policy,
            trust=trust,
            accept="application/rdap+json, application/json",
        )
    except (FetchFailed, FetchDenied) as fault:
        return _unseen("failed", fault.reason, "registration_age_unavailable", now, host)
    return _read(got, domain, host, now)


def late(domain: str, registries: Registries, now: int) -> RegistrationObservation:
    """What is said when the deadline comes before the registry's answer."""
    server = server_for(domain, registries) or "//"
    return _unseen("failed", "timeout", "registration_age_unavailable", now, server.split("/")[2])


def _read(got: Fetched, domain: str, host: str, now: int) -> RegistrationObservation:
    if got.status == 404:
        return _unseen("not_observed", "not_registered", "registration_age_unavailable", now, host)
    if got.status in _BUSY:
        return _unseen("failed", "rate_limited", "rdap_rate_limited", now, host)
    if got.status != 200:
        return _unseen("failed", "refused_by_server", "registration_age_unavailable", now, host)
    try:
        said = msgspec.json.decode(got.data, type=_Domain)
    except (msgspec.MsgspecError, RecursionError):
        return _unseen("failed", "bad_answer", "registration_age_unavailable", now, host)
    if said.name.rstrip(".").lower() not in {"", domain}:
        return _unseen("failed", "other_domain", "registration_age_unavailable", now, host)
    registered_at = _when(said, "registration")
    if registered_at is not None and registered_at > now:
        registered_at = None
    return RegistrationObservation(
        status="observed",
        unknowns=() if registered_at is not None else ("registration_age_unavailable",),
        observed_at=now,
        valid_until=now + FRESH_MS,
        server=host,
        registered_at=registered_at,
        expires_at=_when(said, "expiration"),
        states=tuple(each[:40].lower() for each in said.status[:_MOST_STATES]),
    )


def _when(said: _Domain, action: str) -> int | None:
    """The time of an event; a date without an offset is taken as UTC."""
    for event in said.events:
        if event.action.lower() == action:
            try:
                when = datetime.fromisoformat(event.date)
                return int((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() * 1000)
            except (ValueError, OverflowError):
                return None
    return None


def _unseen(status: Status, reason: str, unknown: Unknown, now: int, host: str = "") -> RegistrationObservation:
    return RegistrationObservation(
        status=status, reason=reason, unknowns=(unknown,), observed_at=now, valid_until=now + RETRY_MS, server=host
    )
