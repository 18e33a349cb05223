"""Evidence taken away piece by piece: under the newest policies a stop never becomes an allow."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from waypost.models.decision import ACTIONS, Evidence, UrlReading
from waypost.models.payment import Amount, MerchantReading, Payment
from waypost.models.relationship import Relationship
from waypost.registry.world import load
from waypost.safety.decide import decide
from waypost.safety.decision_input import DecisionInput
from waypost.safety.policy import find
from waypost.safety.target import normalise

from .test_safety_links import NOW

WORLD = load()
DAY = 86_400_000
SHOP, RECEIVER, ELSEWHERE = (normalise(f"https://{host}/") for host in ("shop.test", "app.test", "stranger.test"))
PARTS = ("dns", "tls", "http", "registration")
CLEAN = Evidence(type="threat_list_check", status="observed", id="list", observed_at=NOW)


def review(domain: str, *, grave: bool) -> Relationship:
    return Relationship(
        id=domain, domain=domain, entity=domain, state="accepted", scope="host", reviewed_at=NOW - DAY,
        review_expires_at=NOW + DAY, grave=grave,
    )  # fmt: skip


def observed() -> Any:
    from waypost.models import observation as seen

    times: dict[str, Any] = {"observed_at": NOW, "valid_until": NOW + 600_000, "status": "observed"}
    hop = seen.Hop(scheme="https", host="shop.test", port=443, status=200)
    return seen.Observations(
        host="shop.test",
        observed_at=NOW,
        dns=seen.DnsObservation(addresses=("192.0.2.7",), ttl_s=600, **times),
        tls=seen.TlsObservation(valid=True, **times),
        http=seen.HttpObservation(hops=(hop,), answer=200, **times),
        registration=seen.RegistrationObservation(registered_at=NOW - 900 * DAY, **times),
    )


def without(case: DecisionInput, piece: str) -> DecisionInput:
    """Case without a piece of evidence: a part of the network, a review, the second reviewer, the threat list."""
    replace = msgspec.structs.replace
    name, _, how = piece.partition(":")
    if name in PARTS and case.seen is not None:
        unknowns = {"dns": "dns_timeout", "tls": "tls_not_checked", "http": "http_not_fetched"}.get(name)
        changes: dict[str, Any] = {"status": how, "reason": "timeout", "unknowns": (unknowns,) if unknowns else ()}
        part = replace(getattr(case.seen, name), **changes)
        return replace(case, seen=replace(case.seen, **{name: part}))
    if name == "network":
        return replace(case, seen=None)
    if name == "list":
        return replace(case, further=())
    if name == "files":
        return case if case.payment is None else replace(case, payment=without_files(case.payment))
    left = tuple(each for each in case.relationships if each.domain != how)
    if name == "reviewer":
        left = tuple(replace(each, grave=each.grave and each.domain != how) for each in case.relationships)
    return replace(case, relationships=left)


def without_files(payment: Payment) -> Payment:
    """Payment where the host's files are not answered: what was compared with them is unknown again."""
    merchant = payment.merchant
    if merchant is None:
        return payment
    compared: dict[str, Any] = {name: "failed" for name in ("signature", "payee") if getattr(merchant, name)}
    unread = MerchantReading(profile="failed", because="no_profile" if merchant.signature else "", **compared)
    return msgspec.structs.replace(payment, merchant=unread)


def as_read(merchant: MerchantReading) -> MerchantReading:
    """A reading as it occurs: only a checkout names hosts, and each checkout has an outcome."""
    return merchant if merchant.signature else msgspec.structs.replace(merchant, names=(), leads_to=())


PIECES = (
    "files:",
    *(f"{part}:{status}" for part in PARTS for status in ("failed", "not_attempted")), "network:", "list:",
    *(f"{what}:{host}" for what in ("review", "reviewer") for host in ("shop.test", "app.test")),
)  # fmt: skip
OUTCOMES = st.sampled_from(["", "agrees", "contradicts", "unseen", "failed"])
readings = st.sampled_from(
    [
        UrlReading(),
        UrlReading(deeper=True),
        UrlReading(beyond_functions=True),
        UrlReading(prefilled="amount"),
        UrlReading(publishers="form"),
        UrlReading(hands_over=True, sign_in=(RECEIVER,), receivers=(RECEIVER,)),
        UrlReading(hands_over=True, sign_in=(RECEIVER,), receivers=(RECEIVER,), grants=("mail",)),
        UrlReading(hands_over=True, app_receives=True),
    ]
)
payments = st.sampled_from(
    [None, Payment(endpoint=SHOP), Payment(endpoint=ELSEWHERE), Payment(unreadable=True), Payment(payee_hash="a")]
) | st.builds(
    Payment,
    endpoint=st.sampled_from([None, SHOP, ELSEWHERE]),
    payee_hash=st.sampled_from(["", "a"]),
    payee_type=st.sampled_from(["x402", "ucp", "ap2"]),
    amount=st.sampled_from([None, Amount(currency="EUR", value=1999), Amount(currency="EUR", value=1999, cap=5000)]),
    merchant=st.none()
    | st.builds(
        MerchantReading,
        profile=st.sampled_from(["read", "absent", "failed"]),
        has_keys=st.booleans(),
        signature=OUTCOMES,
        payee=OUTCOMES,
        names=st.sampled_from([(), (SHOP,), (ELSEWHERE,)]),
        leads_to=st.sampled_from([(), (SHOP,), (ELSEWHERE,)]),
        endpoints=st.sampled_from([(), (ELSEWHERE,)]),
        observed_at=st.just(NOW),
        valid_until=st.just(NOW + 60_000),
    ).map(as_read),
)
names = st.sampled_from([(), ("shop.test",), ("app.test",), ("paypal",), ("",)])
POLICIES = tuple(find(WORLD, name).version for name in ("baseline", "strict"))


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(POLICIES), st.sampled_from(ACTIONS), readings, payments, names, st.booleans(), st.booleans(),
    st.lists(st.sampled_from(PIECES), max_size=4), st.sampled_from(PIECES),
)  # fmt: skip
def test_removal_of_evidence_never_allows(
    policy: str,
    action: str,
    reading: Any,
    payment: Any,
    counterparties: Any,
    two: bool,
    both: bool,
    gone: Any,
    last: str,
) -> None:
    case = DecisionInput(
        decision_id="d", target=SHOP, action=action, now=NOW, policy=policy, seen=observed(), further=(CLEAN,),
        relationships=(review("shop.test", grave=two), review("app.test", grave=both)), reading=reading,
        payment=payment, counterparties=counterparties,
    )  # fmt: skip
    for piece in gone:
        case = without(case, piece)
    poorer = without(case, last)

    before, after = decide(case, WORLD), decide(poorer, WORLD)

    assert before.action_allowed or not after.action_allowed


def test_the_richest_case_is_an_allow() -> None:
    for policy in POLICIES:
        case = DecisionInput(
            decision_id="d", target=SHOP, action="payment", now=NOW, policy=policy, seen=observed(), further=(CLEAN,),
            relationships=(review("shop.test", grave=True),), payment=Payment(endpoint=SHOP),
        )  # fmt: skip
        assert decide(case, WORLD).action_allowed is True
