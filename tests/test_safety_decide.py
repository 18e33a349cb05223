"""The decision: the two examples of the specification, an allow, every bound of time, and nothing let through."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.errors import UnknownPolicy
from waypost.models.decision import ACTIONS, EVIDENCE_STATUSES, EVIDENCE_TYPES, UNSPECIFIED, Decision, Evidence
from waypost.models.observation import (
    DnsObservation,
    Hop,
    HttpObservation,
    Observations,
    RegistrationObservation,
    TlsObservation,
)
from waypost.models.relationship import Relationship
from waypost.registry.world import World, load
from waypost.safety.catalogue import catalogue
from waypost.safety.decide import decide
from waypost.safety.decision_input import DecisionInput
from waypost.safety.relationship import imitation, shipped, standing
from waypost.safety.target import normalise

WORLD = load()
NOW = int(datetime(2026, 11, 20, 12, tzinfo=UTC).timestamp() * 1000)
MINUTE, DAY = 60_000, 86_400_000
CANARY = "k4n4ry"
ACME = """{"slug": "acme", "names": ["ACME"], "aliases": [], "owner": "acme", "categories": ["payments"],
  "countries": [], "tokens": ["acmepayments"], "short_or_common_tokens": ["acme"],
  "official_domains": [{"domain": "acme.example", "role": "principal", "reviewed": "2026-11-20", "sources": ["hand"]}],
  "further_domains": [{"domain": "acme-mail.example", "sources": ["hand"]}]}"""
UNSEEN = """{"slug": "quillmart", "names": ["Quillmart"], "aliases": [], "owner": "quillmart", "categories": ["retail"],
  "countries": [], "tokens": ["quillmart"], "short_or_common_tokens": [], "official_domains": [],
  "further_domains": [{"domain": "quillmart.example", "sources": ["hand"]},
                      {"domain": "pay.quill.example", "sources": ["hand"]}]}"""


def with_acme() -> World:
    brands = {path: data for path, data in WORLD.files.items() if not path.startswith("brands/")}
    return World(brands | {"brands/a/acme.json": ACME.encode(), "brands/q/quillmart.json": UNSEEN.encode()})


SMALL = with_acme()
NO_MATCH = Evidence(type="threat_list_check", status="observed", id="list.miss", observed_at=NOW)
MATCH = Evidence(type="threat_list_check", status="observed", id="list.match", strength="decisive", observed_at=NOW)


def everything_seen(host: str, **changes: object) -> Observations:
    times = {"observed_at": NOW, "valid_until": NOW + 10 * MINUTE}
    parts = {
        "dns": DnsObservation(status="observed", addresses=("192.0.2.7",), ttl_s=600, **times),
        "tls": TlsObservation(status="observed", valid=True, **times),
        "http": HttpObservation(
            status="observed", hops=(Hop(scheme="https", host=host, port=443),), answer=200, **times
        ),
        "registration": RegistrationObservation(status="observed", registered_at=NOW - 900 * DAY, **times),
    }
    return Observations(host=host, observed_at=NOW, **(parts | changes))


def decided(url: str, action: str = "payment", **changes: object) -> Decision:
    target = normalise(url)
    given_ = {"seen": everything_seen(target.host), "further": (NO_MATCH,)} | changes
    case = DecisionInput(decision_id="d-1", target=target, action=action, **({"now": NOW} | given_))
    return decide(case, SMALL)


def test_an_impersonating_host_is_named_with_the_official_one() -> None:
    decision = decided(f"https://acm3.test/{CANARY}?{CANARY}")

    assert decision.normalized_domain == "acm3.test"
    assert decision.relationship_status == "suspected_impersonation"
    assert decision.risk_status == "high_risk_signal_observed"
    assert decision.action == "payment"
    assert decision.action_allowed is False
    assert decision.reason_codes == ("brand_impersonation_signal",)
    assert decision.official_alternative == "https://acme.example/"
    assert decision.confidence_class == "high"
    assert decision.unknowns == ()
    assert decision.policy_version == "baseline-2026-11-29"
    assert CANARY not in repr(decision)


@pytest.mark.parametrize(
    ("url", "confidence"),
    [
        ("https://acm3.test/", "high"),  # a homoglyph of the complete label
        ("https://acme.webflow.io/", "medium"),
        ("https://acme-login.test/", "medium"),
        ("https://secure-acme.test/", "medium"),
        ("https://acme.example.login.test/", "medium"),
    ],
)
def test_a_name_alone_accuses_only_when_it_decides(url: str, confidence: str) -> None:
    decision = decided(url)

    if decision.relationship_status == "suspected_impersonation":
        assert decision.confidence_class == confidence
        assert decided(url, policy="baseline-2026-12-01").confidence_class == "high"
    match = Evidence(type="threat_list_check", status="observed", id="list.match", strength="decisive", observed_at=NOW)
    assert decided(url, further=(match,)).confidence_class == "high"


def test_visit_lists_what_is_unknown_as_a_payment_does() -> None:
    for seen in (None, everything_seen("garden-tools.test")):
        visit = decided("https://garden-tools.test/", "visit", seen=seen)

        assert visit.action_allowed is True
        assert visit.unknowns == decided("https://garden-tools.test/", seen=seen).unknowns


def test_unknown_host_is_stopped_for_want_of_a_review() -> None:
    decision = decided("https://garden-tools.test/")

    assert decision.relationship_status == "unverified"
    assert decision.risk_status == "no_high_risk_signal_observed"
    assert decision.action_allowed is False
    assert decision.reason_codes == ("no_decisive_signal",)
    assert decision.unknowns == ("official_relationship_not_confirmed",)
    assert decision.confidence_class == "medium"
    assert decision.official_alternative is None


@pytest.mark.parametrize("action", ACTIONS)
def test_reviewed_destination_with_all_evidence_is_allowed_every_action(action: str) -> None:
    decision = decided("https://pay.acme.example/", action)

    assert decision.action_allowed is True
    assert decision.relationship_status == "verified_official"
    assert decision.reason_codes == ("official_relationship_verified",)
    assert decision.unknowns == ()
    assert decision.confidence_class == "high"
    assert decision.deciding == ()


def test_an_action_that_is_not_named_is_never_allowed() -> None:
    decision = decided("https://acme.example/", UNSPECIFIED)

    assert decision.action == "unspecified"
    assert decision.action_allowed is False
    assert decision.deciding == ("action",)


def test_offline_examples_have_one_reason_and_name_missing_checks() -> None:
    bad = decided("https://acm3.test/", seen=None, further=())
    unknown = decided("https://garden-tools.test/", seen=None, further=())

    assert bad.reason_codes == ("brand_impersonation_signal",)
    assert unknown.reason_codes == ("no_decisive_signal",)
    assert bad.confidence_class == "high"
    assert unknown.confidence_class == "low"
    for decision in (bad, unknown):
        assert "tls_not_checked" in decision.unknowns
        assert "threat_list_not_configured" in decision.unknowns


def test_reviewed_destination_that_could_not_be_checked_is_stopped() -> None:
    decision = decided("https://acme.example/", seen=None)

    assert decision.action_allowed is False
    assert decision.reason_codes == ("official_relationship_verified", "required_evidence_missing")
    assert decision.expires_at == NOW + 2 * MINUTE


def test_a_missing_list_stops_payments_under_strict_only() -> None:
    baseline = decided("https://acme.example/", further=())
    strict = decided("https://acme.example/", further=(), policy="strict-2026-11-20")

    assert baseline.action_allowed is True
    assert baseline.unknowns == ("threat_list_not_configured",)
    assert strict.action_allowed is False
    assert decided("https://acme.example/", policy="strict").action_allowed is True


def test_a_list_match_stops_reviewed_destinations_and_visits() -> None:
    for action in ("payment", "visit"):
        decision = decided("https://acme.example/", action, further=(MATCH,))
        assert decision.action_allowed is False
        assert decision.risk_status == "high_risk_signal_observed"
        assert "threat_list_match" in decision.reason_codes
        assert decision.expires_at <= NOW + 60 * MINUTE


def test_shipped_reviews_lapse_after_a_year_to_the_day() -> None:
    reviewed = int(datetime(2026, 11, 20, tzinfo=UTC).timestamp() * 1000)
    last = reviewed + 365 * DAY - 1

    before = decided("https://acme.example/", now=last, seen=None)
    after = decided("https://acme.example/", now=last + 1, seen=None)

    assert before.relationship_status == "verified_official"
    assert before.expires_at == last + 1
    assert after.relationship_status == "unverified"
    assert after.reason_codes == ("relationship_review_expired",)


def test_untrusted_reviews_verify_nothing_and_still_name_imitations() -> None:
    assert decided("https://acme.example/", trust_shipped_reviews=False).relationship_status == "unverified"
    assert decided("https://acm3.test/", trust_shipped_reviews=False).official_alternative == "https://acme.example/"


def test_the_alternative_of_a_lapsed_review_is_marked() -> None:
    decision = decided("https://acm3.test/", now=NOW + 366 * DAY, seen=None)

    assert decision.relationship_status == "suspected_impersonation"
    assert decision.official_alternative == "https://acme.example/"
    assert "alternative_review_expired" in decision.unknowns


@pytest.mark.parametrize("host", ["acme-mail.example", "quillmart.example", "pay.quill.example"])
@pytest.mark.parametrize("action", sorted(set(ACTIONS) - {"visit"}))
def test_an_unreviewed_domain_is_a_claim_and_no_more(host: str, action: str) -> None:
    decision = decided(f"https://{host}/", action)

    assert decision.relationship_status == "claimed_unreviewed"
    assert decision.reason_codes == ("relationship_claim_unreviewed",)
    assert decision.action_allowed is False


def test_no_unreviewed_domain_of_the_shipped_registry_verifies_anything() -> None:
    for domain in WORLD.further:
        target = normalise(f"https://{domain}/")
        if not {target.host, target.registrable} & WORLD.official.keys():
            found = standing(target, shipped(WORLD, target), (), WORLD, NOW)
            assert found.status == "claimed_unreviewed", domain


def test_a_brand_without_reviewed_home_accuses_no_host() -> None:
    decision = decided("https://quillmart-login.test/")

    assert decision.relationship_status == "unverified"
    assert not [each for each in decision.evidence if each.brand]
    assert decision.official_alternative is None


def test_a_page_claiming_an_unreviewed_brand_is_not_accused() -> None:
    claim = Evidence(type="structured_data_claim", status="observed", id="c", strength="strong", brand="quillmart")

    assert imitation([claim], SMALL) is None
    assert imitation([claim, msgspec.structs.replace(claim, brand="acme")], SMALL) is SMALL.brands["acme"]


@pytest.mark.parametrize(("over", "status"), [("acme-mail.example", "elevated"), ("stranger.test", "high")])
def test_a_reviewed_destination_with_an_unreviewed_redirect_is_stopped(over: str, status: str) -> None:
    hops = tuple(Hop(scheme="https", host=host, port=443) for host in ("acme.example", over))
    seen = everything_seen("acme.example", http=HttpObservation(status="observed", hops=hops, **TIMES))

    decision = decided("https://acme.example/", seen=seen)

    assert decision.action_allowed is False
    assert decision.risk_status == f"{status}_risk_signal_observed"
    assert "redirect_to_other_domain" in decision.reason_codes


def test_dispute_that_a_reviewer_upheld_stops_everything_at_once() -> None:
    disputed = Relationship(id="r", domain="acme.example", entity="acme", state="disputed")

    for action in ACTIONS:
        decision = decided("https://acme.example/", action, relationships=(disputed,))
        assert decision.action_allowed is False
        assert decision.reason_codes == ("relationship_disputed",)


@pytest.mark.parametrize("state", ["unreviewed", "in_review", "rejected", "revoked", "expired"])
def test_only_an_accepted_relationship_verifies(state: str) -> None:
    claim = Relationship(
        id="r", domain="shop.test", entity="acme", state=state, reviewed_at=NOW - DAY, review_expires_at=NOW + DAY
    )

    assert decided("https://shop.test/", relationships=(claim,)).action_allowed is False


def test_a_reviewed_delegate_is_an_affiliate_for_payments() -> None:
    review = Relationship(
        id="r",
        domain="checkout.test",
        entity="acme",
        relation="affiliate",
        state="accepted",
        reviewed_at=NOW - DAY,
        review_expires_at=NOW + MINUTE,
        grave=True,
    )

    decision = decided("https://acme.checkout.test/", relationships=(review,))

    assert decision.relationship_status == "verified_affiliate"
    assert decision.action_allowed is True
    assert decision.expires_at == NOW + MINUTE


def test_a_tenant_never_inherits_the_review_of_its_host() -> None:
    whole = Relationship(
        id="r", domain="weebly.com", entity="host", state="accepted", reviewed_at=NOW, review_expires_at=NOW + DAY
    )
    tenant = msgspec.structs.replace(whole, domain="shop.weebly.com", scope="host")

    assert decided("https://shop.weebly.com/", relationships=(whole,)).relationship_status == "unverified"
    assert decided("https://shop.weebly.com/", relationships=(tenant,)).relationship_status == "verified_official"


def test_third_party_publishing_gains_nothing_from_owner_reviews() -> None:
    case = DecisionInput(decision_id="d", target=normalise("https://sites.google.com/view/x"), action="login", now=NOW)

    assert decide(case, WORLD).relationship_status == "claimed_unreviewed"


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1/", "https://[::1]/", "http://2130706433/", "https://localhost/", "https://printer.local/"]
)
def test_a_private_address_is_a_decision_like_any_other(url: str) -> None:
    for seen in (None, everything_seen("x.test")):
        decision = decided(url, "visit", seen=seen)
        assert decision.action_allowed is False
        assert decision.risk_status == "risk_not_assessed"
        assert decision.reason_codes == ("non_public_address",)


TIMES = {"observed_at": NOW, "valid_until": NOW + MINUTE}


@pytest.mark.parametrize(
    ("part", "seen", "reason"),
    [
        ("tls", TlsObservation(status="observed", valid=False, error="name_mismatch", **TIMES), "insecure_transport"),
        ("dns", DnsObservation(status="observed", not_public=True, **TIMES), "non_public_address"),
        (
            "registration",
            RegistrationObservation(status="observed", registered_at=NOW - 3 * DAY, **TIMES),
            "recently_registered",
        ),
        (
            "http",
            HttpObservation(
                status="observed",
                hops=(Hop(scheme="https", host="acme.example", port=443), Hop(scheme="https", host="x.test", port=443)),
                **TIMES,
            ),
            "redirect_to_other_domain",
        ),
    ],
)
def test_network_evidence_against_a_reviewed_destination_stops_payments(part: str, seen: object, reason: str) -> None:
    decision = decided("https://acme.example/", seen=everything_seen("acme.example", **{part: seen}))

    assert decision.action_allowed is False
    assert reason in decision.reason_codes


def test_a_payment_over_an_open_connection_is_stopped() -> None:
    decision = decided("http://acme.example/")

    assert decision.action_allowed is False
    assert "insecure_transport" in decision.reason_codes


@pytest.mark.parametrize(("action", "minutes"), [("payment", 5), ("upload", 10), ("visit", 10)])
def test_an_allow_expires_with_its_tier_and_evidence(action: str, minutes: int) -> None:
    assert decided("https://acme.example/", action).expires_at == NOW + minutes * MINUTE


@pytest.mark.parametrize("status", ["failed", "not_attempted", "not_observed"])
@pytest.mark.parametrize("part", ["dns", "tls", "http"])
def test_a_check_that_failed_is_not_evidence(part: str, status: str) -> None:
    seen = everything_seen("acme.example")
    poorer = msgspec.structs.replace(seen, **{part: msgspec.structs.replace(getattr(seen, part), status=status)})

    decision = decided("https://acme.example/", seen=poorer)

    assert decision.action_allowed is False
    assert decision.reason_codes == ("official_relationship_verified", "required_evidence_missing")


@pytest.mark.parametrize("shift", [-1, 3_600_000])
def test_outdated_and_future_evidence_does_not_count(shift: int) -> None:
    decision = decided("https://acme.example/", now=NOW + shift, further=())

    assert decision.action_allowed is False
    assert "evidence" in decision.deciding


def test_third_parties_cannot_supply_our_own_evidence() -> None:
    pieces = tuple(Evidence(type=kind, status="observed", observed_at=NOW) for kind in EVIDENCE_TYPES)

    decision = decided("https://acme.example/", seen=None, further=pieces)

    assert decision.action_allowed is False
    assert not decided("https://garden-tools.test/", further=pieces).action_allowed


def test_an_error_on_the_way_is_a_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    def lie(*_: object) -> None:
        raise RuntimeError(CANARY)

    monkeypatch.setattr("waypost.safety.decide.standing", lie)

    decision = decided("https://acme.example/")

    assert decision.action_allowed is False
    assert "policy_input_incomplete" in decision.unknowns
    assert CANARY not in repr(decision)


def test_an_absent_policy_is_rejected_before_any_check() -> None:
    with pytest.raises(UnknownPolicy):
        decided("https://acme.example/", policy="lenient")


statuses = st.sampled_from(["observed", "not_observed", "not_attempted", "failed"])


@given(
    st.sampled_from(["acme.example", "acme-login.test", "garden-tools.test", "acme-mail.example", "shop.weebly.com"]),
    st.sampled_from([*ACTIONS, UNSPECIFIED]),
    st.tuples(statuses, statuses, statuses, statuses),
    st.integers(min_value=-DAY, max_value=2 * DAY),
    st.lists(
        st.builds(
            Evidence,
            type=st.sampled_from(EVIDENCE_TYPES),
            status=st.sampled_from(EVIDENCE_STATUSES),
            observed_at=st.none() | st.just(NOW),
        ),
        max_size=4,
    ),
)
def test_any_sensitive_allow_needs_a_review_and_complete_evidence(
    host: str, action: str, seen: tuple[str, str, str, str], later: int, further: list[Evidence]
) -> None:
    """Missing evidence never becomes approval."""
    whole = everything_seen(host)
    poorer = msgspec.structs.replace(
        whole,
        **{
            name: msgspec.structs.replace(getattr(whole, name), status=status)
            for name, status in zip(("dns", "tls", "http", "registration"), seen, strict=True)
        },
    )

    decision = decided(f"https://{host}/", action, seen=poorer, now=NOW + later, further=tuple(further))

    assert decision.expires_at >= NOW + later
    assert decision.reason_codes
    assert (decision.official_alternative is None) == (decision.relationship_status != "suspected_impersonation")
    if decision.action_allowed and action != "visit":
        assert host == "acme.example"
        assert seen[:3] == ("observed", "observed", "observed")
        assert 0 <= later < 10 * MINUTE
        assert decision.risk_status == "no_high_risk_signal_observed"


def test_a_decision_is_the_same_from_the_same_inputs() -> None:
    assert decided("https://acme-login.test/") == decided("https://acme-login.test/")


def test_every_signal_has_its_page_and_a_source() -> None:
    for name, signal in catalogue().items():
        assert "Source:" in signal.doc, name
        assert "read 2026-" in signal.doc, name


def test_a_recorded_case_repeats_exactly_without_a_path() -> None:
    target = normalise(f"https://{CANARY}:{CANARY}@acme-login.test/{CANARY}?{CANARY}#{CANARY}")
    case = DecisionInput(
        decision_id="d", target=target, action="login", now=NOW, seen=everything_seen(target.host), further=(NO_MATCH,)
    )

    encoded = msgspec.json.encode(case)
    again = msgspec.json.decode(encoded, type=DecisionInput)

    assert CANARY.encode() not in encoded
    assert msgspec.json.encode(decide(again, SMALL)) == msgspec.json.encode(decide(case, SMALL))
