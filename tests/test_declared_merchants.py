"""Shops outside the registry under an operator's own policy: allowed only with every fact, never by default."""

from __future__ import annotations

import asyncio
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import pytest

from waypost.models.decision import Decision, Evidence, SensitiveUrl, Target
from waypost.models.observation import Observations
from waypost.models.payment import Amount, MerchantReading, Payment
from waypost.models.relationship import Relationship
from waypost.registry.world import load
from waypost.safety.decide import decide
from waypost.safety.decision_input import DecisionInput
from waypost.safety.policy import policies
from waypost.safety.target import normalise
from waypost.service import Service
from waypost.service.providers import StoredRelationships
from waypost.service.store_notes import StoreNotes
from waypost.store import certificates, open_store, organizations, own_policies

from .test_safety_links import DAY, NOW, everything_seen

WORLD = load()
SHOP = "https://corner-shop.test/checkout/7"
TARGET = normalise(SHOP)
POLICY = """policy_id = "acme-pay"
date = "2026-11-29"
extends = "baseline-2026-11-29"
about = "Small orders at shops that sign their checkouts."
[declared_merchants]
actions = ["payment", "checkout"]
domains = ["*"]
amounts = { EUR = 5000 }
because = "A signed checkout of a small amount is worth the risk."
"""
NO_MATCH = Evidence(type="threat_list_check", status="observed", id="list", observed_at=NOW)
PAGE_READ = Evidence(type="structured_data_claim", status="not_observed", id="sd")
SIGNED = MerchantReading(
    profile="read", has_keys=True, signature="agrees", payee="agrees", names=(TARGET,), observed_at=NOW,
    valid_until=NOW + 600_000,
)  # fmt: skip
PAYMENT = Payment(
    endpoint=TARGET, payee_type="ucp", payee_hash="h", amount=Amount(currency="EUR", value=1999, cap=2500),
    merchant=SIGNED,
)  # fmt: skip


def seen(**parts: Any) -> Observations:
    found = asyncio.run(everything_seen(TARGET, 1.0))
    tls = msgspec.structs.replace(found.tls, not_before=NOW - 10 * DAY)
    return msgspec.structs.replace(found, tls=tls, **parts)


SEEN = seen()
COMPLETE = DecisionInput(
    decision_id="d", target=TARGET, action="payment", now=NOW, seen=SEEN, further=(NO_MATCH, PAGE_READ),
    policy_file=POLICY, certificate_since=NOW - 200 * DAY, payment=PAYMENT,
)  # fmt: skip


def decided(**changes: Any) -> Decision:
    return decide(msgspec.structs.replace(COMPLETE, **changes), WORLD)


def paying(**changes: Any) -> Payment:
    return msgspec.structs.replace(PAYMENT, **changes)


def signed(**changes: Any) -> Payment:
    return paying(merchant=msgspec.structs.replace(SIGNED, **changes))


def without(part: str, **changes: Any) -> Observations:
    return msgspec.structs.replace(SEEN, **{part: msgspec.structs.replace(getattr(SEEN, part), **changes)})


def test_a_shop_with_every_fact_may_be_paid() -> None:
    decision = decided()

    assert decision.action_allowed is True
    assert decision.relationship_status == "declared_merchant"
    assert decision.reason_codes == ("merchant_declared",)
    assert decision.confidence_class == "medium"
    assert decision.expires_at == NOW + 300_000
    assert decision.policy_version == "acme-pay-2026-11-29"


@pytest.mark.parametrize("version", sorted(policies(WORLD)))
def test_no_shipped_policy_allows_a_declared_merchant(version: str) -> None:
    decision = decided(policy_file="", policy=version)

    assert decision.action_allowed is False
    assert decision.relationship_status == "unverified"


@pytest.mark.parametrize(
    "amount",
    [
        None,
        Amount(currency="EUR", value=1999),
        Amount(currency="USD", value=1999, cap=2500),
        Amount(currency="EUR", value=2501, cap=2500),
        Amount(currency="EUR", value=5001, cap=9000),
    ],
)
def test_an_amount_beyond_policy_or_cap_stops(amount: Amount | None) -> None:
    decision = decided(payment=paying(amount=amount))

    assert decision.action_allowed is False
    assert decision.reason_codes == ("amount_not_permitted",)


@pytest.mark.parametrize(
    "changes",
    [
        {"action": "login"},
        {"action": "upload"},
        {"action": "unspecified"},
        {"policy_file": POLICY.replace('["*"]', '["other-shop.test"]')},
        {"certificate_since": NOW - 20 * DAY},
        {"frozen": True},
        {"counterparties": ("paypal",)},
        {"further": (Evidence(type="threat_list_check", status="observed", id="list.match", strength="decisive",
                              summary_code=None), PAGE_READ)},
        {"payment": paying(endpoint=normalise("https://pay.other.test/"))},
        {"payment": signed(leads_to=(normalise("https://pay.other.test/"),))},
        {"payment": signed(names=(normalise("https://other.test/"),))},
        {"payment": signed(signature="contradicts", because="amount")},
        {"payment": signed(payee="contradicts")},
        {"relationships": (Relationship(id="r", domain="corner-shop.test", entity="shop", scope="registrable",
                                        state="disputed"),)},
    ],
)  # fmt: skip
def test_whatever_the_policy_does_not_name_stops(changes: dict[str, Any]) -> None:
    assert decided(**changes).action_allowed is False


@pytest.mark.parametrize(
    "url",
    ["http://corner-shop.test/", "https://corner-shop.test:8443/", "https://shop.github.io/", "https://192.0.2.7/",
     "https://www.paypal.com/checkout", "https://paypa1-secure.test/", "https://ann@corner-shop.test/"],
)  # fmt: skip
def test_a_host_without_a_domain_of_its_own_stops(url: str) -> None:
    target = normalise(url)
    found = asyncio.run(everything_seen(target, 1.0))

    decision = decided(target=target, seen=found, payment=paying(endpoint=target, merchant=msgspec.structs.replace(
        SIGNED, names=(target,))))  # fmt: skip

    assert decision.relationship_status != "declared_merchant"


def test_without_any_of_the_facts_nothing_is_allowed() -> None:
    """Every combination of facts that are missing: only the complete one is allowed."""
    lacking: tuple[tuple[str, dict[str, Any]], ...] = (
        ("registered", {"status": "failed", "registered_at": None}),
        ("dns", {"status": "failed"}),
        ("tls", {"status": "not_attempted", "valid": False, "not_before": None}),
        ("http", {"status": "failed", "hops": ()}),
    )
    parts = {"registered": "registration", "dns": "dns", "tls": "tls", "http": "http"}
    allowed = []
    for has in product((True, False), repeat=11):
        observations = SEEN
        for (name, change), is_there in zip(lacking, has[:4], strict=True):
            if not is_there:
                part = msgspec.structs.replace(getattr(observations, parts[name]), **change)
                observations = msgspec.structs.replace(observations, **{parts[name]: part})
        no_match, page, history, keys, payee, endpoint, amount = has[4:]
        merchant = msgspec.structs.replace(
            SIGNED,
            has_keys=keys,
            signature="agrees" if keys else "",
            payee="agrees" if payee else "",
            profile="read" if keys else "not_attempted",
        )
        decision = decided(
            seen=observations,
            further=(*((NO_MATCH,) if no_match else ()), *((PAGE_READ,) if page else ())),
            certificate_since=COMPLETE.certificate_since if history else None,
            payment=paying(
                merchant=merchant,
                payee_hash="h" if payee else "",
                endpoint=TARGET if endpoint else None,
                amount=PAYMENT.amount if amount else None,
            ),
        )
        if decision.action_allowed:
            allowed.append(has)

    assert allowed == [(True,) * 11]


def test_risk_and_missing_evidence_never_add_up_to_an_allow() -> None:
    young = without("registration", registered_at=NOW - 20 * DAY)
    invalid = without("tls", valid=False, error="expired")
    for observations in (young, invalid, None):
        for further in ((NO_MATCH, PAGE_READ), (NO_MATCH,), (PAGE_READ,), ()):
            for payment in (PAYMENT, paying(merchant=None), None):
                assert decided(seen=observations, further=further, payment=payment).action_allowed is False


def test_the_service_learns_the_history_of_certificates(tmp_path: Path) -> None:
    clock = [NOW]

    async def probe(target: Target, within_s: float) -> Observations:
        found = await everything_seen(target, within_s)
        times: dict[str, Any] = {"observed_at": clock[0], "valid_until": clock[0] + 600_000}
        parts = {
            name: msgspec.structs.replace(getattr(found, name), **times)
            for name in ("dns", "tls", "http", "registration")
        }
        parts["tls"] = msgspec.structs.replace(parts["tls"], not_before=clock[0] - DAY)
        return msgspec.structs.replace(found, observed_at=clock[0], **parts)

    with open_store(tmp_path) as store:
        store.write(lambda db: organizations.create(db, "Acme", "ann", NOW))
        store.write(lambda db: own_policies.submit(db, "acme-pay-2026-11-29", POLICY, NOW, "ann"))
        store.write(lambda db: own_policies.accept(db, "acme-pay-2026-11-29", NOW, "bea"))
        service = Service(
            WORLD, probe=probe, now=lambda: clock[0], known=StoredRelationships(store), notes=StoreNotes(store),
            policy="acme-pay", lists=lambda *_: (msgspec.structs.replace(NO_MATCH, observed_at=clock[0]),),
        )  # fmt: skip
        options = msgspec.convert(
            {"url": SHOP, "payment_endpoint": SHOP, "amount": {"currency": "EUR", "value": 1, "cap": 2}}, dict[str, Any]
        )
        request = _payment_of(options)

        first = asyncio.run(service.check_async(SensitiveUrl(SHOP), "payment", payment=request))
        store.writer.submit(lambda db: None).result(5)
        noted = store.read(lambda db: certificates.since(db, "corner-shop.test"))
        clock[0] += 100 * DAY
        later = asyncio.run(service.check_async(SensitiveUrl(SHOP), "payment", payment=request))

    history = {each.id: each.status for each in later.decision.evidence}
    assert first.case.certificate_since is None
    assert noted == NOW - DAY
    assert later.case.certificate_since == NOW - DAY
    assert history["declared.certificate_history"] == "observed"
    assert later.decision.action_allowed is False


def _payment_of(options: dict[str, Any]) -> Any:
    from waypost.models.decision import decode_sensitive
    from waypost.models.wire.decisions import CheckRequest

    return msgspec.convert(options, CheckRequest, dec_hook=decode_sensitive).payment
