"""Owners' functions and what third parties publish, at reviewed hosts: how many of each a login is allowed at.

    python benchmarks/functions.py [--list FILE]

FILE is JSON with `own` and `others`, lists of URLs; by default `tests/cases/urls/functions.json`. Everything on the
network counts as observed. The status is 1 where more than 2 in 100 of the others or less than 85 in 100 of the own
are allowed.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from waypost.models.decision import SensitiveUrl
from waypost.registry.world import World, load
from waypost.safety.policy import VERIFIED
from waypost.safety.relationship import shipped, standing
from waypost.safety.url_evidence import limited
from waypost.safety.url_reading import read_address

DEFAULT = Path(__file__).resolve().parents[1] / "tests" / "cases" / "urls" / "functions.json"
NOW = 1_795_910_400_000
MOST_OTHERS, LEAST_OWN = 0.02, 0.85


def outcome(url: str, world: World) -> str:
    """`unreviewed` for a host without a review; else `allowed` or `stopped`, as far as owner and URL decide."""
    address = read_address(SensitiveUrl(url), world)
    found = standing(address.target, shipped(world, address.target), (), world, NOW)
    if found.status not in VERIFIED and not address.reading.through:
        return "unreviewed"
    reading = address.reading
    withheld = reading.beyond_functions or reading.nested or reading.app_receives or reading.unresolved
    return "stopped" if withheld or limited(found, address.target, reading).status not in VERIFIED else "allowed"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--list", type=Path, default=DEFAULT)
    document, world = json.loads(parser.parse_args().list.read_text()), load()
    shares = {}
    for name, unexpected in (("own", "stopped"), ("others", "allowed")):
        found = {url: outcome(url, world) for url in document[name]}
        reviewed = [url for url, result in found.items() if result != "unreviewed"]
        allowed = [url for url in reviewed if found[url] == "allowed"]
        shares[name] = len(allowed) / max(len(reviewed), 1)
        print(
            f"{name}: {len(found)} URLs, {len(reviewed)} on reviewed hosts, {len(allowed)} allowed ({shares[name]:.1%})"
        )
        print("\n".join(f"  {unexpected}: {url}" for url in reviewed if found[url] == unexpected))
    return int(shares["others"] > MOST_OTHERS or shares["own"] < LEAST_OWN)


if __name__ == "__main__":
    sys.exit(main())
