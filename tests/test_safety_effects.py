"""What each check changes: the same engine, once more, without the check or with the result that it lacks."""

from __future__ import annotations

import asyncio

import pytest

from waypost.safety.decide import decide
from waypost.safety.evidence_effects import Effect, effect_text, effects
from waypost.service import Checked
from waypost.service.decision_panel import panel_of
from waypost.service.fixtures import open_fixtures

NOW = 1_795_000_000_000
SERVICE = open_fixtures(now=lambda: NOW)


def checked(host: str, action: str = "payment") -> Checked:
    return asyncio.run(SERVICE.check_async(f"https://{host}/", action, within_s=0.05))


def found(host: str, action: str = "payment") -> dict[str, Effect]:
    made = checked(host, action)
    return {effect.type: effect for effect in effects(made.case, made.decision, SERVICE.world)}


def test_an_allowed_payment_stops_without_its_required_checks() -> None:
    allowed = found("allow.test")

    for kind in ("registry_review", "automated_network_check", "certificate_check"):
        assert allowed[kind].change == "without"
        assert not allowed[kind].allowed, kind
        assert allowed[kind].unmet
    assert allowed["registration_data_check"].allowed


def test_checks_that_turn_the_decision_come_first() -> None:
    turning = [effect.allowed for effect in found("allow.test").values()]

    assert turning == sorted(turning), "stops before what changes nothing"


def test_a_review_would_allow_an_unknown_host() -> None:
    review = found("unknown.test")["registry_review"]

    assert (review.change, review.allowed) == ("with", True)
    assert effect_text(review, allowed=False) == "With a valid review of the owner: allowed."


def test_a_review_does_not_outweigh_a_threat_list() -> None:
    stopped = found("stop.test")

    assert not stopped["registry_review"].allowed
    assert "risk" in stopped["registry_review"].unmet
    assert effect_text(stopped["registry_review"], allowed=False).startswith("With a valid review of the owner: still")


def test_a_match_is_what_stops_a_visit() -> None:
    match = found("stop.test", "visit")["threat_list_check"]

    assert (match.change, match.allowed) == ("without", True)


@pytest.mark.parametrize("host", ["allow.test", "stop.test", "impersonation.test", "unknown.test", "slow.test"])
def test_effects_leave_the_decision_as_it_is(host: str) -> None:
    made = checked(host)
    effects(made.case, made.decision, SERVICE.world)

    assert decide(made.case, SERVICE.world) == made.decision


def test_no_effect_grants_a_sensitive_action_without_a_review() -> None:
    for host in ("unknown.test", "slow.test", "impersonation.test", "stop.test"):
        for effect in found(host).values():
            assert not effect.allowed or effect.type == "registry_review", (host, effect)


def test_the_day_is_in_the_sentence_of_a_panel() -> None:
    made = checked("allow.test")
    panel = panel_of(made.decision, made.case, SERVICE.world)

    assert panel["dated"].startswith("On 18 November 2026: paying is allowed here until ")
    assert panel["past"].startswith("On 18 November 2026: paying was allowed until ")
    assert next(each["type"] for each in panel["effects"]) == "registry_review"
