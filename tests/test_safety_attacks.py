"""Ways to an approval that somebody tried, and that lead nowhere."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest

from waypost.errors import InvalidUrl, PolicyError
from waypost.models.decision import ACTIONS, UNSPECIFIED, Decision, Evidence
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
from waypost.safety import policy as policies
from waypost.safety.decide import decide
from waypost.safety.decision_input import DecisionInput
from waypost.safety.policy import GRAVE, HARMLESS, find
from waypost.safety.target import normalise

NOW = int(datetime(2026, 11, 20, 12, tzinfo=UTC).timestamp() * 1000)
MINUTE, DAY = 60_000, 86_400_000
TIMES = {"observed_at": NOW, "valid_until": NOW + 10 * MINUTE}
BRAND = """{"slug": "acme", "names": ["ACME"], "aliases": [], "owner": "acme", "categories": ["payments"],
  "countries": [], "tokens": ["acmepayments"], "short_or_common_tokens": ["acme"], "official_domains": [
    {"domain": "acme.example", "role": "principal", "reviewed": "2026-11-20", "sources": ["hand"]},
    {"domain": "acme.test", "role": "principal", "reviewed": "2025-12-01", "sources": ["hand"]}],
  "further_domains": []}"""
FRENCH = """{"slug": "creme-doree", "names": ["Crème Dorée"], "aliases": [], "owner": "creme-doree", "categories": [],
  "countries": ["FR"], "tokens": ["cremedoree", "doreebank"], "short_or_common_tokens": ["palla"], "official_domains": [
    {"domain": "doree.gov.example", "role": "principal", "reviewed": "2026-11-20", "sources": ["hand"]}],
  "further_domains": []}"""
ENDING = {"policy_id": "ending", "date": "2026-11-20", "until": "2026-11-20"}


def world(**more: bytes) -> World:
    shipped = load().files
    content = msgspec.json.decode(shipped["suffixes/user-content.json"])
    content["domains"] += ["pages.acme.example"]
    ending = msgspec.json.decode(shipped["policies/baseline-2026-11-20.json"]) | ENDING
    files = {path: data for path, data in shipped.items() if not path.startswith("brands/")}
    files |= {"brands/c/creme-doree.json": FRENCH.encode()}
    files |= {"brands/a/acme.json": BRAND.encode(), "suffixes/user-content.json": msgspec.json.encode(content)}
    return World(files | {"policies/ending-2026-11-20.json": msgspec.json.encode(ending)})


SMALL = world()


def seen_at(host: str, *over: str, scheme: str = "https", port: int = 443) -> Observations:
    hops = (Hop(scheme=scheme, host=host, port=port), *(Hop(scheme="https", host=each, port=443) for each in over))
    return Observations(
        host=host,
        observed_at=NOW,
        dns=DnsObservation(status="observed", addresses=("192.0.2.7",), ttl_s=600, **TIMES),
        tls=TlsObservation(status="observed", valid=True, **TIMES),
        http=HttpObservation(status="observed", hops=hops, answer=200, **TIMES),
        registration=RegistrationObservation(status="observed", registered_at=NOW - 900 * DAY, **TIMES),
    )


def checked(url: str, action: str = "payment", **changes: object) -> Decision:
    target = normalise(url)
    given = {"now": NOW, "seen": seen_at(target.host, scheme=target.scheme, port=target.port)} | changes
    return decide(DecisionInput(decision_id="d", target=target, action=action, **given), SMALL)


def review(**changes: object) -> Relationship:
    made = Relationship(
        id="r", domain="shop.test", entity="shop", state="accepted", reviewed_at=NOW - DAY, review_expires_at=NOW + DAY
    )
    return msgspec.structs.replace(made, **changes)


@pytest.mark.parametrize("action", ACTIONS)
def test_one_reviewers_acceptance_for_all_permits_reversible_actions_only(action: str) -> None:
    one = checked("https://shop.test/", action, relationships=(review(),))
    two = checked("https://shop.test/", action, relationships=(review(grave=True),))

    assert two.action_allowed is True
    assert one.relationship_status == "verified_official"
    assert one.action_allowed is (action not in GRAVE)
    if action in GRAVE:
        assert one.deciding == ("evidence", "confidence")
        assert one.reason_codes == ("official_relationship_verified", "required_evidence_missing")
        assert "official_relationship_not_confirmed" in one.unknowns
        assert any("takes the review of two" in each.detail for each in one.evidence)


def test_review_that_carries_more_is_the_one_that_counts() -> None:
    longer = review(id="s", review_expires_at=NOW + 9 * DAY)

    assert checked("https://shop.test/", relationships=(longer, review(grave=True))).action_allowed is True


def test_narrow_review_of_one_person_hides_no_weightier_one() -> None:
    narrow = review(domain="acme.example", scope="host")

    assert checked("https://acme.example/", relationships=(narrow,)).action_allowed is True


@pytest.mark.parametrize("scope", ["registrable", "host"])
def test_a_doubt_about_the_exact_host_counts_everywhere(scope: str) -> None:
    doubt = review(domain="www.acme.example", scope=scope, state="disputed")

    assert checked("https://www.acme.example/", relationships=(doubt,)).reason_codes == ("relationship_disputed",)
    assert checked("https://pay.acme.example/", relationships=(doubt,)).action_allowed is True


@pytest.mark.parametrize("part", ["dns", "tls", "http"])
def test_one_part_from_the_future_spoils_a_check(part: str) -> None:
    seen = seen_at("acme.example")
    ahead = msgspec.structs.replace(getattr(seen, part), observed_at=NOW + 1)

    assert checked("https://acme.example/", seen=msgspec.structs.replace(seen, **{part: ahead})).action_allowed is False


def test_the_gravest_actions_are_those_of_the_strictest_tier() -> None:
    for name in ("baseline", "strict"):
        assert {*find(SMALL, name).tier(UNSPECIFIED).actions, UNSPECIFIED} == GRAVE


@pytest.mark.parametrize(
    "changes",
    [
        {"reviewed_at": None},
        {"review_expires_at": None},
        {"reviewed_at": NOW + 1},
        {"review_expires_at": NOW},
        {"review_expires_at": NOW + 365 * DAY},
        {"reviewed_at": NOW - 400 * DAY, "review_expires_at": NOW + 4000 * DAY},
    ],
)
def test_an_undated_or_overlong_review_verifies_nothing(changes: dict[str, object]) -> None:
    decision = checked("https://shop.test/", relationships=(review(grave=True, **changes),))

    assert decision.relationship_status == "unverified"
    assert decision.action_allowed is False


@pytest.mark.parametrize(
    "seen",
    [
        seen_at("acme.test"),
        seen_at("www.acme.example"),
        seen_at("acme.example", port=8443),
        seen_at("acme.example", scheme="http", port=80),
    ],
)
def test_evidence_of_another_place_does_not_count(seen: Observations) -> None:
    decision = checked("https://acme.example/", seen=seen)

    assert decision.action_allowed is False
    assert "tls_not_checked" in decision.unknowns


def test_a_policy_after_its_last_day_allows_nothing() -> None:
    midnight = NOW + DAY // 2
    last = checked("https://acme.example/", "visit", policy="ending", now=midnight - 1, seen=None)
    over = checked("https://acme.example/", "visit", policy="ending", now=midnight, seen=None)

    assert (last.action_allowed, last.expires_at) == (True, midnight)
    assert over.action_allowed is False
    assert "policy_input_incomplete" in over.unknowns


def test_a_policy_that_ends_on_no_day_is_rejected() -> None:
    data = msgspec.json.decode(SMALL.files["policies/ending-2026-11-20.json"]) | {"until": "someday"}

    with pytest.raises(PolicyError, match="until"):
        policies.read(msgspec.json.encode(data), "ending-2026-11-20")


@pytest.mark.parametrize(
    ("host", "over", "allowed"),
    [
        ("acme.example", "www.acme.example", True),
        ("acme.example", "acme.test", True),
        ("acme.example", "pages.acme.example", False),
        ("acme.example", "x.pages.acme.example", False),
        ("acme.example", "stranger.test", False),
    ],
)
def test_a_reviewed_place_may_redirect_to_its_owner_only(host: str, over: str, allowed: bool) -> None:
    assert checked(f"https://{host}/", seen=seen_at(host, over)).action_allowed is allowed


def test_only_a_valid_trusted_review_shares_an_owner() -> None:
    seen = seen_at("acme.example", "acme.test")
    lapsed = NOW + 30 * DAY  # acme.test was reviewed a year before
    later = {"observed_at": lapsed, "valid_until": lapsed + MINUTE}
    then = msgspec.structs.replace(
        seen, **{name: msgspec.structs.replace(getattr(seen, name), **later) for name in ("dns", "tls", "http")}
    )
    own = (review(domain="acme.example", grave=True),)

    assert checked("https://acme.example/", seen=then, now=lapsed).action_allowed is False
    assert checked("https://acme.example/", seen=seen, relationships=own).action_allowed is True
    assert (
        checked("https://acme.example/", seen=seen, relationships=own, trust_shipped_reviews=False).action_allowed
        is False
    )


@pytest.mark.parametrize("host", ["x.pages.acme.example", "y.x.pages.acme.example"])
def test_no_name_below_a_platform_inherits_its_review(host: str) -> None:
    assert checked(f"https://{host}/").relationship_status != "verified_official"


@pytest.mark.parametrize(
    "host",
    [
        "team.atlassian.net",
        "team.my.salesforce.com",
        "shop.en.alibaba.com",
        "someone.free.fr",
        "someone.perso.orange.fr",
        "anything.hosting.ovh.net",
        "www.anything.hosting.ovh.net",
        "a.new.express.adobe.com",
        "x.docs.google.com",
    ],
)
@pytest.mark.parametrize("action", sorted(set(ACTIONS) - HARMLESS))
def test_no_tenant_of_a_brand_is_the_brand(host: str, action: str) -> None:
    target = normalise(f"https://{host}/")

    decision = decide(DecisionInput(decision_id="d", target=target, action=action, now=NOW, seen=seen_at(host)), load())

    assert not decision.relationship_status.startswith("verified")
    assert decision.action_allowed is False


def test_a_private_suffix_belongs_to_owner_or_tenant() -> None:
    whole, one = normalise("https://github.io/"), normalise("https://anything.hosting.ovh.net/")

    assert (whole.registrable, whole.hosted) == ("github.io", False)
    assert (one.registrable, one.hosted) == ("anything.hosting.ovh.net", True)


@pytest.mark.parametrize("host", ["acme.example..", ".acme.example", "acme..example"])
def test_a_host_with_an_empty_label_is_none(host: str) -> None:
    with pytest.raises(InvalidUrl):
        normalise(f"https://{host}/")


def test_a_registration_from_the_future_is_a_young_one() -> None:
    seen = seen_at("acme.example")
    young = msgspec.structs.replace(seen.registration, registered_at=NOW + 5 * DAY)

    decision = checked("https://acme.example/", seen=msgspec.structs.replace(seen, registration=young))

    assert "recently_registered" in decision.reason_codes
    assert decision.action_allowed is False


@pytest.mark.parametrize(("brand", "allowed"), [("acme", True), ("other", False)])
def test_a_page_that_names_its_reviewed_owner_is_harmless(brand: str, allowed: bool) -> None:
    message = Evidence(
        type="structured_data_claim",
        status="observed",
        id="sd.claims-other-domain",
        summary_code="structured_data_claims_other_domain",
        strength="strong",
        brand=brand,
        observed_at=NOW,
    )
    owned = (review(domain="shop.test", entity="acme", grave=True),)

    assert checked("https://shop.test/", relationships=owned, further=(message,)).action_allowed is allowed


@pytest.mark.parametrize(
    ("host", "imitated"),
    [
        ("crème-dorée.example", False),
        ("cremédoree.example", True),
        ("doreebank-musée.example", False),
        ("dõreebank-musée.example", True),
        ("doreebank-dõreebank.example", True),
    ],
)
def test_an_accent_in_another_word_imitates_no_brand(host: str, imitated: bool) -> None:
    codes = {each.summary_code for each in checked(f"https://{host}/", "visit", seen=None).evidence}

    assert ("homoglyph_of_brand" in codes) is imitated


@pytest.mark.parametrize(
    ("host", "strength"),
    [
        ("pallà.test", "medium"),
        ("pallà-login.test", "decisive"),
        ("pallȧ.test", "decisive"),
        ("\u0440\u0430\u04cf\u04cf\u0430.test", "decisive"),
        ("\u0430\u0441\u043c\u0435.test", "decisive"),
        ("paílla.test", None),
    ],
    ids=[
        "accent",
        "accent and action",
        "rare accent",
        "Cyrillic with palochka",
        "Cyrillic in small type",
        "other word",
    ],
)
def test_an_accented_word_is_similar_and_foreign_letters_imitate(host: str, strength: str | None) -> None:
    found = checked(f"https://{host}/", "visit", seen=None).evidence

    assert {each.strength for each in found if each.summary_code == "homoglyph_of_brand"} == ({strength} - {None})


def test_names_below_an_owners_host_share_its_owner() -> None:
    below = checked("https://cremedoree-login.doree.gov.example/", "visit", seen=None)
    adjacent = checked("https://cremedoree-login.test/", "visit", seen=None)

    assert all(each.brand != "creme-doree" for each in below.evidence)
    assert "creme-doree" in {each.brand for each in adjacent.evidence}
    assert adjacent.risk_status == "elevated_risk_signal_observed"
