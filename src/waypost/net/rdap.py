"""Registration data of domains from their registries: RDAP, RFC 9082 and 9083.

Servers come from a bootstrap file in the format of RFC 9224: a small one in the package, or that of IANA where an
operator has fetched it. Without a server the age stays unknown, and an unknown age never counts as an old one.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
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
"""Suffix in lower case and A-labels -> URL of its RDAP server, with a final slash."""

FRESH_MS = 24 * 3600 * 1000
RETRY_MS = 60 * 1000
_SHIPPED = Path(__file__).resolve().parent.parent / "data" / "rdap.json"
_LIMITS = Limits(body_bytes=262_144, wire_bytes=300_000, redirects=3)
_BUSY = frozenset({429, 503})
_MOST_STATES = 16
_LONGEST_NAME = 100


class _Bootstrap(msgspec.Struct):
    services: list[tuple[list[str], list[str]]]


class _Event(msgspec.Struct, rename={"action": "eventAction", "date": "eventDate"}):
    action: str = ""
    date: str = ""


class _NameServer(msgspec.Struct, rename={"name": "ldhName"}):
    name: str = ""


class _Entity(msgspec.Struct, rename={"card": "vcardArray"}):
    roles: list[str] = []
    card: Any = None


class _Domain(msgspec.Struct, rename={"name": "ldhName", "servers": "nameservers"}):
    name: str = ""
    status: list[str] = []
    events: list[_Event] = []
    servers: list[_NameServer] = []
    entities: list[_Entity] = []


def read_bootstrap(data: bytes, name: str = "the RDAP bootstrap file") -> dict[str, str]:
    """Servers of a bootstrap file by suffix, without those that lack https. Raises RegistryError."""
    try:
        services = msgspec.json.decode(data, type=_Bootstrap).services
    except (msgspec.MsgspecError, RecursionError) as error:
        raise RegistryError(name, str(error)) from None
    servers: dict[str, str] = {}
    for suffixes, addresses in services:
        # Over http anyone on the path could make a domain old.
        server = next((url for url in addresses if url.startswith("https://")), "")
        if server:
            servers.update((suffix.lower(), f"{server.rstrip('/')}/") for suffix in suffixes)
    return servers


@cache
def shipped_registries() -> Registries:
    """Table in the package."""
    return read_bootstrap(_SHIPPED.read_bytes(), _SHIPPED.name)


def server_for(domain: str, registries: Registries) -> str | None:
    """Server for the longest suffix of a domain, or None."""
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
    """Registration of a registrable domain in A-labels. Never raises for a failure of the network.

    An empty domain (of an IP address or a hosting tenant) is not queried.
    """
    if not domain:
        return _unobserved("not_attempted", "no_domain", "registration_age_unavailable", now)
    server = server_for(domain, registries)
    if server is None:
        return _unobserved("not_attempted", "no_server", "registry_rdap_unsupported", now)
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
    except (FetchFailed, FetchDenied) as error:
        return _unobserved("failed", error.reason, "registration_age_unavailable", now, host)
    return _read(got, domain, host, now)


def late(domain: str, registries: Registries, now: int) -> RegistrationObservation:
    """Observation for a deadline before the registry's answer."""
    server = server_for(domain, registries) or "//"
    return _unobserved("failed", "timeout", "registration_age_unavailable", now, server.split("/")[2])


def _read(got: Fetched, domain: str, host: str, now: int) -> RegistrationObservation:
    if got.status == 404:
        return _unobserved("not_observed", "not_registered", "registration_age_unavailable", now, host)
    if got.status in _BUSY:
        return _unobserved("failed", "rate_limited", "rdap_rate_limited", now, host)
    if got.status != 200:
        return _unobserved("failed", "refused_by_server", "registration_age_unavailable", now, host)
    try:
        answer = msgspec.json.decode(got.data, type=_Domain)
    except (msgspec.MsgspecError, RecursionError):
        return _unobserved("failed", "bad_answer", "registration_age_unavailable", now, host)
    # A registry that answers about another domain has said nothing about this one.
    if answer.name.rstrip(".").lower() not in {"", domain}:
        return _unobserved("failed", "other_domain", "registration_age_unavailable", now, host)
    registered_at = _when(answer, "registration")
    # A registration in the future is a wrong date; an unknown age never counts as an old one.
    if registered_at is not None and registered_at > now:
        registered_at = None
    return RegistrationObservation(
        status="observed",
        unknowns=() if registered_at is not None else ("registration_age_unavailable",),
        observed_at=now,
        valid_until=now + FRESH_MS,
        server=host,
        registered_at=registered_at,
        expires_at=_when(answer, "expiration"),
        # Texts of third parties are bounded before they are stored.
        states=tuple(state[:40].lower() for state in answer.status[:_MOST_STATES]),
        registrar=_registrar(answer),
        name_servers=_name_servers(answer),
    )


def _name_servers(answer: _Domain) -> tuple[str, ...]:
    names = (server.name.rstrip(".").lower()[:253] for server in answer.servers[:_MOST_STATES])
    return tuple(sorted({name for name in names if name}))


def _registrar(answer: _Domain) -> str:
    """Name of the registrar: `fn` of its jCard (RFC 7095), or empty."""
    for entity in answer.entities:
        # ["vcard", [[name, parameters, type, value], ...]] (RFC 7095, section 3), of which a registry may send less.
        card = entity.card
        if "registrar" not in entity.roles or not isinstance(card, list) or len(card) < 2:
            continue
        for line in card[1] if isinstance(card[1], list) else ():
            if isinstance(line, list) and len(line) > 3 and line[0] == "fn" and isinstance(line[3], str):
                return line[3].strip()[:_LONGEST_NAME]
    return ""


def _when(answer: _Domain, action: str) -> int | None:
    """Time of an event in milliseconds since 1970; a date without an offset is in UTC."""
    for event in answer.events:
        if event.action.lower() == action:
            try:
                when = datetime.fromisoformat(event.date)
                return int((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() * 1000)
            except (ValueError, OverflowError):
                return None
    return None


def _unobserved(status: Status, reason: str, unknown: Unknown, now: int, host: str = "") -> RegistrationObservation:
    return RegistrationObservation(
        status=status, reason=reason, unknowns=(unknown,), observed_at=now, valid_until=now + RETRY_MS, server=host
    )
