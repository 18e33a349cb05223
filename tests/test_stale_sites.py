"""The tool for stale main sites, on recorded readings: redirects, mergers, ended and taken over registrations."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from waypost.registry.world import World, load
from waypost.safety.target import of_host

from .test_safety_links import everything_seen

FILE = Path(__file__).resolve().parents[1] / "tools" / "stale_sites.py"
SNAPSHOT = {"registered": "2001-01-01", "certificate_organization": "Acme Ltd"}


@pytest.fixture(scope="module")
def tool() -> Any:
    spec = importlib.util.spec_from_file_location("stale_sites", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["stale_sites"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def world() -> World:
    def brand(slug: str, owner: str, *domains: str) -> bytes:
        empty = {name: [] for name in ("aliases", "categories", "countries", "tokens", "short_or_common_tokens")}
        entries = [
            {"domain": each, "role": "principal", "reviewed": "2026-11-20", "sources": ["hand"], "snapshot": SNAPSHOT}
            for each in domains
        ]
        members = {"slug": slug, "names": [slug.title()], "owner": owner, **empty}
        return msgspec.json.encode({**members, "official_domains": entries, "further_domains": []})

    files = {path: data for path, data in load().files.items() if not path.startswith("brands/")}
    return World(
        files
        | {
            "brands/a/acme.json": brand("acme", "acme", "acme.example", "acme.test"),
            "brands/b/buyer.json": brand("buyer", "buyer", "buyer.example"),
        }
    )


GOOD = {
    "domain": "acme.example", "read": "2026-12-01", "resolved": True, "status": 200, "hops": ["www.acme.example"],
    "registered": "2001-01-01", "certificate_organization": "ACME LTD", "name_servers": ["ns1.acme.example"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({}, None),
        ({"status": 403}, None),
        ({"status": 0, "hops": []}, None),
        ({"hops": ["acme.example", "shop.acme.example"]}, None),
        ({"status": 410}, "silent"),
        ({"hops": ["acme.example", "www.buyer.example"]}, "merged"),
        ({"hops": ["acme.example", "www.acme.test"]}, "moved"),
        ({"hops": ["acme.example", "new-acme.example"]}, "moved"),
        ({"resolved": False}, "ended"),
        ({"name_servers": ["ns1.sedoparking.com"]}, "ended"),
        ({"registered": "2026-11-25"}, "taken over"),
        ({"certificate_organization": "Buyer Holdings"}, "taken over"),
    ],
)
def test_a_reading_has_the_kind_of_its_stale_site(tool: Any, world: World, change: Any, kind: str | None) -> None:
    found = list(tool.findings(world, [GOOD | change]))

    assert [each.kind for each in found] == ([kind] if kind else [])


def test_the_newest_reading_of_a_site_counts(tool: Any, world: World) -> None:
    earlier = GOOD | {"read": "2026-11-30", "resolved": False}

    assert list(tool.findings(world, [GOOD, earlier])) == []
    assert len(list(tool.findings(world, [earlier]))) == 1


def test_observations_become_a_line_of_the_file(tool: Any, world: World) -> None:
    seen = asyncio.run(everything_seen(of_host("acme.example"), 1.0))

    reading = json.loads(json.dumps(tool.to_reading("acme.example", seen)))

    assert (reading["domain"], reading["hops"], reading["status"]) == ("acme.example", ["acme.example"], 200)
    assert list(tool.findings(world, [reading])) == []
