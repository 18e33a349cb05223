"""Service of fixtures: named hosts with made-up observations and real decisions.

The network is never used. A host that is not a fixture is checked by its name alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache

import msgspec

from waypost.errors import NotReady
from waypost.models.decision import Evidence, Target
from waypost.models.observation import (
    DnsObservation,
    Hop,
    HttpObservation,
    Observations,
    RegistrationObservation,
    TlsObservation,
)
from waypost.models.relationship import Relationship
from waypost.registry import world as worlds
from waypost.registry.world import Brand, World
from waypost.safety.policy import DEFAULT
from waypost.service import Service, clock
from waypost.service.observer import unobserved
from waypost.service.providers import InMemory

FILE = "fixtures.json"
_DAY_MS = 86_400_000
_FRESH_MS = 15 * 60_000
_ADDRESS = "192.0.2.10"  # RFC 5737: documentation
_PAGE = "<!doctype html><title>A page without structured data</title>"


class Fixture(msgspec.Struct, frozen=True, kw_only=True):
    """A host. Its members are described in `schemas/meta/fixtures.schema.json`."""

    about: str
    network: str
    reviewed: bool = False
    on_threat_list: bool = msgspec.field(default=False, name="listed")
    broken: bool = False
    page: str = ""


class _File(msgspec.Struct, frozen=True):
    brand: Brand
    hosts: dict[str, Fixture]


def fixtures(world: World) -> dict[str, Fixture]:
    """Fixtures by host."""
    return _read(world).hosts


def _read(world: World) -> _File:
    return msgspec.convert(world.document(FILE), _File)


def open_fixtures(*, policy: str = DEFAULT, now: Callable[[], int] = clock, waits: bool = True) -> Service:
    """Service that decides about fixtures. Without `waits`, the late one times out at once."""
    today = datetime.fromtimestamp(now() / 1000, UTC).date().isoformat()
    providers = _Providers(_read(worlds.load()), now, waits=waits)
    return Service(
        _world(today),
        probe=providers.probe,
        known=InMemory(providers.known),
        lists=InMemory(providers.lists),
        policy=policy,
        now=now,
        observes_pages=True,
    )


@cache
def _world(today: str) -> World:
    """Shipped world with the fixtures' brand, reviewed today: a fixture never expires."""
    shipped = worlds.load()
    brand = _read(shipped).brand
    domains = tuple(msgspec.structs.replace(domain, reviewed=today) for domain in brand.official_domains)
    brand = msgspec.structs.replace(brand, official_domains=domains)
    return World(shipped.files | {f"brands/{brand.slug}.json": msgspec.json.encode(brand)})


class _Providers:
    """Network, reviews and lists of the fixtures; empty for all other hosts."""

    def __init__(self, made: _File, now: Callable[[], int], *, waits: bool) -> None:
        self._made = made
        self._now = now
        self._waits = waits

    def _of(self, target: Target) -> Fixture | None:
        return self._made.hosts.get(target.host)

    async def probe(self, target: Target, within_s: float) -> Observations | None:
        fixture = self._of(target)
        if fixture is None:
            return None
        if fixture.network == "late":
            if self._waits:
                await asyncio.sleep(within_s)
            return unobserved(target, self._now(), "timeout")
        return _seen(target, fixture, self._now())

    def known(self, target: Target, now: int) -> tuple[Relationship, ...]:
        fixture = self._of(target)
        if fixture is None or not fixture.reviewed:
            return ()
        return (
            Relationship(
                id=f"fixture:{target.host}",
                domain=target.host,
                entity=self._made.brand.slug,
                state="accepted",
                review_source="fixture",
                reviewed_at=now - _DAY_MS,
                review_expires_at=now + _DAY_MS,
                grave=True,
            ),
        )

    def lists(self, target: Target, now: int) -> tuple[Evidence, ...]:
        fixture = self._of(target)
        if fixture is None:
            return ()
        if fixture.broken:
            raise NotReady(f"{target.host} is a fixture for which no decision can be made")
        check = Evidence(type="threat_list_check", status="observed", id="list", observed_at=now)
        if not fixture.on_threat_list:
            return (check,)
        detail = f"{target.host} is on the list 'fixtures'"
        return check, msgspec.structs.replace(check, id="list.match", strength="decisive", detail=detail)


def _seen(target: Target, fixture: Fixture, now: int) -> Observations:
    until = now + _FRESH_MS
    hop = Hop(scheme=target.scheme, host=target.host, port=target.port, status=200)
    return Observations(
        host=target.host,
        observed_at=now,
        dns=DnsObservation(status="observed", addresses=(_ADDRESS,), ttl_s=900, observed_at=now, valid_until=until),
        tls=TlsObservation(status="observed", valid=True, observed_at=now, valid_until=until),
        http=HttpObservation(
            status="observed",
            hops=(hop,),
            answer=200,
            media_type="text/html; charset=utf-8",
            body=(fixture.page or _PAGE).encode(),
            observed_at=now,
            valid_until=until,
        ),
        registration=RegistrationObservation(
            status="observed", registered_at=now - 1000 * _DAY_MS, observed_at=now, valid_until=until
        ),
    )
