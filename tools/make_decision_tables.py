"""Make `docs/decision-tables.md`: the brand that the caller names against the owner, and ownership that ends.

    python tools/make_decision_tables.py [--check]

Every combination is decided by the engine, over invented brands, with everything about the network observed and no
match in a list, so that only the tables' own inputs differ. `--check` compares the file and writes nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from waypost.models.decision import Decision, Evidence, Target
from waypost.models.observation import (
    DnsObservation,
    Hop,
    HttpObservation,
    Observations,
    RegistrationObservation,
    TlsObservation,
)
from waypost.models.relationship import OwnershipSnapshot, Relationship
from waypost.registry.world import World, load
from waypost.service import Service

PAGE = Path(__file__).resolve().parent.parent / "docs" / "decision-tables.md"
NOW = 1_795_176_000_000
MINUTE, DAY = 60_000, 86_400_000
REVIEWED = "2026-11-20"
ACTION = "payment"
POLICIES = ("baseline", "strict")
DESTINATIONS = {
    "ACME's own site": "https://acme.example/",
    "a site of ACME's group": "https://cornwick.example/",
    "a site claimed for ACME, unreviewed": "https://acme-shops.example/",
    "a shop with a review of its own": "https://shop.test/",
    "an unknown site": "https://garden-tools.test/",
    "an imitation of ACME": "https://acm3payments.test/",
}
NAMED: dict[str, tuple[str, ...]] = {
    "no one": (),
    "ACME, by name": ("ACME, Inc.",),
    "ACME, by domain": ("www.acme.example",),
    "a brand of ACME's group": ("Cornwick",),
    "another brand": ("Zorbia",),
    "a brand without a reviewed site": ("Quillmart",),
    "an unknown name": ("No Such Company",),
    "ACME, and another as payee": ("ACME", "Zorbia"),
}
SNAPSHOT = OwnershipSnapshot(
    registered_at=NOW - 4000 * DAY,
    registrar="Example Registrar, Inc.",
    name_servers=("ns1.dns.example", "ns2.dns.example"),
    certificate_issuer="Example CA",
)
FACTS: dict[str, Any] = {
    "registered_at": SNAPSHOT.registered_at,
    "registrar": SNAPSHOT.registrar,
    "name_servers": SNAPSHOT.name_servers,
}
OWNERSHIP: dict[str, dict[str, Any]] = {
    "goes on": {},
    "registered after the review": {"registered_at": NOW - DAY},
    "registered in the week of the review, before it": {"registered_at": NOW - 31 * DAY},
    "redemption period": {"states": ("redemption period",)},
    "pending restore": {"states": ("pending restore",)},
    "pending delete": {"states": ("pending delete",)},
    "expired": {"expires_at": NOW - 1},
    "unknown to its registry": {"status": "not_observed", "reason": "not_registered", "registered_at": None},
    "transferred to another registrar": {"registrar": "Other Registrar"},
    "moved to other name servers": {"name_servers": ("a.other.example", "b.other.example")},
    "another date of registration, before the review": {"registered_at": NOW - 3000 * DAY},
    "another certificate authority": {"issuer": "Other CA"},
    "not answered": {
        "status": "failed",
        "reason": "timeout",
        "registered_at": None,
        "registrar": "",
        "name_servers": (),
    },
}
MARK = "<!-- made by tools/make_decision_tables.py -->"


def brand(name: str, owner: str, *, reviewed: bool = True, further: tuple[str, ...] = ()) -> dict[str, Any]:
    slug = name.lower()
    entry = {"domain": f"{slug}.example", "role": "principal", "reviewed": REVIEWED, "sources": ["hand"]}
    claimed = [{"domain": domain, "sources": ["hand"]} for domain in further]
    return {
        "slug": slug, "names": [name], "aliases": [], "owner": owner, "categories": ["payments"], "countries": [],
        "tokens": [f"{slug}payments"], "short_or_common_tokens": [],
        "official_domains": [entry] if reviewed else [],
        "further_domains": claimed if reviewed else [{"domain": f"{slug}.example", "sources": ["hand"]}],
    }  # fmt: skip


def invented() -> World:
    brands = (
        brand("ACME", "acme", further=("acme-shops.example",)),
        brand("Cornwick", "acme"),
        brand("Zorbia", "zorbia"),
        brand("Quillmart", "quillmart", reviewed=False),
    )
    stored = {
        path: data for path, data in load().files.items() if not path.startswith("brands/") and path != "sites.json"
    }
    return World(
        stored
        | {f"brands/x/{each['slug']}.json": msgspec.json.encode(each) for each in brands}
        | {"sites.json": b'{"sites":[]}'}
    )


def observations(target: Target, registration: dict[str, Any]) -> Observations:
    """Everything about a destination observed, with other registration data where given."""
    times = {"observed_at": NOW, "valid_until": NOW + 10 * MINUTE}
    facts = FACTS | {"status": "observed"} | {name: value for name, value in registration.items() if name != "issuer"}
    hop = Hop(scheme=target.scheme, host=target.host, port=target.port, status=200)
    return Observations(
        host=target.host,
        observed_at=NOW,
        dns=DnsObservation(status="observed", addresses=("192.0.2.7",), ttl_s=600, **times),
        tls=TlsObservation(status="observed", valid=True, issuer=registration.get("issuer", "Example CA"), **times),
        http=HttpObservation(status="observed", hops=(hop,), answer=200, media_type="text/html", body=b"<p>", **times),
        registration=RegistrationObservation(**facts, **times),
    )


def decided(
    world: World, url: str, names: tuple[str, ...] = (), *, registration: dict[str, Any] | None = None,
    snapshot: OwnershipSnapshot | None = None, policy: str = "strict",
) -> Decision:  # fmt: skip
    review = Relationship(
        id="r", domain="shop.test", entity="shop", state="accepted", reviewed_at=NOW - 30 * DAY,
        review_expires_at=NOW + DAY, grave=True, snapshot=snapshot,
    )  # fmt: skip

    async def probe(target: Target, _: float) -> Observations:
        return observations(target, registration or {})

    service = Service(
        world,
        probe=probe,
        now=lambda: NOW,
        new_id=lambda: "d",
        known=lambda target, _: (review,) if target.registrable == "shop.test" else (),
        lists=lambda *_: (Evidence(type="threat_list_check", status="observed", id="list", observed_at=NOW),),
    )
    return service.check(url, ACTION, counterparties=names, policy=policy).decision


def cells(decision: Decision) -> str:
    codes = " ".join(f"`{code}`" for code in decision.reason_codes)
    unknowns = " ".join(f"`{code}`" for code in decision.unknowns)
    return f"{'allow' if decision.action_allowed else 'stop'} | {codes} | {unknowns}"


def lines() -> Iterator[str]:
    world = invented()
    yield from (
        "# Decision tables", "", MARK, "",
        "Decided by the engine over invented brands, for a payment. Everything about the network was observed and no",
        "list matches, so that only what the tables name differs. Made by `python tools/make_decision_tables.py`.", "",
        "## The brand that the caller names, and the owner of the destination", "",
        "Policy `strict`. `claimed_brand` and the payee's name are treated alike; the last rows name both.", "",
        "| the destination is | the caller names | decision | reasons | unknowns | official alternative |",
        "|---|---|---|---|---|---|",
    )  # fmt: skip
    for where, url in DESTINATIONS.items():
        for whom, names in NAMED.items():
            decision = decided(world, url, names)
            yield f"| {where} | {whom} | {cells(decision)} | {decision.official_alternative or ''} |"
    yield from (
        "", "## Ownership since the review", "",
        "A destination that was reviewed 30 days ago, with what its registry says of it today. With a snapshot, the",
        "review kept who the registrar, name servers and certificate issuer were.", "",
        "| registration | snapshot | policy | decision | reasons | unknowns |",
        "|---|---|---|---|---|---|",
    )  # fmt: skip
    for what, registration in OWNERSHIP.items():
        for snapshot in (None, SNAPSHOT):
            for policy in POLICIES:
                decision = decided(
                    world, "https://shop.test/", registration=registration, snapshot=snapshot, policy=policy
                )
                yield f"| {what} | {'kept' if snapshot else 'none'} | `{policy}` | {cells(decision)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    made = "\n".join(lines()) + "\n"
    if not parser.parse_args().check:
        PAGE.write_text(made, "utf-8")
    elif PAGE.read_text("utf-8") != made:
        sys.exit(f"{PAGE.name} is not what the engine decides: run tools/make_decision_tables.py")


if __name__ == "__main__":
    main()
