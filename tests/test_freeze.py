"""Freeze of an organization: every sensitive action stops at once, and two people end the freeze."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.command import Run

from waypost.models.decision import ACTIONS, Decision, Evidence, SensitiveUrl
from waypost.registry.world import load
from waypost.safety.decide import decide
from waypost.safety.decision_input import DecisionInput
from waypost.safety.policy import policies
from waypost.safety.target import normalise
from waypost.service import Service
from waypost.service.providers import CURRENT_ORGANIZATION, StoredRelationships
from waypost.store import audit, decisions, freezes, open_store, organizations
from waypost.store.errors import ReviewError
from waypost.store.open import Store

from .test_safety_links import NOW, everything_seen

WORLD = load()
SHOP = "https://www.kickstarter.com/checkout"
CLEAN = Evidence(type="threat_list_check", status="observed", id="list", observed_at=NOW)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        yield opened


def create(store: Store, name: str) -> str:
    return store.write(lambda db: organizations.create(db, name, "ann", NOW)).id


def start(store: Store, organization: str, actor: str = "ann") -> Any:
    return store.write(lambda db: freezes.start(db, organization, NOW, actor, "an agent was taken over"))


def end(store: Store, organization: str, actor: str) -> Any:
    return store.write(lambda db: freezes.end(db, organization, NOW, actor, "the keys are revoked"))


def decided(service: Service, organization: str, action: str = "payment") -> Decision:
    token = CURRENT_ORGANIZATION.set(organization)
    try:
        return asyncio.run(service.check_async(SensitiveUrl(SHOP), action)).decision
    finally:
        CURRENT_ORGANIZATION.reset(token)


def service_on(store: Store) -> Service:
    return Service(
        WORLD, probe=everything_seen, now=lambda: NOW, known=StoredRelationships(store), lists=lambda *_: (CLEAN,)
    )


def test_a_freeze_stops_the_organization_and_no_other(store: Store) -> None:
    operator, acme = create(store, "Operator"), create(store, "Acme")
    service = service_on(store)
    assert decided(service, acme).action_allowed is True

    start(store, acme)

    stopped = decided(service, acme)
    assert stopped.action_allowed is False
    assert "actions_frozen" in stopped.reason_codes
    assert stopped.deciding == ("action",)
    assert stopped.expires_at <= NOW + 120_000
    assert decided(service, acme, "visit").action_allowed is True
    assert decided(service, operator).action_allowed is True
    assert decided(service, "").action_allowed is True


def test_the_operators_freeze_covers_checks_without_a_key(store: Store) -> None:
    operator, acme = create(store, "Operator"), create(store, "Acme")
    service = service_on(store)
    assert decided(service, "").action_allowed is True

    start(store, operator)

    assert decided(service, "").action_allowed is False
    assert decided(service, acme).action_allowed is True


def test_two_people_end_a_freeze(store: Store) -> None:
    acme = create(store, "Acme")
    service = service_on(store)
    start(store, acme)

    assert end(store, acme, "ann").end_requested_by == "ann"
    with pytest.raises(ReviewError, match="another person"):
        end(store, acme, "Ann")
    assert decided(service, acme).action_allowed is False
    assert end(store, acme, "bea") is None
    assert decided(service, acme).action_allowed is True

    with pytest.raises(ReviewError, match="no freeze"):
        end(store, acme, "bea")


def test_a_new_freeze_withdraws_the_request_to_end(store: Store) -> None:
    acme = create(store, "Acme")
    start(store, acme)
    end(store, acme, "ann")

    start(store, acme, "cleo")

    assert end(store, acme, "bea").end_requested_by == "bea"
    kinds = [event.type for event in store.read(lambda db: list(audit.all_events(db)))]
    assert kinds[1:] == ["freeze.started", "freeze.end_requested", "freeze.end_refused", "freeze.end_requested"]


@pytest.mark.parametrize("version", sorted(policies(WORLD)))
def test_no_policy_allows_a_frozen_action(version: str) -> None:
    for action in ACTIONS:
        case = DecisionInput(
            decision_id="d", target=normalise(SHOP), action=action, now=NOW, policy=version, frozen=True,
            seen=asyncio.run(everything_seen(normalise(SHOP), 1.0)), further=(CLEAN,),
        )  # fmt: skip
        thawed = decide(msgspec.structs.replace(case, frozen=False), WORLD)

        frozen = decide(case, WORLD)

        assert frozen.action_allowed is (action == "visit" and thawed.action_allowed)


def test_the_command_freezes_and_two_people_unfreeze(
    command: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYPOST_DATA", str(tmp_path / "data"))
    command("org", "create", "Acme", "--as", "ann")

    assert command("org", "freeze", "--reason", "taken over", "--as", "ann").out.startswith("Acme is frozen")
    assert "FROZEN" in command("org", "list").out
    assert command("org", "list", "--json").json[0]["freeze"]["by"] == "ann"
    assert "still frozen" in command("org", "unfreeze", "--reason", "clean", "--as", "ann").out
    assert command("org", "unfreeze", "--reason", "clean", "--as", "ann").status == 1
    assert "no longer frozen" in command("org", "unfreeze", "--reason", "clean", "--as", "bea").out
    assert command("org", "unfreeze", "--reason", "clean", "--as", "bea").status == 1
    assert command("org", "freeze", "--reason", " ", "--as", "bea").status == 1


def test_an_allow_from_before_a_freeze_counts_as_expired(store: Store) -> None:
    acme = create(store, "Acme")
    record = decisions.DecisionRecord(
        id="d", organization=acme, environment="live", key_id="k", created_at=NOW, expires_at=NOW + 300_000,
        normalized_domain="www.kickstarter.com", action="payment", url_hmac=b"h", document=b"{}",
    )  # fmt: skip
    store.write(lambda db: decisions.put(db, record))

    before = store.read(lambda db: decisions.find(db, acme, "d", NOW))
    start(store, acme)
    after = store.read(lambda db: decisions.find(db, acme, "d", NOW))

    assert (before.expired, after.expired) == (False, True)
