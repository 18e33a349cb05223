"""Find main sites of brands that no longer are: redirects, mergers, ended registrations, other organizations.

    python tools/stale_sites.py READINGS [--record] [--brand SLUG ...]

READINGS is a file of JSON lines, one reading of a main site each: `domain`, `read` (a day), `status` of the page (0
without an answer), `hops` (hosts of the redirects, the site first), and where known `registered` (a day),
`certificate_organization` and `name_servers`. With --record the main sites are read now, by the network checks of a
decision, and added to the file: for a machine with a network. Without it nothing is fetched.

Each finding names its kind and what a reviewer does next; nothing is written into a brand file:

    merged       the site redirects to a reviewed domain of another owner
    moved        it redirects to another domain, of the same owner or outside the registry
    ended        its name does not resolve, or its registration is on hold or for sale
    taken over   it was registered after its review, or its certificate names another organization than before
    silent       it answers with an error that is not a wall for robots
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from waypost.errors import WaypostError
from waypost.models.observation import Observations
from waypost.registry.world import Brand, World, load
from waypost.safety.target import of_host

_PARKED = ("sedoparking.com", "parkingcrew.net", "bodis.com", "above.com", "dan.com", "afternic.com", "hugedomains.com")
"""Name servers of places where domains without a site wait for a buyer."""
_WALLS = frozenset({401, 403, 405, 406, 429, 503})
"""Statuses with which walls against robots answer: the site may be as it was."""


class Stale(NamedTuple):
    """Main site of a brand that is stale by a reading, with kind, reason and day."""

    slug: str
    domain: str
    kind: str
    because: str
    read: str


def stale(brand: Brand, reading: Mapping[str, Any], world: World) -> Stale | None:
    """Finding about the main site of a brand, or None."""
    found = _kind(brand, reading, world)
    return Stale(brand.slug, brand.home, *found, reading["read"]) if found else None


def _kind(brand: Brand, reading: Mapping[str, Any], world: World) -> tuple[str, str] | None:
    """(kind, reason) of a stale site; the most certain kind first."""
    if not reading.get("resolved", True):
        return "ended", "the name does not resolve"
    servers = [name for name in reading.get("name_servers", ()) if name.endswith(_PARKED)]
    if servers:
        return "ended", f"the name server {servers[0]} is of a place that sells domains"
    entry = next((each for each in brand.official_domains if each.domain == brand.home), None)
    registered = reading.get("registered") or ""
    if entry is not None and registered > entry.reviewed:
        return "taken over", f"registered on {registered}, after the review of {entry.reviewed}"
    before = entry.snapshot.certificate_organization if entry and entry.snapshot else ""
    now = reading.get("certificate_organization") or ""
    if before and now and before.casefold() != now.casefold():
        return "taken over", f"the certificate is of {now}, and was of {before}"
    end = _registrable(reading["hops"][-1]) if reading.get("hops") else ""
    if end and end != brand.home:
        return _led_away(brand, end, world)
    status = reading.get("status", 0)
    if status >= 400 and status not in _WALLS:
        return "silent", f"the front page answers with the status {status}"
    return None


def _led_away(brand: Brand, end: str, world: World) -> tuple[str, str] | None:
    """(kind, reason) of a redirect to another domain; None for a domain of the brand that is reviewed already."""
    owner = world.official.get(end)
    if owner is not None and owner.owner != brand.owner:
        return "merged", f"redirects to {end}, which is reviewed for {owner.name}"
    if owner is not None and owner.slug == brand.slug:
        return "moved", f"redirects to {end}: make it the principal site"
    return "moved", f"redirects to {end}: review that domain, or close the brand"


def _registrable(host: str) -> str:
    try:
        return of_host(host).registrable
    except WaypostError:
        return ""


def findings(world: World, readings: Iterable[Mapping[str, Any]]) -> Iterator[Stale]:
    """Findings about the main sites of a world, by the newest reading of each."""
    newest: dict[str, Mapping[str, Any]] = {}
    for reading in readings:
        known = newest.get(reading["domain"])
        if known is None or known["read"] <= reading["read"]:
            newest[reading["domain"]] = reading
    for brand in world.brands.values():
        reading = newest.get(brand.home) if brand.domains and not brand.closed else None
        found = stale(brand, reading, world) if reading else None
        if found is not None:
            yield found


def to_reading(domain: str, seen: Observations) -> dict[str, Any]:
    """Reading of a main site, as a line of the file."""
    registered = seen.registration.registered_at
    day = datetime.fromtimestamp(registered / 1000, UTC).date().isoformat() if registered else ""
    return {
        "domain": domain,
        "read": datetime.fromtimestamp(seen.observed_at / 1000, UTC).date().isoformat(),
        "resolved": seen.dns.status != "not_observed",
        "status": seen.http.answer,
        "hops": [hop.host for hop in seen.http.hops],
        "registered": day,
        "certificate_organization": seen.tls.organization,
        "name_servers": list(seen.dns.name_servers),
    }


async def _record(world: World, file: Path, slugs: Iterable[str]) -> None:
    """Add readings of the main sites to a file, one site after another."""
    from waypost.service import network

    probe, chosen = network(), set(slugs)
    with file.open("a", encoding="utf-8") as lines:
        for brand in world.brands.values():
            if brand.domains and not brand.closed and (not chosen or brand.slug in chosen):
                reading = to_reading(brand.home, await probe(of_host(brand.home), 5.0))
                lines.write(f"{json.dumps(reading)}\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("readings", type=Path)
    parser.add_argument("--record", action="store_true", help="read the main sites now, and add them to the file")
    parser.add_argument("--brand", action="append", default=[], metavar="SLUG", help="with --record, only these")
    options = parser.parse_args()
    world = load()
    if options.record:
        asyncio.run(_record(world, options.readings, options.brand))
    lines = options.readings.read_text("utf-8").splitlines()
    found = sorted(findings(world, (json.loads(line) for line in lines if line.strip())))
    sys.stdout.write("".join(f"{each.kind:<11}{each.domain:<28}{each.because} ({each.read})\n" for each in found))
    counts = Counter(each.kind for each in found)
    sys.stdout.write(f"{len(lines):,} readings, {len(found):,} stale main sites {dict(counts)}\n")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
