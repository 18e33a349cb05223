"""Observation of a destination over a given network probe: bounded in time, guarded, and reused for a minute.

A failure of any kind becomes an observation of nothing, which allows no action. The page is read once, for its claims
about itself, and then dropped.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import NamedTuple, Self

import msgspec

from waypost.models.decision import Evidence, Target, Unknown
from waypost.models.observation import (
    DnsObservation,
    HttpObservation,
    Observation,
    Observations,
    RegistrationObservation,
    TlsObservation,
)
from waypost.models.relationship import Relationship
from waypost.reader import read_page
from waypost.reader.links import linked_hosts
from waypost.registry.vocabulary import Vocabulary
from waypost.registry.world import World
from waypost.safety.page_claims import BrandLinks, claim_of, claims_of, evidence_back, evidence_of
from waypost.safety.target import of_host, origin
from waypost.service.batches import PLACE_UNTIL

Probe = Callable[[Target, float], Awaitable[Observations | None]]
"""(target, seconds) -> observations; None where the destination must not be observed."""

REUSE_MS = 60_000
"""Longest reuse of observations in milliseconds; their own lifetime may be shorter."""
UNOBSERVED_MS = 60_000
_MOST_STORED = 4096
NOT_MADE_MS = 5_000
"""Lifetime of observations without a place: a caller may soon try again."""
NO_PLACE = "no_place"
"""Reason of a part that was not observed for want of capacity."""
_LEAST_S = 0.05
GRACE_S = 0.25
"""Seconds after its deadline until a probe is abandoned; probes keep their deadline by themselves."""
_LATE_S = 0.05
"""Lateness of a timer after a held-up event loop."""
_HELD_UP = 0.25
"""Part of a check's time in which the event loop did not run, from which on late answers are our own doing."""
_TICK_S = 0.1
_NO_PAGE = Evidence(type="structured_data_claim", status="not_attempted", id="sd")
_PAGES = frozenset({"", "text/html", "application/xhtml+xml"})


class Observed(NamedTuple):
    """Observations, evidence and claims of the page, reusable until `until`, in milliseconds since 1970."""

    seen: Observations | None = None
    evidence: tuple[Evidence, ...] = ()
    claims: tuple[Relationship, ...] = ()
    until: int = 0


class Observer:
    """Observer of destinations with a memory of a minute. Not thread-safe: for a single event loop."""

    def __init__(
        self, probe: Probe, world: World, vocabulary: Callable[[], Vocabulary], now: Callable[[], int]
    ) -> None:
        self._probe = probe
        self._world = world
        self._vocabulary = vocabulary
        self._now = now
        self._stored: dict[tuple[str, str, int], Observed] = {}

    async def observe(self, target: Target, within_s: float) -> Observed:
        """Observations of a destination within some seconds. Never raises for a failure of the probe."""
        if stored := self.recent(target):
            return stored
        place = _place(target)
        # Stored again at the end: the order of the dictionary is that of the last observation, and the oldest goes
        # first.
        self._stored.pop(place, None)
        deadline = time.monotonic() + within_s
        seen = await self._seen(target, within_s)
        if seen is None:
            return Observed()
        try:
            observed = self._read(target, seen)
            if observed.claims:
                observed = observed._replace(
                    evidence=observed.evidence + await self._linked_back(target, observed, deadline)
                )
        except Exception:  # noqa: BLE001  a malformed answer counts as none
            observed = Observed(unobserved(target, self._now(), "error"))
        if self._now() < observed.until:
            while len(self._stored) >= _MOST_STORED:
                del self._stored[next(iter(self._stored))]
            self._stored[place] = observed
        return observed

    def recent(self, target: Target) -> Observed | None:
        """Stored observations of a destination that are still reusable, or None."""
        stored = self._stored.get(_place(target))
        return stored if stored is not None and self._now() < stored.until else None

    async def _seen(self, target: Target, within_s: float) -> Observations | None:
        # A check of a batch may wait for its place before its own time begins.
        waits_s = max((PLACE_UNTIL.get() or 0.0) - time.monotonic(), 0.0)
        with _Lateness() as lateness:
            outcome = await outcome_within(self._probe(target, within_s), max(within_s, waits_s) + GRACE_S)
        if outcome is None:
            # Probes keep their deadline by themselves: one that is left behind had no turn here.
            return not_made(target, self._now())
        if isinstance(outcome, BaseException):
            return unobserved(target, self._now(), "error")
        (seen,) = outcome
        if seen is not None and not _is_about(seen, target):
            return unobserved(target, self._now(), "error")
        # Where the event loop was held up for long, an answer may have come in time without being read.
        is_own = seen is not None and lateness.seconds > max(within_s * _HELD_UP, _LATE_S)
        return without_late_parts(seen, self._now()) if seen is not None and is_own else seen

    async def _linked_back(self, target: Target, observed: Observed, deadline: float) -> tuple[Evidence, ...]:
        """Evidence of links from the claimed brand's own site, within the remaining time."""
        brand = self._world.brands[observed.claims[0].entity]
        home = of_host(brand.home)
        # The brand's own site is requested within the same time: a claim must not make an answer later.
        left = deadline - time.monotonic()
        seen = await self._seen(home, left) if left > _LEAST_S else None
        back = None
        if seen is not None and _is_own_page(home, seen.http):
            back = BrandLinks(target, brand, linked_hosts(seen.http.body, f"{origin(home)}/", seen.http.media_type))
        return evidence_back(back, brand, self._now())

    def _read(self, target: Target, seen: Observations) -> Observed:
        """Observations without the page, and the evidence and claims read from it. The page is never stored."""
        try:
            evidence, claims = self._page(target, seen.http)
        except Exception:  # noqa: BLE001  a page must never prevent a decision
            evidence, claims = (Evidence(type="structured_data_claim", status="failed", id="sd"),), ()
        http = msgspec.structs.replace(seen.http, body=b"")
        return Observed(msgspec.structs.replace(seen, http=http), evidence, claims, _reusable_until(seen))

    def _page(self, target: Target, http: HttpObservation) -> tuple[tuple[Evidence, ...], tuple[Relationship, ...]]:
        if not _is_own_page(target, http):
            # Where the site answered, its structured data is unknown all the same: no page of its own was read.
            return (_NO_PAGE,) if http.status == "observed" else (), ()
        vocabulary = self._vocabulary()
        page = read_page(http.body, vocabulary, url=f"{origin(target)}/", media_type=http.media_type)
        claims = claims_of(target, page, vocabulary, self._world)
        return evidence_of(claims, bool(page.nodes), http.observed_at, http.valid_until), claim_of(claims)


class _Lateness:
    """Seconds by which the timers of the event loop were late while the context was open."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._loop = asyncio.get_running_loop()

    def __enter__(self) -> Self:
        self._timer = self._loop.call_later(_TICK_S, self._tick)
        return self

    def _tick(self) -> None:
        self.seconds += self._loop.time() - self._timer.when()
        self._timer = self._loop.call_later(_TICK_S, self._tick)

    def __exit__(self, *_: object) -> None:
        # A timer that is due and has had no turn yet counts too.
        self.seconds += max(self._loop.time() - self._timer.when(), 0.0)
        self._timer.cancel()


async def outcome_within(
    probing: Awaitable[Observations | None], seconds: float
) -> tuple[Observations | None] | BaseException | None:
    """Result of a probe as a tuple, or the exception; None for an abandoned probe."""
    task = asyncio.ensure_future(probing)
    ends = time.monotonic() + seconds
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
        if not done and time.monotonic() > ends + _LATE_S:
            # The event loop was held up: the probe has had no chance to keep its own deadline.
            done, _ = await asyncio.wait({task}, timeout=GRACE_S)
    finally:
        # Also where the caller was cancelled: no probe outlives the request that began it.
        task.cancel()
    if not done:
        return None
    if task.cancelled():
        return asyncio.CancelledError()
    error = task.exception()
    return error if error is not None else (task.result(),)


def _place(target: Target) -> tuple[str, str, int]:
    return target.scheme, target.host, target.port


def _is_own_page(target: Target, http: HttpObservation) -> bool:
    """Whether a page came from the destination itself. A page after a redirect to another domain makes no claims."""
    essence = (http.media_type or "").partition(";")[0].strip().lower()
    last = http.hops[-1].host if http.hops else ""
    own = last == target.host or (not target.address and f".{last}".endswith(f".{target.registrable}"))
    return http.status == "observed" and bool(http.body) and essence in _PAGES and own


def _is_about(seen: object, target: Target) -> bool:
    """Whether an answer has the right type and is about the target."""
    return isinstance(seen, Observations) and seen.host == target.host


def _reusable_until(seen: Observations) -> int:
    """End of the reuse in milliseconds since 1970; 0 where a part failed or had no place, and may succeed next time."""
    if any(part.status == "failed" or part.reason == NO_PLACE for part in seen.parts):
        return 0
    return min(seen.observed_at + REUSE_MS, *(part.valid_until for part in seen.parts))


def unobserved(target: Target, now: int, reason: str) -> Observations:
    """Observations of nothing. `reason` is timeout or error."""
    until = now + UNOBSERVED_MS
    name: Unknown = "dns_timeout" if reason == "timeout" else "dns_not_resolved"
    certificate: tuple[Unknown, ...] = ("tls_not_checked", "certificate_history_unavailable")
    age: tuple[Unknown, ...] = ("registration_age_unavailable",)
    return Observations(
        host=target.host,
        observed_at=now,
        dns=DnsObservation(status="failed", reason=reason, unknowns=(name,), observed_at=now, valid_until=until),
        tls=TlsObservation(status="failed", reason=reason, unknowns=certificate, observed_at=now, valid_until=until),
        http=HttpObservation(
            status="failed", reason=reason, unknowns=("http_not_fetched",), observed_at=now, valid_until=until
        ),
        registration=RegistrationObservation(
            status="failed", reason=reason, unknowns=age, observed_at=now, valid_until=until
        ),
    )


def not_made(target: Target, now: int) -> Observations:
    """Observations of a check without a free place in time."""
    return without_late_parts(unobserved(target, now, "timeout"), now)


def without_late_parts(seen: Observations, now: int) -> Observations:
    """Observations of a check with too little time left after a wait for a place: late parts count as not attempted."""
    changed: dict[str, Observation] = {}
    for name, place in _PLACE_UNKNOWNS.items():
        part: Observation = getattr(seen, name)
        # A page cannot be late by itself where the name was not resolved in time.
        if part.status == "failed" and (part.reason.endswith("timeout") or (name == "http" and "dns" in changed)):
            changed[name] = msgspec.structs.replace(
                part, status="not_attempted", reason=NO_PLACE, unknowns=place, valid_until=now + NOT_MADE_MS
            )
    return msgspec.structs.replace(seen, **changed) if changed else seen


_PLACE_UNKNOWNS: dict[str, tuple[Unknown, ...]] = {
    "dns": ("network_check_not_made",),
    "tls": ("network_check_not_made", "tls_not_checked", "certificate_history_unavailable"),
    "http": ("network_check_not_made", "http_not_fetched"),
    "registration": ("network_check_not_made", "registration_age_unavailable"),
}
"""Unknowns by part without a place."""
