"""Reviews end one after the other, and what is left of them when they have ended."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from types import ModuleType

import msgspec
import pytest
from tests.command import Run
from tests.test_safety_decide import everything_seen

from waypost.models.decision import Decision, Evidence
from waypost.models.observation import Observations
from waypost.models.relationship import OwnershipSnapshot
from waypost.registry.world import DATA, load
from waypost.safety.decide import decide
from waypost.safety.decision_input import DecisionInput
from waypost.safety.policy import DEFAULT
from waypost.safety.relationship import lapses
from waypost.safety.target import normalise

WORLD = load()
DAY = 86_400_000
START = int(datetime(2026, 11, 29, 12, tzinfo=UTC).timestamp() * 1000)
REVIEWED = [brand for brand in WORLD.brands.values() if brand.official_domains]


def tool(name: str) -> ModuleType:
    folder = str(Path(__file__).parent.parent / "tools")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return __import__(name)


def in_force(days: int) -> int:
    now = START + days * DAY
    return sum(all(lapses(WORLD, brand, entry) > now for entry in brand.official_domains) for brand in REVIEWED)


def decided(host: str, days: int, policy: str = DEFAULT) -> Decision:
    now = START + days * DAY
    seen = _moved(everything_seen(host), now)
    clean = Evidence(type="threat_list_check", status="observed", id="list.miss", observed_at=now)
    case = DecisionInput(
        decision_id="d", target=normalise(f"https://{host}/"), action="login", now=now, seen=seen, further=(clean,),
        policy=policy,
    )  # fmt: skip
    return decide(case, WORLD)


def _moved(seen: Observations, now: int) -> Observations:
    times = {"observed_at": now, "valid_until": now + 600_000}
    parts = {
        name: msgspec.structs.replace(getattr(seen, name), **times) for name in ("dns", "tls", "http", "registration")
    }
    return msgspec.structs.replace(seen, observed_at=now, **parts)


def test_the_ends_of_reviews_are_those_of_the_tool() -> None:
    end_of = tool("stagger_reviews").end_of
    for path in sorted((DATA / "brands").glob("*/*.json")):
        brand = json.loads(path.read_text("utf-8"))
        assert brand.get("review_ends", "") == end_of(brand), f"{path.name}: run tools/stagger_reviews.py"


def test_reviews_end_spread_over_half_a_year() -> None:
    weeks = Counter(date.fromisoformat(brand.review_ends).isocalendar()[:2] for brand in REVIEWED)

    assert max(weeks.values()) < len(REVIEWED) / 15
    assert len(weeks) > 25
    for brand in REVIEWED:
        for entry in brand.official_domains:
            lifetime = date.fromisoformat(brand.review_ends) - date.fromisoformat(entry.reviewed)
            assert 0 < lifetime.days <= 365


@pytest.mark.parametrize(("days", "least", "most"), [(0, 1.0, 1.0), (100, 1.0, 1.0), (200, 0.85, 0.99),
                                                     (270, 0.4, 0.7), (357, 0.0, 0.05), (400, 0.0, 0.0)])  # fmt: skip
def test_the_part_of_reviews_in_force_at_a_clock(days: int, least: float, most: float) -> None:
    assert least <= in_force(days) / len(REVIEWED) <= most


@pytest.mark.parametrize(
    ("days", "status", "allowed", "reason"),
    [
        (100, "verified_official", True, "official_relationship_verified"),
        (357, "unverified", False, "relationship_review_expired"),
        (400, "unverified", False, "relationship_review_expired"),
    ],
)
def test_a_login_at_a_reviewed_site_by_clock(days: int, status: str, allowed: bool, reason: str) -> None:
    decision = decided("www.paypal.com", days)

    assert (decision.relationship_status, decision.action_allowed) == (status, allowed)
    assert reason in decision.reason_codes


@pytest.mark.parametrize(("days", "expired"), [(100, False), (357, True), (400, True)])
def test_an_imitation_by_clock_has_its_alternative(days: int, expired: bool) -> None:
    decision = decided("www.paypal.com.id-check.test", days)

    assert decision.relationship_status == "suspected_impersonation"
    assert decision.official_alternative == "https://paypal.com/"
    assert ("alternative_review_expired" in decision.unknowns) is expired
    assert decision.action_allowed is False


def test_an_older_policy_omits_an_alternative_with_expired_review() -> None:
    decision = decided("www.paypal.com.id-check.test", 357, "baseline-2026-11-20")

    assert decision.official_alternative is None
    assert "alternative_review_expired" not in decision.unknowns


@pytest.fixture
def run(command: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.setenv("WAYPOST_DATA", str(tmp_path))
    return partial(command, "registry")


def test_the_reviews_that_end_next_are_in_order(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("waypost.cli._registry_reviews.now_ms", lambda: START)

    soon = run("expiring", "--within", "200", "--json").json
    days = [each["ends"] for each in soon]

    assert days == sorted(days)
    assert 0 < len(soon) < len(REVIEWED) / 4
    assert {each["source"] for each in soon} == {"registry"}
    assert "no review ends within 90 days" in run("expiring").err
    assert len(run("expiring", "--within", "365d", "--json").json) == len(REVIEWED)


def test_two_people_accept_a_domain_of_the_operator(run: Run, command: Run) -> None:
    added = run("add", "pay.nettle.example.com", "--entity", "Nettle Works", "--as", "ann", "--json").json
    name = added["relationship_id"]
    accept = partial(command, "review", "accept", name, "--offline", "--days", "30", "--as")

    assert accept("ann").status == 1
    assert "one more reviewer is needed" in accept("bea").out
    assert run("expiring", "--within", "90", "--json").json == []
    assert "is accepted until" in accept("cyd").out

    (ours,) = run("expiring", "--within", "31", "--json").json
    assert (ours["domains"], ours["source"]) == (["pay.nettle.example.com"], "store")


TEXT = (DATA / "brands" / "p" / "paypal.json").read_text("utf-8")
SEEN = OwnershipSnapshot(
    registered_at=int(datetime(1999, 7, 15, tzinfo=UTC).timestamp() * 1000),
    registrar="Example Registrar",
    name_servers=("ns2.dns.example", "ns1.dns.example"),
    certificate_organization="PayPal, Inc.",
)


def test_a_recorded_snapshot_stands_with_its_domain_alone() -> None:
    async def observe(_: str) -> OwnershipSnapshot:
        return SEEN

    text = asyncio.run(tool("record_ownership").recorded(TEXT, observe, again=False))

    before, after = json.loads(TEXT), json.loads(text)
    assert after["official_domains"][0].pop("snapshot") == {
        "registered": "1999-07-15",
        "registrar": "Example Registrar",
        "name_servers": ["ns1.dns.example", "ns2.dns.example"],
        "certificate_organization": "PayPal, Inc.",
    }
    assert after == before


def test_a_domain_of_which_nothing_is_seen_has_no_snapshot() -> None:
    async def observe(_: str) -> None:
        return None

    assert asyncio.run(tool("record_ownership").recorded(TEXT, observe, again=False)) == TEXT
