"""Ownership goes on or the review ends: registered anew, expiring, unknown to the registry, transferred."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.test_safety_urls import NO_MATCH, NOW, WORLD, everything_seen

from waypost.models.decision import ACTIONS, Decision, Target
from waypost.models.observation import Observations
from waypost.models.relationship import OwnershipDoubt, OwnershipSnapshot, Relationship
from waypost.safety.policy import policies
from waypost.service import Service

DAY = 86_400_000
REVIEWED = NOW - 100 * DAY
SNAPSHOT = OwnershipSnapshot(
    registered_at=NOW - 4000 * DAY,
    registrar="Example Registrar, Inc.",
    name_servers=("ns1.dns.example", "ns2.dns.example"),
    certificate_issuer="Example CA",
)
FACTS = {
    "registered_at": NOW - 4000 * DAY,
    "registrar": SNAPSHOT.registrar,
    "name_servers": SNAPSHOT.name_servers,
}


def decided(
    registration: dict[str, Any],
    *,
    issuer: str = "Example CA",
    organization: str = "",
    servers: tuple[str, ...] = (),
    snapshot: OwnershipSnapshot | None = None,
    action: str = "payment",
    policy: str = "strict",
    notes: Any = None,
) -> Decision:
    review = Relationship(
        id="r", domain="shop.test", entity="shop", state="accepted", reviewed_at=REVIEWED,
        review_expires_at=NOW + DAY, grave=True, snapshot=snapshot,
    )  # fmt: skip

    async def probe(target: Target, within_s: float) -> Observations:
        seen = await everything_seen(target, within_s)
        given = FACTS | registration
        return msgspec.structs.replace(
            seen,
            registration=msgspec.structs.replace(seen.registration, **given),
            tls=msgspec.structs.replace(seen.tls, issuer=issuer, organization=organization),
            dns=msgspec.structs.replace(seen.dns, name_servers=servers),
        )

    service = Service(
        WORLD,
        probe=probe,
        now=lambda: NOW,
        known=lambda target, now: (review,),
        lists=lambda target, now: (NO_MATCH,),
        notes=notes,
    )
    return service.check("https://shop.test/", action, policy=policy).decision


ENDED = {
    "registered after the review": {"registered_at": REVIEWED + DAY},
    "registered a moment after the review": {"registered_at": REVIEWED + 1},
    "pending delete": {"states": ("client hold", "pending delete")},
    "pendingDelete, as some registries write it": {"states": ("pendingdelete",)},
    "redemption period": {"states": ("redemption period",)},
    "expired": {"expires_at": NOW - 1},
    "unknown to its registry": {"status": "not_observed", "reason": "not_registered", "registered_at": None},
}


@pytest.mark.parametrize("registration", ENDED.values(), ids=ENDED)
@pytest.mark.parametrize("action", sorted(set(ACTIONS) - {"visit"}))
def test_review_ends_with_the_registration_that_it_was_about(registration: dict[str, Any], action: str) -> None:
    decision = decided(registration, action=action)

    assert decision.action_allowed is False
    assert decision.relationship_status == "unverified"
    assert "ownership_changed" in decision.reason_codes
    assert any(piece.id.startswith("net.ownership.") for piece in decision.evidence)


@pytest.mark.parametrize(
    "registration",
    [
        {},
        {"registered_at": NOW - 4000 * DAY + 1},
        {"expires_at": NOW + DAY},
        {"states": ("active", "auto renew period")},
    ],
)
def test_a_registration_that_goes_on_changes_nothing(registration: dict[str, Any]) -> None:
    decision = decided(registration, snapshot=SNAPSHOT)

    assert decision.action_allowed is True
    assert decision.unknowns == ()


CHANGED = {
    "registrar": {"registrar": "Other Registrar"},
    "name servers": {"name_servers": ("a.other.example", "b.other.example")},
    "registration date": {"registered_at": NOW - 3000 * DAY},
}


@pytest.mark.parametrize("registration", CHANGED.values(), ids=CHANGED)
def test_a_transfer_is_an_unknown_for_the_agent(registration: dict[str, Any]) -> None:
    decision = decided(registration, snapshot=SNAPSHOT)

    assert decision.relationship_status == "verified_official"
    assert "ownership_continuity_unknown" in decision.unknowns
    assert any(piece.summary_code == "ownership_differs" for piece in decision.evidence)
    assert decided(registration, snapshot=SNAPSHOT, policy="baseline").action_allowed is True
    assert decision.action_allowed is False


def test_another_issuer_is_a_change_and_spelling_is_none() -> None:
    assert decided({}, issuer="Other CA", snapshot=SNAPSHOT).unknowns == ("ownership_continuity_unknown",)
    same = {"registrar": "EXAMPLE REGISTRAR INC", "name_servers": ("ns3.dns.example",)}
    assert decided(same, issuer="Example CA", snapshot=SNAPSHOT).unknowns == ()


def test_name_servers_come_from_dns_without_a_registry() -> None:
    silent = {"name_servers": ()}
    assert decided(silent, servers=("ns9.dns.example",), snapshot=SNAPSHOT).unknowns == ()
    moved = decided(silent, servers=("a.other.example",), snapshot=SNAPSHOT)
    assert moved.unknowns == ("ownership_continuity_unknown",)
    assert moved.action_allowed is False


@pytest.mark.parametrize("fact", ["registered_at", "registrar", "name_servers"])
def test_what_cannot_be_compared_today_may_have_changed(fact: str) -> None:
    nothing = {"registered_at": None, "registrar": "", "name_servers": ()}
    decision = decided({fact: nothing[fact]}, snapshot=SNAPSHOT)

    assert "ownership_continuity_unknown" in decision.unknowns
    assert decision.action_allowed is False


def test_every_change_is_a_doubt_about_its_reviews() -> None:
    raised: list[OwnershipDoubt] = []

    class Notes:
        is_due = False

        def news(self, now: int) -> tuple[()]:
            return ()

        def write(self, changed: Any) -> None: ...

        def raise_doubt(self, doubt: OwnershipDoubt, now: int) -> None:
            raised.append(doubt)

    decided({"registrar": "Other Registrar"}, snapshot=SNAPSHOT, notes=Notes())
    decided(ENDED["expired"], snapshot=SNAPSHOT, notes=Notes())
    decided({}, snapshot=SNAPSHOT, notes=Notes())

    assert [doubt.changes for doubt in raised] == [("registrar",), ("registration_ending",)]
    assert raised[0].reviewed == SNAPSHOT
    assert raised[0].observed is not None
    assert (raised[0].relationship, raised[0].observed.registrar) == ("r", "Other Registrar")


def test_older_policies_do_not_compare() -> None:
    for policy in policies(WORLD):
        if policy.endswith("2026-11-20"):
            assert decided(ENDED["expired"], policy=policy).action_allowed is True


def test_another_organization_of_the_certificate_is_a_change() -> None:
    snapshot = msgspec.structs.replace(SNAPSHOT, certificate_organization="Shop Works, Inc.")

    assert decided({}, organization="Shop Works Inc", snapshot=snapshot).unknowns == ()
    for organization in ("Another Company", ""):
        decision = decided({}, organization=organization, snapshot=snapshot)
        assert decision.unknowns == ("ownership_continuity_unknown",)
