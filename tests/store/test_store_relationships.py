"""From a claim to a review and what may come of it; what may not come of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from tests.postgres import INTEGRITY_ERRORS

from waypost.models.relationship import STATES, Claim, RelationshipState
from waypost.store import Store, relationships
from waypost.store.errors import ReviewError, UnknownRelationship
from waypost.store.relationships import DAY_MS, EDGES, LONGEST_REVIEW_DAYS

NOW = 1_795_000_000_000
Make = Callable[..., Claim]

# Written out once more, on purpose: the table in the code must not change without this one.
ALLOWED = {
    ("unreviewed", "in_review"),
    ("in_review", "accepted"),
    ("in_review", "rejected"),
    ("in_review", "unreviewed"),
    ("accepted", "disputed"),
    ("accepted", "revoked"),
    ("accepted", "expired"),
    ("disputed", "accepted"),
    ("disputed", "revoked"),
    ("expired", "in_review"),
}


def submit(store: Store, claim: Claim, now: int = NOW) -> str:
    return store.write(lambda db: relationships.submit(db, claim, now)).id


def act(store: Store, what: Callable[..., Any], name: str, who: str, now: int = NOW, *more: Any, **named: Any) -> Any:
    return store.write(lambda db: what(db, name, who, now, *more, **named))


def about(store: Store, host: str, domain: str, organization: str = "") -> list[str]:
    found = store.read(lambda db: relationships.about(db, host, domain, organization))
    return [f"{each.entity} {each.state}" for each in found]


def events(store: Store, name: str) -> list[str]:
    return [f"{each.act} by {each.actor}" for each in store.read(lambda db: relationships.history(db, name))]


def in_state(store: Store, claim: Claim, state: RelationshipState) -> str:
    name = submit(store, claim)
    if state != "unreviewed":
        act(store, relationships.take_up, name, "bea")
    if state == "rejected":
        act(store, relationships.reject, name, "bea", NOW, "no")
    if state in {"accepted", "disputed", "revoked", "expired"}:
        act(store, relationships.accept, name, "bea", days=10)
    if state == "disputed":
        act(store, relationships.dispute, name, "bea", NOW, "doubts")
    if state == "revoked":
        act(store, relationships.revoke, name, "bea", NOW, "sold")
    if state == "expired":
        store.write(lambda db: relationships.expire(db, NOW + 10 * DAY_MS))
    return name


@pytest.mark.parametrize(("before", "after"), list(product(STATES, STATES)))
def test_a_step_outside_the_table_is_rejected(
    store: Store, claim: Make, before: RelationshipState, after: RelationshipState
) -> None:
    name = in_state(store, claim(), before)
    review = (NOW, NOW + DAY_MS, "operator") if after == "accepted" else None

    def step(db: sqlite3.Connection) -> RelationshipState:
        return relationships._step(db, name, after, "cid", NOW, "because", review).state

    if (before, after) in ALLOWED:
        assert store.write(step) == after
        assert events(store, name)[-1].endswith("by cid")
    else:
        with pytest.raises(ReviewError, match=f"is {before} and cannot become {after}"):
            store.write(step)
        assert store.read(lambda db: relationships.get(db, name)).state == before


def test_table_holds_every_state_and_begins_with_a_claim() -> None:
    assert set(EDGES) == {None, *STATES}
    assert dict(EDGES[None]) == {"unreviewed": "submitted"}
    assert {(before, after) for before, steps in EDGES.items() if before for after in steps} == ALLOWED


def test_claim_stays_a_claim_until_another_person_accepts_it(store: Store, claim: Make) -> None:
    name = submit(store, claim())
    assert about(store, "acme.example", "acme.example") == ["acme unreviewed"]

    with pytest.raises(ReviewError, match=r"ann submitted .* someone else must review it"):
        act(store, relationships.accept, name, "ann")
    assert about(store, "acme.example", "acme.example") == ["acme unreviewed"]

    act(store, relationships.accept, name, "bea", reason="seen on its imprint")
    assert about(store, "acme.example", "acme.example") == ["acme accepted"]
    assert events(store, name) == ["submitted by ann", "taken_up by bea", "accepted by bea"]


def test_a_review_needs_a_name(store: Store, claim: Make) -> None:
    name = submit(store, claim())

    with pytest.raises(ReviewError, match="needs the name"):
        act(store, relationships.accept, name, " ")


@pytest.mark.parametrize("kind", ["official_login", "official_payment"])
def test_login_and_payment_need_two_different_reviewers(store: Store, claim: Make, kind: str) -> None:
    name = submit(store, claim(type=kind))

    half = act(store, relationships.accept, name, "bea")
    assert (half.state, half.approvals, half.needed) == ("in_review", ("bea",), 2)
    with pytest.raises(ReviewError, match="bea has already approved"):
        act(store, relationships.accept, name, "bea")
    with pytest.raises(ReviewError, match="ann submitted"):
        act(store, relationships.accept, name, "ann")
    whole = act(store, relationships.accept, name, "cid")

    assert whole.state == "accepted"
    assert events(store, name) == ["submitted by ann", "taken_up by bea", "approved by bea", "accepted by cid"]


@pytest.mark.parametrize(
    "alike",
    [
        *("Bea", "b\u0435a", "be\u0430", "b\u00e9a", "be\u200ba", "\uff42\uff45\uff41"),
        *("bea ", "bea.", "b-ea", "bea\u3164", "be\uffa0a", "b\u115fea"),
    ],
)
def test_two_names_that_are_confusable_are_one_reviewer(store: Store, claim: Make, alike: str) -> None:
    name = submit(store, claim(type="official_payment"))
    site = submit(store, claim(type="official_site", submitter="bea", domain="other.test"))
    act(store, relationships.accept, name, "bea")

    with pytest.raises(ReviewError, match="already approved"):
        act(store, relationships.accept, name, alike)
    with pytest.raises(ReviewError, match="submitted"):
        act(store, relationships.accept, site, alike)


def test_approval_from_before_changes_were_requested_counts_no_more(store: Store, claim: Make) -> None:
    name = submit(store, claim(type="official_payment"))
    act(store, relationships.accept, name, "bea")
    act(store, relationships.send_back, name, "cid", NOW, "which account?")

    again = act(store, relationships.accept, name, "cid")

    assert (again.state, again.approvals) == ("in_review", ("cid",))


def test_a_doubt_about_a_payment_needs_two_to_end(store: Store, claim: Make) -> None:
    name = submit(store, claim(type="official_payment"))
    for who in ("bea", "cid"):
        act(store, relationships.accept, name, who, days=30)
    act(store, relationships.dispute, name, "dan", NOW, "a customer complains")

    assert act(store, relationships.accept, name, "bea").state == "disputed"
    laid = act(store, relationships.accept, name, "cid", NOW + DAY_MS)

    assert laid.state == "accepted"
    assert laid.review_expires_at == NOW + 30 * DAY_MS


def test_a_dispute_that_outlived_its_review_stays(store: Store, claim: Make) -> None:
    name = in_state(store, claim(), "disputed")

    with pytest.raises(ReviewError, match="has lapsed meanwhile; revoke it"):
        act(store, relationships.accept, name, "cid", NOW + 10 * DAY_MS)
    assert about(store, "acme.example", "acme.example") == ["acme disputed"]


def test_an_own_relationship_takes_one_reviewer_and_stays_private(store: Store, claim: Make) -> None:
    name = submit(store, claim(type="official_payment", organization="org_1"))

    assert act(store, relationships.accept, name, "bea").review_source == "organization 2026-11-18"
    assert about(store, "acme.example", "acme.example", "org_1") == ["acme accepted"]
    assert about(store, "acme.example", "acme.example", "org_2") == []
    assert about(store, "acme.example", "acme.example") == []


@pytest.mark.parametrize("days", [0, -1, LONGEST_REVIEW_DAYS + 1])
def test_no_review_holds_longer_than_a_year(store: Store, claim: Make, days: int) -> None:
    name = submit(store, claim())

    with pytest.raises(ReviewError, match="1 to 365 days"):
        act(store, relationships.accept, name, "bea", days=days)
    with pytest.raises(INTEGRITY_ERRORS):
        store.write(
            lambda db: db.execute(
                "UPDATE relationship SET reviewed_at = 0, review_expires_at = ? WHERE id = ?", (366 * DAY_MS, name)
            )
        )


def test_a_review_lapses_and_may_be_made_again(store: Store, claim: Make) -> None:
    name = in_state(store, claim(), "accepted")
    until = NOW + 10 * DAY_MS

    assert store.write(lambda db: relationships.expire(db, until - 1)) == 0
    assert store.write(lambda db: relationships.expire(db, until)) == 1
    assert about(store, "acme.example", "acme.example") == ["acme expired"]
    again = act(store, relationships.accept, name, "cid", until)

    assert again.state == "accepted"
    assert again.review_expires_at == until + LONGEST_REVIEW_DAYS * DAY_MS
    assert events(store, name)[-3:] == ["expired by clock", "taken_up by cid", "accepted by cid"]


def test_a_rejected_or_withdrawn_claim_verifies_no_domain(store: Store, claim: Make) -> None:
    in_state(store, claim(), "rejected")
    in_state(store, claim(entity="other"), "revoked")

    assert about(store, "acme.example", "acme.example") == []


def test_a_domain_has_one_owner_and_many_affiliate_users(store: Store, claim: Make) -> None:
    mine = in_state(store, claim(), "accepted")
    rival = submit(store, claim(entity="other", entity_name="Other"))
    cashier = submit(store, claim(entity="other", entity_name="Other", type="affiliate"))

    with pytest.raises(ReviewError, match=f"already Acme's \\({mine}\\)"):
        act(store, relationships.accept, rival, "bea")
    assert act(store, relationships.accept, cashier, "bea").state == "accepted"
    act(store, relationships.revoke, mine, "bea", NOW, "sold")

    assert act(store, relationships.accept, rival, "bea").state == "accepted"


def test_host_on_a_shared_platform_is_accepted_by_itself(store: Store, claim: Make) -> None:
    name = submit(store, claim(domain="acme.hosting.test", scope="host"))
    act(store, relationships.accept, name, "bea")

    (found,) = store.read(lambda db: relationships.about(db, "acme.hosting.test", "hosting.test"))
    assert (found.scope, found.domain, found.relation) == ("host", "acme.hosting.test", "official")
    assert about(store, "other.hosting.test", "hosting.test") == []


def test_claims_that_depend_on_each_other_count_once(store: Store, claim: Make) -> None:
    first = store.write(lambda db: relationships.submit(db, claim(origin="acme.example", snapshot="a1"), NOW))
    for origin, snapshot in (("acme.example", "b2"), ("acme.example", "a1"), ("other.example", "c3")):
        again = store.write(lambda db, o=origin, s=snapshot: relationships.submit(db, claim(origin=o, snapshot=s), NOW))
        assert again == (first.id, False)

    record = store.read(lambda db: relationships.get(db, first.id))
    assert (record.claims, record.origins, record.state) == (3, 2, "unreviewed")


def test_a_domain_that_vouches_for_itself_verifies_nothing(store: Store, claim: Make) -> None:
    for number in range(20):
        submit(store, claim(origin="acme.example", submitter=f"robot{number}", snapshot=f"{number}"))

    assert about(store, "acme.example", "acme.example") == ["acme unreviewed"]


def test_a_claim_after_a_review_is_a_new_claim(store: Store, claim: Make) -> None:
    old = in_state(store, claim(), "rejected")

    assert submit(store, claim()) != old


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM relationship",
        "DELETE FROM relationship_claim",
        "DELETE FROM relationship_event",
        "UPDATE relationship_event SET actor = 'nobody'",
        "UPDATE relationship_claim SET origin = 'elsewhere'",
        "UPDATE relationship SET submitter = 'somebody else'",
        "UPDATE relationship SET domain = 'other.example'",
    ],
)
def test_no_part_of_the_history_can_be_changed(store: Store, claim: Make, statement: str) -> None:
    in_state(store, claim(), "accepted")

    with pytest.raises(INTEGRITY_ERRORS, match="never"):
        store.write(lambda db: db.execute(statement))


def test_an_unknown_relationship_is_reported_as_unknown(store: Store) -> None:
    for what in (relationships.get, relationships.history):
        with pytest.raises(UnknownRelationship, match="no relationship 'rel_x'"):
            store.read(lambda db, what=what: what(db, "rel_x"))


def test_a_list_goes_on_where_it_ended(store: Store, claim: Make) -> None:
    names = [submit(store, claim(domain=f"acme{n}.example"), NOW + n // 2) for n in range(5)]
    act(store, relationships.accept, names[1], "bea")
    submit(store, claim(organization="org_1"))

    first = store.read(lambda db: relationships.find_many(db, limit=2))
    rest = store.read(lambda db: relationships.find_many(db, after=first[-1]))

    assert {each.id for each in first + rest} == set(names)
    assert len(first + rest) == len(names)
    assert [each.id for each in store.read(lambda db: relationships.find_many(db, "accepted"))] == [names[1]]


def grave(store: Store) -> list[bool]:
    found = store.read(lambda db: relationships.about(db, "acme.example", "acme.example", "org_1"))
    return [each.grave for each in found]


@pytest.mark.parametrize("kind", ["official_site", "official_support", "official_app", "affiliate"])
def test_a_second_reviewer_gives_an_acceptance_its_weight(store: Store, claim: Make, kind: str) -> None:
    name = submit(store, claim(type=kind))
    first = act(store, relationships.accept, name, "bea", days=30)
    assert grave(store) == [False]

    for who, why in (("bea", "accepted already"), ("ann", "ann submitted"), (" ", "needs the name")):
        with pytest.raises(ReviewError, match=why):
            act(store, relationships.accept, name, who)
    assert grave(store) == [False]
    second = act(store, relationships.accept, name, "cid", NOW + DAY_MS)

    assert grave(store) == [True]
    assert (second.approvals, second.review_expires_at) == (("cid",), first.review_expires_at)
    assert events(store, name)[-2:] == ["accepted by bea", "approved by cid"]


def test_two_reviewers_before_a_doubt_are_insufficient_after_it(store: Store, claim: Make) -> None:
    name = submit(store, claim())
    for who in ("bea", "cid"):
        act(store, relationships.accept, name, who)
    act(store, relationships.dispute, name, "bea", NOW, "sold?")

    act(store, relationships.accept, name, "cid")

    assert grave(store) == [False]


def test_one_reviewer_is_enough_for_an_organization_itself(store: Store, claim: Make) -> None:
    payment, own = submit(store, claim(type="official_payment")), submit(store, claim(organization="org_1"))
    for who in ("bea", "cid"):
        act(store, relationships.accept, payment, who)
    act(store, relationships.accept, own, "bea")

    assert grave(store) == [True, True]
