"""Removal of evidence, in the running service: cases made at random, then made poorer, with unfit providers.

    python benchmarks/evidence_removal.py [--cases 100000] [--seed 1]

Each case is a destination with observations, page claims, list entries and relationships, decided by a service; then
the same service is asked again while a provider fails, withholds a part, relabels a part as stale or answers with
something else. A stop that becomes an allow by that is an error; so is a decision after its deadline. The status is 1
with an error. `tests/test_service_removal.py` runs some hundred cases of it.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec

from waypost.errors import WaypostError
from waypost.models import observation
from waypost.models.decision import ACTIONS, Evidence, Target
from waypost.models.relationship import Relationship
from waypost.registry.world import World, load
from waypost.service import Service

NOW = 1_795_176_000_000
MINUTE, DAY = 60_000, 86_400_000
_CLAIM = '<script type="application/ld+json">{"@context":"https://schema.org","@type":"Organization",%s}</script>'
PAGES = (
    b"",
    b"<title>Shop</title>",
    (_CLAIM % '"name":"PayPal","url":"https://www.paypal.com/"').encode(),
    (_CLAIM % '"name":"Shop","logo":"https://www.paypal.com/logo.png","url":"https://shop.test/"').encode(),
)
WITHIN_S, SPARE_S = 0.5, 0.5
PARTS = ("dns", "tls", "http", "registration")


class Providers:
    """Providers of a case, to be made poorer between two checks of one service."""

    def __init__(self, draw: random.Random) -> None:
        self.now = NOW
        self.host = draw.choice(
            ("shop.test", "shop.test", "www.paypal.com", "www.paypal.com", "paypal-login.test", "garden-tools.test")
        )
        self.seen = observations(self.host, draw)
        self.page = draw.choice(PAGES)
        self.known = (review(draw),) if draw.random() < 0.7 else ()
        self.matched = matches(draw)
        self.observe: Callable[[observation.Observations], Any] = lambda seen: seen
        self.late = False

    async def probe(self, _target: Target, _within_s: float) -> Any:
        if self.late:
            await asyncio.sleep(60)
        body = self.page if self.seen.http.status == "observed" else b""
        seen = msgspec.structs.replace(self.seen, http=msgspec.structs.replace(self.seen.http, body=body))
        answer = self.observe(shifted(seen, self.now - NOW))
        if isinstance(answer, Exception):
            raise answer
        return answer

    def relationships(self, _target: Target, _now: int) -> tuple[Relationship, ...]:
        return self.known

    def lists(self, _target: Target, now: int) -> tuple[Evidence, ...]:
        return tuple(msgspec.structs.replace(piece, observed_at=now) for piece in self.matched)


def observations(host: str, draw: random.Random) -> observation.Observations:
    times = {"observed_at": NOW, "valid_until": NOW + draw.choice((10 * MINUTE, DAY))}
    hops = [observation.Hop(scheme="https", host=host, port=443, status=200)]
    if draw.random() < 0.15:
        hops.append(
            observation.Hop(scheme="https", host=draw.choice(("stranger.test", f"www.{host}")), port=443, status=200)
        )
    registered = NOW - draw.choice((3, 40, 900, 4000, 4000, 4000)) * DAY
    valid = draw.random() < 0.85
    return observation.Observations(
        host=host,
        observed_at=NOW,
        dns=observation.DnsObservation(
            status="observed", addresses=("192.0.2.7",), ttl_s=600, not_public=draw.random() < 0.05, **times
        ),
        tls=observation.TlsObservation(status="observed", valid=valid, error=None if valid else "expired", **times),
        http=observation.HttpObservation(
            status="observed", hops=tuple(hops), answer=200, media_type="text/html", **times
        ),
        registration=observation.RegistrationObservation(
            status="observed",
            registered_at=registered,
            expires_at=NOW + draw.choice((-DAY, 300 * DAY, 300 * DAY, 300 * DAY)),
            states=draw.choice(((), (), (), ("pending delete",), ("active",))),
            **times,
        ),
    )


def review(draw: random.Random) -> Relationship:
    return Relationship(
        id="r",
        domain="shop.test",
        entity="shop",
        state=draw.choice(("accepted", "accepted", "accepted", "disputed")),
        reviewed_at=NOW - draw.choice((1, 10, 100)) * DAY,
        review_expires_at=NOW + 100 * DAY,
        grave=draw.random() < 0.9,
    )


def matches(draw: random.Random) -> tuple[Evidence, ...]:
    if draw.random() < 0.2:
        return ()
    check = Evidence(type="threat_list_check", status="observed", id="list")
    hit = Evidence(type="threat_list_check", status="observed", id="list.match", strength="decisive")
    return (check, hit) if draw.random() < 0.25 else (check,)


def shifted(seen: observation.Observations, by_ms: int) -> observation.Observations:
    """observation.Observations made later."""
    parts = {
        name: msgspec.structs.replace(part, observed_at=part.observed_at + by_ms, valid_until=part.valid_until + by_ms)
        for name in PARTS
        for part in [getattr(seen, name)]
    }
    return msgspec.structs.replace(seen, observed_at=seen.observed_at + by_ms, **parts)


def _without(part: str, status: str) -> Callable[[observation.Observations], observation.Observations]:
    def observe(seen: observation.Observations) -> observation.Observations:
        poorer: dict[str, Any] = {"status": status, "reason": "timeout"}
        if part == "registration":
            poorer |= {"registered_at": None, "expires_at": None, "states": ()}
        return msgspec.structs.replace(seen, **{part: msgspec.structs.replace(getattr(seen, part), **poorer)})

    return observe


def make_poorer(case: Providers, draw: random.Random) -> str:
    """Name of the change made to the providers: each takes evidence away or relabels it, none adds any."""
    how = draw.choice(("part", "part", "registration", "page", "list stale", "no list", "match stale", "fails", "lies"))
    part, status = draw.choice(PARTS), draw.choice(("failed", "not_attempted"))
    match how:
        case "part":
            case.observe = _without(part, status)
            return f"{part} {status}"
        case "registration":
            case.observe = _without("registration", status)
        case "page":
            case.page = b""
        case "list stale":
            case.matched = tuple(msgspec.structs.replace(piece, status="stale") for piece in case.matched)
        case "no list":
            case.matched = ()
        case "match stale":
            case.matched = tuple(
                msgspec.structs.replace(piece, status="stale") if piece.id == "list.match" else piece
                for piece in case.matched
            )
        case "fails":
            case.observe = lambda _: OSError("no")
        case "lies":
            case.observe = lambda seen: draw.choice(
                (None, "all is well", msgspec.structs.replace(seen, host="acme.test"))
            )
    return how


class Outcome(msgspec.Struct):
    """Counts of a run: changes by name, and the errors found."""

    changes: Counter[str]
    errors: list[str]
    stops: int = 0
    slowest_s: float = 0.0


async def one_case(draw: random.Random, world: World, outcome: Outcome, *, hangs: bool) -> None:
    """Decide a case, then decide it again with less evidence."""
    case = Providers(draw)
    service = Service(
        world, probe=case.probe, known=case.relationships, lists=case.lists, now=lambda: case.now, new_id=lambda: "d"
    )
    action = draw.choice(ACTIONS)
    policy = draw.choice(("baseline-2026-11-29", "strict-2026-11-29"))
    url = f"https://{case.host}/{draw.choice(('', 'pay', 'a?b=c'))}"

    async def decided() -> bool:
        began = time.monotonic()
        try:
            checked = await service.check_async(url, action, policy=policy, within_s=WITHIN_S if not hangs else 0.05)
            return checked.decision.action_allowed
        except WaypostError:
            return False  # no decision is a stop
        finally:
            outcome.slowest_s = max(outcome.slowest_s, time.monotonic() - began)

    before = await decided()
    change = make_poorer(case, draw)
    case.late = hangs
    # Past the reuse of observations; within the life of what was observed.
    case.now += draw.choice((61_000, 2 * MINUTE, 5 * MINUTE))
    after = await decided()
    outcome.changes[f"{change}{' and hangs' if hangs else ''}"] += 1
    outcome.stops += not before
    if after and not before:
        outcome.errors.append(f"{change}: {action} at {url} under {policy} went from stop to allow")


async def run(cases: int, seed: int, *, hanging_in_1000: int = 2) -> Outcome:
    """Outcome of a number of cases, the same for a seed."""
    draw, world, outcome = random.Random(seed), load(), Outcome(Counter(), [])
    for _ in range(cases):
        await one_case(draw, world, outcome, hangs=draw.randrange(1000) < hanging_in_1000)
        if outcome.slowest_s > WITHIN_S + SPARE_S:
            outcome.errors.append(f"a decision took {outcome.slowest_s:.2f} s")
            break
    return outcome


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    outcome = asyncio.run(run(args.cases, args.seed))
    for change, count in sorted(outcome.changes.items()):
        print(f"{count:>8}  {change}")
    print(f"{sum(outcome.changes.values())} cases, {outcome.stops} began as stops, slowest {outcome.slowest_s:.3f} s")
    print(f"{len(outcome.errors)} went from stop to allow or were late")
    for error in outcome.errors[:20]:
        print(f"  {error}", file=sys.stderr)
    return 1 if outcome.errors else 0


if __name__ == "__main__":
    raise SystemExit(main())
