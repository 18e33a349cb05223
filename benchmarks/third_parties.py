"""Sensitive actions at pages of third parties on reviewed hosts, and at consents for unknown receivers.

    python benchmarks/third_parties.py [--list FILE] [--all]

FILE is JSON: `others` by kind (documents, forms, social pages, ...), `consents` and `own`, each a list of URLs; by default
`tests/cases/urls/by-kind.json`, where every path is invented. Each URL is decided offline under `baseline` with all
evidence observed: a login, a payment and an upload; consents as logins. The status is 1 where more than 2 in 100 of the
reviewed others or consents, or less than 85 in 100 of the own, are allowed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from waypost.models.decision import Decision, Evidence, SensitiveUrl, Target
from waypost.models.observation import (
    DnsObservation,
    Hop,
    HttpObservation,
    Observations,
    RegistrationObservation,
    TlsObservation,
)
from waypost.registry.world import load
from waypost.safety.relationship import shipped
from waypost.safety.url_reading import read_address
from waypost.service import Service

DEFAULT = Path(__file__).resolve().parents[1] / "tests" / "cases" / "urls" / "by-kind.json"
NOW = 1_795_910_400_000
ACTIONS = ("login", "payment", "upload")
MOST_OTHERS, LEAST_OWN = 0.02, 0.85


async def everything_seen(target: Target, _within_s: float) -> Observations:
    times: dict[str, Any] = {"observed_at": NOW, "valid_until": NOW + 600_000}
    hop = Hop(scheme=target.scheme, host=target.host, port=target.port, status=200)
    return Observations(
        host=target.host,
        observed_at=NOW,
        dns=DnsObservation(status="observed", addresses=("192.0.2.7",), ttl_s=600, **times),
        tls=TlsObservation(status="observed", valid=True, **times),
        http=HttpObservation(status="observed", hops=(hop,), answer=200, media_type="text/html", body=b"<p>", **times),
        registration=RegistrationObservation(status="observed", registered_at=NOW - 900 * 86_400_000, **times),
    )


def open_checks() -> Service:
    no_match = Evidence(type="threat_list_check", status="observed", id="list", observed_at=NOW)
    return Service(load(), probe=everything_seen, now=lambda: NOW, lists=lambda *_: (no_match,), policy="baseline")


def decisions(service: Service, url: str, actions: Sequence[str]) -> list[Decision]:
    async def all_of_them() -> list[Decision]:
        return [(await service.check_async(SensitiveUrl(url), action)).decision for action in actions]

    return asyncio.run(all_of_them())


def is_reviewed(service: Service, url: str) -> bool:
    """Whether the host that the URL names has a review, or redirects."""
    address = read_address(SensitiveUrl(url), service.world)
    targets = (address.target, *address.reading.through)
    return any(each.state == "accepted" for target in targets for each in shipped(service.world, target))


def measured(service: Service, urls: Sequence[str], actions: Sequence[str]) -> dict[str, list[Decision]]:
    """Decisions about the reviewed ones among some URLs."""
    return {url: decisions(service, url, actions) for url in urls if is_reviewed(service, url)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--list", type=Path, default=DEFAULT)
    parser.add_argument("--all", action="store_true", help="print the stops of the own with their reasons, too")
    options = parser.parse_args()
    document, service = json.loads(options.list.read_text()), open_checks()
    given = others = allowed = 0
    for kind, urls in document["others"].items():
        found = measured(service, urls, ACTIONS)
        wrong = {url: made for url, made in found.items() if any(each.action_allowed for each in made)}
        given, others, allowed = given + len(urls), others + len(found), allowed + len(wrong)
        print(f"{kind}: {len(urls)} URLs, {len(found)} on reviewed hosts, {len(wrong)} allowed")
        for url, made in wrong.items():
            print(f"  allowed: {url} {[each.action for each in made if each.action_allowed]}")
    consents = measured(service, document.get("consents", []), ("login",))
    passed = [url for url, made in consents.items() if made[0].action_allowed]
    own = measured(service, document["own"], ("login",))
    own_allowed = [url for url, made in own.items() if made[0].action_allowed]
    print("".join(f"  consent allowed: {url}\n" for url in passed), end="")
    if options.all:
        print("".join(f"  own stopped: {url} {own[url][0].reason_codes}\n" for url in own if url not in own_allowed))
    shares = [
        (f"others: {given} URLs", others, allowed),
        (f"consents: {len(document.get('consents', []))} URLs", len(consents), len(passed)),
        (f"own: {len(document['own'])} URLs", len(own), len(own_allowed)),
    ]
    for name, reviewed, count in shares:
        print(f"{name}, {reviewed} on reviewed hosts, {count} allowed ({count / max(reviewed, 1):.1%})")
    undeserved = max(allowed / max(others, 1), len(passed) / max(len(consents), 1))
    return int(undeserved > MOST_OTHERS or len(own_allowed) / max(len(own), 1) < LEAST_OWN)


if __name__ == "__main__":
    sys.exit(main())
