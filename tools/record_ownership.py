"""Record who runs the reviewed domains of brands today, as the snapshot of their review: for a machine with a network.

    python tools/record_ownership.py [--brand SLUG ...] [--again]

For each reviewed domain: day of registration and registrar (RDAP), name servers (DNS), issuer and organization of the
certificate, by the network checks of a decision. Later decisions compare them with what they see. A domain of which
nothing is seen keeps the snapshot that it has. Record on the day of a review: a snapshot of a later owner would hide
the change.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from waypost.models.relationship import OwnershipSnapshot
from waypost.registry.world import DATA, load
from waypost.service import Service, network

Observe = Callable[[str], Awaitable[OwnershipSnapshot | None]]


def to_members(seen: OwnershipSnapshot) -> dict[str, Any]:
    """Snapshot in the form of a brand file, without what is not known."""
    registered = seen.registered_at
    members = {
        "registered": datetime.fromtimestamp(registered / 1000, UTC).date().isoformat() if registered else "",
        "registrar": seen.registrar,
        "name_servers": sorted(seen.name_servers),
        "certificate_issuer": seen.certificate_issuer,
        "certificate_organization": seen.certificate_organization,
    }
    return {name: value for name, value in members.items() if value}


async def recorded(text: str, observe: Observe, *, again: bool) -> str:
    """Brand file with the snapshots of its reviewed domains."""
    for entry in json.loads(text)["official_domains"]:
        if entry.get("snapshot") and not again:
            continue
        seen = await observe(entry["domain"])
        if seen is None or not (members := to_members(seen)):
            continue
        before = json.dumps(entry, ensure_ascii=False)
        if before not in text:
            raise ValueError(f"{entry['domain']} does not stand on a line of its own")
        text = text.replace(before, json.dumps(entry | {"snapshot": members}, ensure_ascii=False), 1)
    return text


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--brand", action="append", metavar="SLUG", help="only these; all by default")
    parser.add_argument("--again", action="store_true", help="also domains that have a snapshot")
    options = parser.parse_args()
    service = Service(load(), probe=network())
    paths = sorted((DATA / "brands").glob("*/*.json"))
    changed = 0
    for path in (path for path in paths if not options.brand or path.stem in options.brand):
        text = path.read_text("utf-8")
        made = await recorded(text, service.snapshot, again=options.again)
        if made != text:
            Path(path).write_text(made, "utf-8")
            changed += 1
    print(f"{changed} brand files changed")


if __name__ == "__main__":
    asyncio.run(main())
