"""Payments: the host that takes the money is the owner's, of the owner's group or a named payment provider."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from waypost.models.decision import Decision, SensitiveUrl, decode_sensitive
from waypost.models.payment import PaymentRequest, payee_hash
from waypost.models.relationship import Relationship
from waypost.models.wire.decisions import CheckRequest
from waypost.registry.world import load
from waypost.safety.payment import payment_of
from waypost.safety.serialize import decision_to_dict

from .test_safety_links import CANARY, DAY, NOW, decided

WORLD = load()
SHOP = "https://www.kickstarter.com/checkout"
IBAN = "DE89 3704 0044 0532 0130 00"


def paid(url: str, endpoint: str | None = None, payee: tuple[Any, str] | None = None, **more: Any) -> Decision:
    request = PaymentRequest(
        endpoint=SensitiveUrl(endpoint) if endpoint is not None else None,
        payee_type=payee[0] if payee else None,
        payee_id=SensitiveUrl(payee[1]) if payee else None,
    )
    return decided(url, more.pop("action", "payment"), payment=request, **more)


FOREIGN = [
    "https://stranger.test/pay", "https://stripe.com.stranger.test/", "https://stripe.com@stranger.test/",
    "http://checkout.stripe.com/c/pay/x", "https://checkout.stripe.com:8443/c", "https://8.8.8.8/",
    "https://www.paypal.com/checkoutnow", "https://paypal.me/ann", "https://str\u0456pe.com/", "https://xn--strpe-n9a.com/",
    "https://myshop.myshopify.com/checkout", "https://ann.github.io/", "https://checkout-stripe.com/",
    "javascript:alert(1)", "stripe.com", "//stripe.com", "", "https://", "https://user:pw@checkout.stripe.com/",
    "http://www.kickstarter.com/checkout", "https://kickstarter.com.stranger.test/", "https://www.adyen.com/",
    "https://localhost/", "https://*.stripe.com/", "https://www.klarna.com/pay",
]  # fmt: skip


@pytest.mark.parametrize("policy", ["baseline", "strict", "baseline-2026-12-02"])
@pytest.mark.parametrize("action", ["payment", "checkout", "login"])
def test_no_payment_goes_to_a_foreign_host(policy: str, action: str) -> None:
    found = {url: paid(SHOP, url, policy=policy, action=action) for url in FOREIGN}

    reason = "payee_mismatch" if policy in {"baseline", "strict"} else "counterparty_mismatch"
    assert [url for url, each in found.items() if each.action_allowed] == []
    assert [url for url, each in found.items() if reason not in each.reason_codes] == []


@pytest.mark.parametrize(
    ("url", "endpoint"),
    [
        (SHOP, None),
        (SHOP, "https://www.kickstarter.com/checkout/pay"),
        (SHOP, "https://api.kickstarter.com/v1/pay"),
        (SHOP, f"https://checkout.stripe.com/c/pay/{CANARY}"),
        (SHOP, "https://API.STRIPE.COM/v1/payment_intents"),
        ("https://substack.com/settings", "https://js.stripe.com/"),
        ("https://www.etsy.com/cart", "https://pay.klarna.com/eu"),
        ("https://www.ebay.com/mye/myebay/purchase", "https://checkoutshopper-live.adyen.com/x"),
        ("https://www.ebay.com/mye/myebay/purchase", "https://www.paypal.com/checkoutnow"),
        ("https://accounts.google.com/signin", "https://pay.google.com/gp/w/home"),
        ("https://www.youtube.com/account_billing", "https://payments.google.com/"),
        ("https://www.paypal.com/signin", "https://venmo.com/account/sign-in"),
    ],
)
def test_an_endpoint_of_owner_group_or_named_provider_agrees(url: str, endpoint: str | None) -> None:
    decision = paid(url, endpoint)

    assert decision.action_allowed is True
    assert [piece.status for piece in decision.evidence if piece.id.startswith("caller.payment_endpoint")] == (
        ["observed"] if endpoint else []
    )
    assert CANARY not in repr(decision)


def test_an_operators_review_ties_no_endpoint_of_another_owner() -> None:
    review = Relationship(
        id="r", domain="pay.stranger.test", entity="x", state="accepted", scope="host", reviewed_at=NOW - DAY,
        review_expires_at=NOW + DAY, grave=True,
    )  # fmt: skip

    assert paid(SHOP, "https://pay.stranger.test/", known=(review,)).action_allowed is False


def test_a_payee_that_nothing_confirms_is_an_unknown() -> None:
    found = {policy: paid(SHOP, payee=("iban", IBAN), policy=policy) for policy in ("baseline", "strict")}

    assert {policy: each.action_allowed for policy, each in found.items()} == {"baseline": True, "strict": False}
    assert all("payee_not_verified" in each.unknowns for each in found.values())
    assert ("caller.payee.iban", "not_attempted") in {(each.id, each.status) for each in found["strict"].evidence}


def test_an_endpoint_at_an_unverified_shop_is_an_unknown() -> None:
    decision = paid("https://garden-tools.test/", "https://checkout.stripe.com/c/pay/x")

    assert decision.action_allowed is False
    assert "payee_not_verified" in decision.unknowns
    assert "payee_mismatch" not in decision.reason_codes


def test_a_visit_goes_ahead_with_the_payee_as_evidence() -> None:
    decision = paid(SHOP, "https://stranger.test/", action="visit")

    assert decision.action_allowed is True
    assert "caller.payment_endpoint.other" in {piece.id for piece in decision.evidence}


def test_of_a_payee_only_a_keyed_hash_remains() -> None:
    request = PaymentRequest(payee_type="iban", payee_id=SensitiveUrl(IBAN), endpoint=SensitiveUrl(f"{SHOP}?{CANARY}"))
    payment = payment_of(request, b"k" * 32)
    decision = paid(SHOP, f"{SHOP}?{CANARY}", ("iban", IBAN))

    text = repr((request, payment, decision, decision_to_dict(decision, {"evidence_summary"})))
    assert CANARY not in text
    assert "3704" not in text
    assert payment.payee_hash == payee_hash("iban", IBAN.lower().replace(" ", ""), b"k" * 32)
    assert payment.payee_hash != payment_of(request, b"l" * 32).payee_hash
    assert payee_hash("address", "0xABCD", b"k") == payee_hash("address", "0xabcd", b"k")
    assert payee_hash("address", "1BoatSLRHtKNngkdXEeobR76b53LETtpyT", b"k") != payee_hash(
        "address", "1boatslrhtknngkdxeeobr76b53lettpyt", b"k"
    )


def test_the_request_of_the_api_has_endpoint_and_payee() -> None:
    body = {"url": SHOP, "intended_action": "payment", "payment_endpoint": f"{SHOP}?{CANARY}",
            "payee": {"name": "Kickstarter", "type": "iban", "id": IBAN}}  # fmt: skip
    check = msgspec.json.decode(json.dumps(body), type=CheckRequest, dec_hook=decode_sensitive)

    assert check.payment is not None
    assert check.payment.payee_type == "iban"
    assert check.counterparties == ("Kickstarter",)
    assert CANARY not in repr(check)
    assert "3704" not in repr(check)
    assert msgspec.structs.replace(check, payee=None, payment_endpoint=None).payment is None


def test_every_payment_provider_is_a_reviewed_brand() -> None:
    named = {each.brand: slug for slug, brand in WORLD.brands.items() for each in brand.payment_providers}

    assert named
    assert [slug for slug in named if not WORLD.brands[slug].official_domains] == []


HOSTED = f"https://checkout.stripe.com/c/pay/cs_live_{CANARY}"


@pytest.mark.parametrize(
    ("referrer", "url", "allowed"),
    [
        ("www.kickstarter.com", HOSTED, True),
        ("www.kickstarter.com", f"{HOSTED}#fragment", True),
        ("", HOSTED, False),
        ("www.dropbox.com", HOSTED, False),  # no payment provider in its file
        ("stranger.test", HOSTED, False),
        ("ann.kickstarter.com.stranger.test", HOSTED, False),
        ("www.kickstarter.com", "https://www.paypal.com/invoice/p/x", False),  # another provider
        ("www.kickstarter.com", "https://checkout.stripe.com.stranger.test/c/pay/x", False),
        ("www.kickstarter.com", "https://docs.google.com/forms/d/e/x/viewform", False),
        ("www.kickstarter.com", f"{HOSTED}?amount=5", False),
    ],
)
def test_a_checkout_leads_to_the_providers_of_the_shop(referrer: str, url: str, allowed: bool) -> None:
    found = {policy: decided(url, "payment", policy, referrer=referrer) for policy in ("baseline", "strict")}

    assert {each.action_allowed for each in found.values()} == {allowed}
    assert CANARY not in repr(found)
    assert decided(url, "payment", "strict-2026-12-02", referrer=referrer).action_allowed is False


def test_the_caller_may_name_the_shop_behind_a_hosted_checkout() -> None:
    def named(name: str) -> bool:
        return decided(HOSTED, "payment", referrer="www.kickstarter.com", counterparties=[name]).action_allowed

    assert [named("Kickstarter"), named("Stripe"), named("Substack")] == [True, True, False]
