"""Network observations as evidence: checks with status and lifetime, and signals from the results."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from waypost.models.decision import (
    EVIDENCE_TYPES,
    Evidence,
    EvidenceStatus,
    EvidenceType,
    Strength,
    SummaryCode,
    Target,
    Unknown,
)
from waypost.models.observation import Observation, Observations
from waypost.registry.world import World
from waypost.safety.brand_index import BrandIndex
from waypost.safety.catalogue import signals_taking
from waypost.safety.host_reading import HostReading
from waypost.safety.relationship import holds, is_run_by_owner, shipped
from waypost.safety.target import of_host

YOUNG_MS = 30 * 86_400_000
"""Registrations younger than this, in milliseconds, are a signal."""
_UNSEEN: tuple[EvidenceStatus, ...] = ("failed", "not_attempted", "not_observed")
"""Statuses without an answer, worst first."""
_SILENT = frozenset({"timeout", "connection_broken"})
"""Reasons of a page that was not read over a connection that was made."""
_IDS: dict[EvidenceType, str] = {kind: f"net.{kind}" for kind in EVIDENCE_TYPES}
_TLS: dict[str, SummaryCode] = {"name_mismatch": "tls_name_mismatch"}


class _Checks(NamedTuple):
    """Evidence of the network checks from `begins` until `ends`, in milliseconds since 1970."""

    pieces: tuple[Evidence, ...]
    begins: int
    ends: int


def checks(target: Target, seen: Observations | None, now: int) -> tuple[Evidence, ...]:
    """Evidence of every type of network check, made or not."""
    if seen is None:
        kinds: tuple[EvidenceType, ...] = ("automated_network_check", "certificate_check", "registration_data_check")
        return tuple(Evidence(type=kind, status="not_attempted", id=_IDS[kind]) for kind in kinds)
    found = _checks_in_time(target.scheme, seen)
    return found.pieces if found.begins <= now < found.ends else _checks(target.scheme, seen, now)


@lru_cache(maxsize=1024)
def _checks_in_time(scheme: str, seen: Observations) -> _Checks:
    """Checks at a time at which no observation is stale. Cached: a destination is observed once for many decisions."""
    dns, tls, http, registration = seen.parts
    begins = max(dns.observed_at, tls.observed_at, http.observed_at, registration.observed_at)
    ends = min(dns.valid_until, tls.valid_until, http.valid_until, registration.valid_until)
    return _Checks(_checks(scheme, seen, begins), begins, ends)


def _checks(scheme: str, seen: Observations, now: int) -> tuple[Evidence, ...]:
    # Over http there is no certificate that could be missing.
    connection = (seen.dns, seen.tls, seen.http) if scheme == "https" else (seen.dns, seen.http)
    return (
        _check("automated_network_check", connection, now),
        _check("certificate_check", (seen.tls,), now),
        _check("registration_data_check", (seen.registration,), now),
    )


def without_page(target: Target, seen: Observations, now: int) -> Evidence | None:
    """Network check of a host by name and certificate, for a front page that hangs; None for other observations.

    Walls against robots leave requests open or cut off. Redirects are never left out.
    """
    reached = seen.dns.status == "observed" and seen.tls.status == "observed" and seen.tls.valid
    silent = seen.http.status == "failed" and seen.http.reason in _SILENT and len(seen.http.hops) <= 1
    if target.scheme != "https" or not (reached and silent):
        return None
    return _check("automated_network_check", (seen.dns, seen.tls), now)


def _check(kind: EvidenceType, parts: tuple[Observation, ...], now: int) -> Evidence:
    first = parts[0]
    status: EvidenceStatus = first.status
    since = last = first.observed_at
    until = first.valid_until
    for part in parts[1:]:
        if part.status != status:
            status = _worse(status, part.status)
        since, last = min(since, part.observed_at), max(last, part.observed_at)
        until = min(until, part.valid_until)
    if status not in _UNSEEN:
        # Observations of the future mean a wrong clock, and are as good as none.
        status = "stale" if until <= now or last > now else "observed"
    return Evidence(type=kind, status=status, id=_IDS[kind], observed_at=since, valid_until=until)


def _worse(first: EvidenceStatus, second: EvidenceStatus) -> EvidenceStatus:
    """Status of a check with two parts: observed only for two observed parts, else the worse status."""
    return next((status for status in _UNSEEN if status in {first, second}), "observed")


def unknowns_of(target: Target, seen: Observations | None) -> tuple[tuple[EvidenceType, tuple[Unknown, ...]], ...]:
    """Pairs of evidence type and unknowns: questions left open by the check of the type."""
    if seen is None:
        return _UNSEEN_HTTPS if target.scheme == "https" else _UNSEEN_HTTP
    tls = seen.tls.unknowns if target.scheme == "https" else ()
    return (
        ("automated_network_check", seen.dns.unknowns + tls + seen.http.unknowns),
        ("certificate_check", tls),
        ("registration_data_check", seen.registration.unknowns),
    )


_UNSEEN_CERTIFICATE_AND_AGE: tuple[tuple[EvidenceType, tuple[Unknown, ...]], ...] = (
    ("certificate_check", ("tls_not_checked",)),
    ("registration_data_check", ("registration_age_unavailable",)),
)
_UNSEEN_HTTPS: tuple[tuple[EvidenceType, tuple[Unknown, ...]], ...] = (
    ("automated_network_check", ("dns_not_resolved", "tls_not_checked", "http_not_fetched")),
    *_UNSEEN_CERTIFICATE_AND_AGE,
)
_UNSEEN_HTTP: tuple[tuple[EvidenceType, tuple[Unknown, ...]], ...] = (
    ("automated_network_check", ("dns_not_resolved", "http_not_fetched")),
    *_UNSEEN_CERTIFICATE_AND_AGE,
)


def signals(
    target: Target, seen: Observations, world: World, names: BrandIndex, now: int, *, trusted: bool = True
) -> Iterator[Evidence]:
    """Signals against the destination. `trusted`: shipped reviews may show that a redirect stays with the owner."""
    if seen.dns.not_public:
        yield _against(
            "net.dns",
            "non_public_host",
            "decisive",
            f"{target.host} resolves to an address that is not public",
            seen.dns,
        )
    if seen.tls.status == "observed" and not seen.tls.valid:
        code = _TLS.get(seen.tls.error or "", "tls_invalid")
        error = (seen.tls.error or "invalid").replace("_", " ")
        yield _against("net.tls", code, "medium", f"the certificate of {target.host} is not valid: {error}", seen.tls)
    registered = seen.registration.registered_at
    if registered is not None and now - registered < YOUNG_MS:
        days = max(now - registered, 0) // 86_400_000
        yield _against(
            "net.rdap", None, "medium", f"{target.registrable} was registered {days} days ago", seen.registration
        )
    if len(seen.http.hops) > 1:
        yield from _redirects(target, seen, world, names, now if trusted else None)


def _redirects(
    target: Target, seen: Observations, world: World, names: BrandIndex, now: int | None
) -> Iterator[Evidence]:
    """Signals of redirects away from the destination's owner. `now` is None where shipped reviews do not count."""
    for hop in seen.http.hops[1:]:
        there = of_host(f"[{hop.host}]" if ":" in hop.host else hop.host, scheme=hop.scheme, port=hop.port)
        if _in_one_domain(target, there, world) or (now is not None and _one_owner(target, there, world, now)):
            # The same owner, yet the way there can be read and changed by others.
            if there.scheme == "http" and target.scheme == "https":
                what = f"{target.host} redirects to an address that is not encrypted"
                yield _against("net.http.scheme", "insecure_scheme", "medium", what, seen.http)
            continue
        bad = imitates(HostReading(there, names))
        leaves = target.registrable in world.official and not _have_same_owner(target, there, world)
        what = f"{target.host} redirects to {there.registrable}"
        yield _against("net.http.redirect", None, "strong" if bad or leaves else "medium", what, seen.http)


def imitates(reading: HostReading) -> bool:
    """Whether a host's name imitates a brand, by a strong or decisive signal."""
    if not reading.matches:
        return False
    found = (piece for signal in signals_taking("reading") for piece in signal.observe(reading))
    return any(piece.strength in {"decisive", "strong"} for piece in found)


def _in_one_domain(target: Target, there: Target, world: World) -> bool:
    """Whether two targets share a registrable domain, in places where the domain's owner publishes."""
    if there.host == target.host:
        return True
    return there.registrable == target.registrable and all(is_run_by_owner(world, end) for end in (target, there))


def _one_owner(target: Target, there: Target, world: World, now: int) -> bool:
    """Whether a review in force verified the other domain for the listed owner of the destination."""
    if not (_have_same_owner(target, there, world) and is_run_by_owner(world, there)):
        return False
    return any(
        holds(relationship, now) for relationship in shipped(world, there) if relationship.domain == there.registrable
    )


def _have_same_owner(target: Target, there: Target, world: World) -> bool:
    here, over = world.brand_at(target.registrable), world.brand_at(there.registrable)
    return here is not None and over is not None and here.owner == over.owner


def _against(identity: str, code: SummaryCode | None, strength: Strength, detail: str, part: Observation) -> Evidence:
    return Evidence(
        type="registration_data_check" if identity == "net.rdap" else "automated_network_check",
        status="observed",
        id=identity,
        summary_code=code,
        strength=strength,
        detail=detail,
        observed_at=part.observed_at,
        valid_until=part.valid_until,
    )
