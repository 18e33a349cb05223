"""Looking at a destination through whatever network was handed in: bounded, guarded, and not twice for the same.

However a look fails, it becomes one that saw nothing, and that allows nothing. The page that came along is read
once, for what it says of itself, and then let go.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import NamedTuple

import msgspec

from waypost.extract import read_page
from waypost.extract.links import linked_hosts
from waypost.models.decision import Evidence, Target, Unknown
from waypost.models.observation import (
    DnsObservation,
    HttpObservation,
    Observations,
    RegistrationObservation,
    TlsObservation,
)
from waypost.models.relationship import Relationship
from waypost.registry.vocabulary import Vocabulary
from waypost.registry.world import World
from waypost.safety.page_claims import BrandLinks, claim_of, claims_of, evidence_back, evidence_of
from waypost.safety.target import of_host, origin

Look = Callable[[Target, float], Awaitable[Observations | None]]
"""Looks at a destination within some seconds; none where it is not to be looked at."""

KEPT_MS = 60_000
"""How long what was seen of a destination serves again, if its own time is not over before."""
UNSEEN_MS = 60_000
_MOST_KEPT = 4096
_LEAST_S = 0.05
_GRACE_S = 0.25
"""A provider keeps to its time by itself; this much later it is left behind."""
_PAGES = frozenset({"", "text/html", "application/xhtml+xml"})


class Looked(NamedTuple):
    """What the network and the page showed, and until when that serves again, in milliseconds since 1970."""

    seen: Observations | None = None
    evidence: tuple[Evidence, ...] = ()
    claims: tuple[Relationship, ...] = ()
    until: int = 0


class Eyes:
    """Looks, and remembers for a minute."""

    def __init__(self, look: Look, world: World, vocabulary: Callable[[], Vocabulary], now: Callable[[], int]) -> None:
        self._look = look
        self._world = world
        self._vocabulary = vocabulary
        self._now = now
        self._kept: dict[tuple[str, str, int], Looked] = {}

    async def at(self, target: Target, within_s: float) -> Looked:
        """What can be seen of a destination within a time. Never raises for what a provider does."""
        if kept := self.seen_lately(target):
            return kept
        place = _place(target)
        self._kept.pop(place, None)
        deadline = time.monotonic() + within_s
        seen = await self._seen(target, within_s)
        if seen is None:
            return Looked()
        try:
            looked = self._read(target, seen)
            if looked.claims:
                looked = looked._replace(evidence=looked.evidence + await self._linked_back(target, looked, deadline))
        except Exception:  # noqa: BLE001  an answer that is not what it should be is none
            looked = Looked(unseen(target, self._now(), "error"))
        if self._now() < looked.until:
            while len(self._kept) >= _MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[place] = looked
        return looked

    def seen_lately(self, target: Target) -> Looked | None:
        """What was seen of a destination less than a minute ago, if it still serves."""
        kept = self._kept.get(_place(target))
        return kept if kept is not None and self._now() < kept.until else None

    async def _seen(self, target: Target, within_s: float) -> Observations | None:
        looking = asyncio.ensure_future(self._look(target, within_s))
        try:
            done, _ = await asyncio.wait({looking}, timeout=within_s + _GRACE_S)
        finally:
            looking.cancel()
        if not done:
            return unseen(target, self._now(), "timeout")
        if looking.cancelled() or looking.exception() is not None:
            return unseen(target, self._now(), "error")
        seen = looking.result()
        return seen if seen is None or _is_about(seen, target) else unseen(target, self._now(), "error")

    async def _linked_back(self, target: Target, looked: Looked, deadline: float) -> tuple[Evidence, ...]:
        """Whether the site of the brand that a page claims to be links to it; in what is left of the time."""
        brand = self._world.brands[looked.claims[0].entity]
        home = of_host(brand.home)
        left = deadline - time.monotonic()
        seen = await self._seen(home, left) if left > _LEAST_S else None
        back = None
        if seen is not None and _is_own_page(home, seen.http):
            back = BrandLinks(target, brand, linked_hosts(seen.http.body, f"{origin(home)}/", seen.http.media_type))
        return evidence_back(back, brand, self._now())

    def _read(self, target: Target, seen: Observations) -> Looked:
        """The look with what its page says, and without the page: nothing that is kept or recorded needs it."""
        try:
            evidence, claims = self._page(target, seen.http)
        except Exception:  # noqa: BLE001  a page must never keep a decision from being made
            evidence, claims = (Evidence(type="structured_data_claim", status="failed", id="sd"),), ()
        http = msgspec.structs.replace(seen.http, body=b"")
        return Looked(msgspec.structs.replace(seen, http=http), evidence, claims, _serves_until(seen))

    def _page(self, target: Target, http: HttpObservation) -> tuple[tuple[Evidence, ...], tuple[Relationship, ...]]:
        if not _is_own_page(target, http):
            return (), ()
        vocabulary = self._vocabulary()
        page = read_page(http.body, vocabulary, url=f"{origin(target)}/", media_type=http.media_type)
        claims = claims_of(target, page, vocabulary, self._world)
        return evidence_of(claims, bool(page.nodes), http.observed_at, http.valid_until), claim_of(claims)


def _place(target: Target) -> tuple[str, str, int]:
    return target.scheme, target.host, target.port


def _is_own_page(target: Target, http: HttpObservation) -> bool:
    """Whether a page came, and from the destination itself: where a redirect ends is somebody else's to speak for."""
    essence = (http.media_type or "").partition(";")[0].strip().lower()
    last = http.hops[-1].host if http.hops else ""
    own = last == target.host or (not target.address and f".{last}".endswith(f".{target.registrable}"))
    return http.status == "observed" and bool(http.body) and essence in _PAGES and own


def _is_about(seen: object, target: Target) -> bool:
    """Whether an answer is one, and about what was asked."""
    return isinstance(seen, Observations) and seen.host == target.host


def _serves_until(seen: Observations) -> int:
    """Only a look that saw everything serves again: what failed may be there the next time."""
    if any(part.status == "failed" for part in seen.parts):
        return 0
    return min(seen.observed_at + KEPT_MS, *(part.valid_until for part in seen.parts))


def unseen(target: Target, now: int, reason: str) -> Observations:
    """A look that saw nothing: `reason` is timeout or error."""
    until = now + UNSEEN_MS
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
