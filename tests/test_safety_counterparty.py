"""Whom the caller means: another owner is a stop with the official alternative, an unknown name an unknown."""

from __future__ import annotations

import msgspec
import pytest
from tests.test_safety_urls import NOW, SERVICE, WORLD, everything_seen

from waypost.models.decision import Decision
from waypost.models.relationship import Relationship
from waypost.safety.policy import policies
from waypost.service import Service
from waypost.service.fixtures import open_fixtures

DAY = 86_400_000
PAYPAL, AMAZON = "https://www.paypal.com/", "https://www.amazon.com/"


def decided(
    url: str, *names: str, action: str = "payment", policy: str = "strict", service: Service = SERVICE
) -> Decision:
    return service.check(url, action, counterparties=names, policy=policy).decision


@pytest.mark.parametrize(
    ("url", "name"),
    [
        (PAYPAL, "PayPal"),
        (PAYPAL, "paypal"),
        (PAYPAL, "  PAYPAL, Inc. "),
        (PAYPAL, "paypal.com"),
        (PAYPAL, "www.paypal.com"),
        (PAYPAL, "https://www.paypal.com/signin?x=1"),
        (AMAZON, "Amazon"),
        ("https://www.amazon.de/", "amazon.com"),
        ("https://www.instagram.com/", "Facebook"),
        ("https://accounts.google.com/", "google"),
        ("https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Fwww.paypal.com%2F", "PayPal"),
    ],
)
def test_a_named_owner_is_known_by_slug_and_domain(url: str, name: str) -> None:
    decision = decided(url, name)

    assert decision.action_allowed is True
    assert "claimed_brand_unknown" not in decision.unknowns


@pytest.mark.parametrize(
    ("url", "name", "alternative"),
    [
        (PAYPAL, "Amazon", "https://amazon.com/"),
        (PAYPAL, "amazon.de", "https://amazon.com/"),
        (AMAZON, "PayPal", "https://paypal.com/"),
        (AMAZON, "paypal Holdings", None),
        ("https://www.google.com/url?q=https://www.amazon.com/", "PayPal", "https://paypal.com/"),
        ("https://garden-tools.test/", "PayPal", "https://paypal.com/"),
        ("https://paypal-login.test/", "Amazon", "https://amazon.com/"),
    ],
)
def test_another_owner_is_a_stop_with_the_official_alternative(url: str, name: str, alternative: str | None) -> None:
    decision = decided(url, name)

    assert decision.action_allowed is False
    assert decision.official_alternative == alternative
    assert ("counterparty_mismatch" in decision.reason_codes) is (alternative is not None)


@pytest.mark.parametrize(
    "name", ["Nobody Knows Me", "nobody.test", "\u0420ay\u0420al", "!!!", "https://[::1", "x" * 200]
)
@pytest.mark.parametrize("action", ["payment", "login", "upload"])
def test_an_unknown_name_stops_sensitive_actions(name: str, action: str) -> None:
    decision = decided(PAYPAL, name, action=action)

    assert "claimed_brand_unknown" in decision.unknowns
    assert decision.relationship_status == "verified_official"
    assert decision.action_allowed is False


def test_every_name_must_be_the_owners() -> None:
    assert decided(PAYPAL, "PayPal", "paypal.com").action_allowed is True
    assert decided(PAYPAL, "PayPal", "Amazon").reason_codes == (
        "official_relationship_verified",
        "counterparty_mismatch",
    )
    assert decided(PAYPAL, "PayPal", "Nobody Knows Me").action_allowed is False


def test_a_name_verifies_nothing() -> None:
    decision = decided("https://paypal-payments.test/", "PayPal")

    assert decision.action_allowed is False
    assert not decided("https://garden-tools.test/", "garden-tools.test").action_allowed


def test_a_visit_is_bound_by_no_name() -> None:
    assert decided(PAYPAL, "Amazon", action="visit").action_allowed is True


def test_older_policies_do_not_read_names() -> None:
    for policy in policies(WORLD):
        if policy.endswith("2026-11-20"):
            assert decided(PAYPAL, "Amazon", policy=policy).action_allowed is True


def test_an_entity_of_the_operators_review_is_known() -> None:
    review = Relationship(
        id="r", domain="shop.test", entity="garden-tools", state="accepted", reviewed_at=NOW - DAY,
        review_expires_at=NOW + DAY, grave=True,
    )  # fmt: skip
    service = Service(WORLD, probe=everything_seen, now=lambda: NOW, known=lambda target, now: (review,))

    def allowed(*names: str) -> bool:
        return decided("https://shop.test/", *names, policy="baseline", service=service).action_allowed

    assert allowed("Garden Tools Ltd")
    assert allowed("shop.test")
    assert not allowed("PayPal")


def test_the_callers_text_is_in_no_decision_or_input() -> None:
    checked = SERVICE.check(PAYPAL, "payment", counterparties=("k4n4ry k4n4ry", "k4n4ry.test"))

    assert "k4n4ry" not in msgspec.json.encode((checked.decision, checked.case)).decode()


def test_fixtures_know_their_brand_and_others() -> None:
    names = ("Waypost Fixture Store", "PayPal", "Nobody")
    with open_fixtures(now=lambda: NOW) as service:
        own, other, unknown = (decided("https://allow.test/pay", name, service=service) for name in names)

    assert own.action_allowed is True
    assert (other.action_allowed, other.official_alternative) == (False, "https://paypal.com/")
    assert (unknown.action_allowed, unknown.unknowns) == (False, ("claimed_brand_unknown",))
