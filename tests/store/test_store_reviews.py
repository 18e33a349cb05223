"""What waits for a person, who may decide it, and what everybody concerned is told."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from waypost.models.relationship import Claim, Relationship
from waypost.models.wire.disputes import DisputeRequest
from waypost.store import Store, audit, decisions, disputes, organizations, relationships, reviews
from waypost.store.decisions import DecisionRecord
from waypost.store.disputes import PUBLIC, STATUSES, Dispute, Status
from waypost.store.errors import Conflict, ReviewError, Unknown
from waypost.store.review_steps import STEPS, Review, possible, take
from waypost.store.reviews import ReviewItem

NOW = 1_795_000_000_000
DAY = 86_400_000
MakeClaim = Callable[..., Claim]
MakeGiven = Callable[..., DecisionRecord]
WORDING = DisputeRequest(
    claim="wrong_relationship", statement="the domain was sold", evidence=("https://news.example/",)
)


def submit(store: Store, organization: str, claim: Claim) -> str:
    return store.write(lambda db: reviews.submit(db, organization, claim, NOW)).id


def act(
    store: Store, what: str, organization: str, name: str, who: str, reason: str = "looked", **more: Any
) -> ReviewItem:
    return store.write(lambda db: take(db, what, organization, name, Review(who, NOW, reason, **more)))


def queue(store: Store, organization: str) -> list[str]:
    return [each.id for each in store.read(lambda db: reviews.queue(db, organization)).items]


def lodge(
    store: Store, given: DecisionRecord, wording: DisputeRequest = WORDING, who: str = "key:1", at: int = NOW
) -> Dispute:
    def work(db: Any) -> Dispute:
        decisions.put(db, given)
        return disputes.lodge(
            db, decisions.find(db, given.organization, given.id, at, given.environment), wording, who, at
        )

    return store.write(work)


def states(store: Store, organization: str = "", host: str = "acme.example") -> list[str]:
    return [each.state for each in store.read(lambda db: relationships.about(db, host, host, organization))]


def audit_of(store: Store, organization: str) -> list[str]:
    """The audit of an organization, without its beginning."""
    events = store.read(lambda db: audit.events(db, organization)).items[1:]
    return [f"{each.type} by {each.actor}" for each in events]


@pytest.fixture
def third(store: Store, operator: str) -> str:
    return store.write(lambda db: organizations.create(db, "Third", "ann", NOW)).id


def test_claims_for_all_wait_for_the_operator_alone(
    store: Store, operator: str, acme: str, third: str, claim: MakeClaim
) -> None:
    name = submit(store, acme, claim(submitter="key:a"))

    assert queue(store, operator) == [name]
    assert queue(store, acme) == queue(store, third) == []
    for other in (acme, third):
        for what in STEPS:
            with pytest.raises(Unknown, match="no such item"):
                act(store, what, other, name, "key:b")
    assert states(store) == ["unreviewed"]


def test_an_organizations_own_claim_concerns_it_alone(
    store: Store, operator: str, acme: str, third: str, claim: MakeClaim
) -> None:
    name = submit(store, acme, claim(submitter="key:a", organization=acme, type="official_payment"))

    assert queue(store, acme) == [name]
    assert queue(store, operator) == queue(store, third) == []
    for other in (operator, third):
        with pytest.raises(Unknown):
            act(store, "approve", other, name, "bea")
    act(store, "approve", acme, name, "key:b")
    assert states(store, acme) == ["accepted"]
    assert states(store, third) == states(store, operator) == states(store) == []


def test_no_one_files_a_claim_for_others_keys(store: Store, acme: str, third: str, claim: MakeClaim) -> None:
    with pytest.raises(Unknown):
        submit(store, acme, claim(organization=third))


def test_for_payments_two_reviewers_without_the_submitter_agree(
    store: Store, operator: str, acme: str, claim: MakeClaim
) -> None:
    name = submit(store, acme, claim(submitter="key:a", type="official_payment"))

    with pytest.raises(ReviewError, match="someone else must"):
        act(store, "approve", operator, name, "key:a")
    act(store, "approve", operator, name, "bea")
    with pytest.raises(ReviewError, match="already approved"):
        act(store, "approve", operator, name, "bea")
    assert states(store) == ["in_review"]

    act(store, "approve", operator, name, "cid")

    assert states(store) == ["accepted"]


def test_a_review_has_a_reason(store: Store, operator: str, claim: MakeClaim) -> None:
    name = submit(store, operator, claim())

    for what in ("approve", "reject", "request-changes"):
        with pytest.raises(ReviewError, match="needs its reason"):
            act(store, what, operator, name, "bea", " ")


def test_a_claim_is_sent_back_and_turned_down(store: Store, operator: str, claim: MakeClaim) -> None:
    name = submit(store, operator, claim())

    assert act(store, "request-changes", operator, name, "bea").relationship.state == "unreviewed"  # type: ignore[union-attr]
    assert act(store, "reject", operator, name, "bea").relationship.state == "rejected"  # type: ignore[union-attr]
    assert queue(store, operator) == []
    with pytest.raises(ReviewError, match="only a dispute or a doubt is upheld"):
        act(store, "uphold", operator, name, "bea")


def test_the_queue_pages_claims_and_disputes_in_order(
    store: Store, operator: str, acme: str, claim: MakeClaim, given: MakeGiven
) -> None:
    made = []
    for at in range(6):
        if at % 2:
            made.append(lodge(store, given(acme, created_at=NOW + at), at=NOW + at).id)
        else:
            filed = claim(domain=f"d{at}.example")
            made.append(store.write(lambda db, filed=filed, at=at: reviews.submit(db, acme, filed, NOW + at)).id)

    seen: list[str] = []
    position = None
    for _ in range(3):
        page = store.read(lambda db, after=position: reviews.queue(db, operator, limit=2, after=after))
        seen += [each.id for each in page.items]
        position = page.next

    assert seen == made == queue(store, operator)
    assert position is None
    kinds = [each.kind for each in store.read(lambda db: reviews.queue(db, operator)).items]
    assert kinds == ["relationship", "dispute"] * 3


def accepted(store: Store, operator: str, claim: Claim) -> str:
    name = submit(store, operator, claim)
    act(store, "approve", claim.organization or operator, name, "bea")
    return name


def test_open_dispute_changes_nothing_and_an_upheld_one_stops(
    store: Store, operator: str, acme: str, claim: MakeClaim, given: MakeGiven
) -> None:
    accepted(store, operator, claim())
    made = lodge(
        store, given(acme, normalized_domain="www.acme.example", members={"normalized_domain": "www.acme.example"})
    )
    assert (made.status, made.reviewed_by) == ("open", "operator")
    assert states(store) == ["accepted"]

    settled = act(store, "uphold", operator, made.id, "cid", "the register says so")

    assert settled.dispute is not None
    assert settled.dispute.status == "upheld"
    assert states(store) == ["disputed"]
    history = store.read(lambda db: disputes.history(db, acme, made.id))
    assert [(each.after, each.actor) for each in history] == [
        ("open", "key:1"),
        ("in_review", "operator"),
        ("upheld", "operator"),
    ]
    history = store.read(lambda db: disputes.history(db, operator, made.id))
    assert [each.actor for each in history] == ["key:1", "cid", "cid"]


def test_a_rejected_dispute_leaves_the_review_in_force(
    store: Store, operator: str, acme: str, claim: MakeClaim, given: MakeGiven
) -> None:
    accepted(store, operator, claim())
    made = lodge(store, given(acme))

    act(store, "reject", operator, made.id, "cid")

    assert store.read(lambda db: disputes.find(db, acme, made.id)).status == "rejected"
    assert states(store) == ["accepted"]
    assert queue(store, operator) == []


@pytest.mark.parametrize(
    ("complaint", "status", "after"),
    [
        ("outdated", "verified_official", ["disputed"]),
        ("wrong_domain", "verified_affiliate", ["disputed"]),
        ("wrong_risk", "verified_official", ["disputed"]),
        ("other", "verified_official", ["disputed"]),
        ("wrong_relationship", "suspected_impersonation", ["accepted", "disputed"]),
        ("wrong_risk", "unverified", ["accepted", "disputed"]),
    ],
)
def test_upholding_doubts_the_decisions_review_or_host(
    store: Store, operator: str, acme: str, claim: MakeClaim, given: MakeGiven, complaint: Any, status: str, after: str
) -> None:
    accepted(store, operator, claim())
    made = lodge(
        store, given(acme, members={"relationship_status": status}), DisputeRequest(claim=complaint, statement="no")
    )

    act(store, "uphold", operator, made.id, "cid")

    assert states(store) == after
    dispute = store.read(lambda db: disputes.find(db, acme, made.id))
    assert dispute.effect == ("relationship_disputed" if len(after) == 1 else "destination_disputed")
    assert "every action stops" in dispute.effect_detail


@pytest.mark.parametrize("complaint", disputes.COMPLAINTS)
def test_another_reviewer_ends_the_stop_of_a_dispute(
    store: Store, operator: str, acme: str, third: str, given: MakeGiven, complaint: Any
) -> None:
    made = lodge(
        store,
        given(acme, members={"relationship_status": "unverified"}),
        DisputeRequest(claim=complaint, statement="no"),
    )
    with pytest.raises(ReviewError, match="stops no host"):
        act(store, "approve", operator, made.id, "cid")

    act(store, "uphold", operator, made.id, "cid")

    assert [states(store, each) for each in ("", acme, third)] == [["disputed"]] * 3
    assert states(store, host="www.acme.example") == []
    assert queue(store, operator) == [made.id]
    with pytest.raises(ReviewError, match="someone else"):
        act(store, "approve", operator, made.id, "key:1")
    with pytest.raises(Unknown):
        act(store, "approve", acme, made.id, "cid")
    ended = act(store, "approve", operator, made.id, "cid", "the owner moved").dispute
    assert ended is not None
    assert (ended.status, ended.effect) == ("upheld", "ended")
    assert states(store) == []
    assert queue(store, operator) == []
    assert audit_of(store, operator)[-1] == "dispute.ended by cid"
    with pytest.raises(ReviewError, match="stops no host"):
        act(store, "approve", operator, made.id, "cid")


def test_a_step_without_effect_is_reported(store: Store, operator: str, acme: str, given: MakeGiven) -> None:
    opened = lodge(store, given(acme))
    rejected = act(store, "reject", operator, lodge(store, given(acme)).id, "cid").dispute
    trial = lodge(store, given(acme, environment="test"))

    assert rejected is not None
    for made, text in ((opened, "until a reviewer"), (rejected, "decisions stay"), (trial, "test key")):
        assert made.effect == "none"
        assert "changes nothing" in made.effect_detail
        assert text in made.effect_detail
    assert queue(store, operator) == [opened.id], "nobody reviews a dispute about a decision for a test key"
    with pytest.raises(Unknown):
        act(store, "uphold", operator, trial.id, "cid")


def test_the_public_form_has_caps(store: Store, operator: str, acme: str, given: MakeGiven) -> None:
    def knock(about: DecisionRecord, address: str) -> Dispute:
        return store.write(
            lambda db: disputes.lodge(
                db, decisions.find(db, acme, about.id, NOW), WORDING, disputes.PUBLIC, NOW, address=address
            )
        )

    first = given(acme)
    store.write(lambda db: decisions.put(db, first))
    made = knock(first, "192.0.2.1")
    for same in ("192.0.2.1", "::ffff:192.0.2.1"):
        with pytest.raises(Conflict, match="from your address"):
            knock(first, same)
    act(store, "reject", operator, made.id, "cid")
    knock(first, "192.0.2.1")
    knock(first, "2001:db8::1")
    with pytest.raises(Conflict, match="from your address"):
        knock(first, "2001:db8::2")
    for number in range(2, disputes.MOST_PUBLIC_OF_DECISION):
        knock(first, f"192.0.2.{number}")
    with pytest.raises(Conflict, match="several disputes"):
        knock(first, "192.0.2.99")
    for number in range(disputes.MOST_PUBLIC_OF_ORGANIZATION - disputes.MOST_PUBLIC_OF_DECISION):
        other = given(acme)
        store.write(lambda db, other=other: decisions.put(db, other))
        knock(other, f"198.51.100.{number % 250}")
    another = given(acme)
    store.write(lambda db: decisions.put(db, another))
    with pytest.raises(Conflict, match="too many disputes"):
        knock(another, "203.0.113.1")
    sources = store.read(lambda db: db.execute("SELECT opened_from FROM dispute").fetchall())
    assert not any("192.0.2" in source for (source,) in sources)
    lodge(store, given(acme))  # with a key it goes on


def test_a_separate_host_is_not_doubted_for_its_neighbours(
    store: Store, operator: str, acme: str, claim: MakeClaim, given: MakeGiven
) -> None:
    accepted(store, operator, claim(domain="a.host.example", scope="host"))
    made = lodge(store, given(acme, members={"normalized_domain": "b.a.host.example"}))

    act(store, "uphold", operator, made.id, "cid")

    assert states(store, host="a.host.example") == ["accepted"]


def test_a_doubted_relationship_waits_for_approval_or_revocation(
    store: Store, operator: str, acme: str, claim: MakeClaim, given: MakeGiven
) -> None:
    name = accepted(store, operator, claim())
    act(store, "uphold", operator, lodge(store, given(acme)).id, "cid")
    assert queue(store, operator) == [name]

    act(store, "approve", operator, name, "cid")
    assert states(store) == ["accepted"]
    act(store, "uphold", operator, lodge(store, given(acme)).id, "cid")
    act(store, "reject", operator, name, "cid", "it was sold")

    assert states(store) == []
    assert queue(store, operator) == []


def test_a_decision_by_an_own_review_is_disputed_there(
    store: Store, operator: str, acme: str, claim: MakeClaim, given: MakeGiven
) -> None:
    accepted(store, acme, claim(organization=acme))
    made = lodge(store, given(acme))

    assert made.reviewed_by == "organization"
    assert queue(store, acme) == [made.id]
    assert queue(store, operator) == []
    act(store, "uphold", acme, made.id, "cid")
    assert states(store, acme) == ["disputed"]


def test_a_review_for_all_leaves_disputes_to_the_operator(
    store: Store, operator: str, acme: str, claim: MakeClaim, given: MakeGiven
) -> None:
    accepted(store, acme, claim(organization=acme))
    accepted(store, operator, claim())
    made = lodge(store, given(acme))

    assert made.reviewed_by == "operator"
    assert queue(store, acme) == []
    act(store, "uphold", operator, made.id, "cid")
    assert sorted(states(store, acme)) == ["accepted", "disputed"], (
        "what is an organization's own the operator leaves alone"
    )


def test_a_review_that_ships_with_waypost_is_doubted_too(
    store: Store, operator: str, acme: str, given: MakeGiven
) -> None:
    shipped = Relationship(
        id="registry:acme:acme.example",
        domain="acme.example",
        entity="acme",
        state="accepted",
        review_source="registry 2026-11-01",
        reviewed_at=NOW - DAY,
        review_expires_at=NOW + DAY,
    )
    made = lodge(store, given(acme))

    act(store, "uphold", operator, made.id, "cid", shipped=((shipped, "Acme"),))

    assert states(store) == ["disputed"]


def test_who_opened_a_dispute_does_not_decide_it(store: Store, operator: str, given: MakeGiven) -> None:
    made = lodge(store, given(operator), who="bea")

    with pytest.raises(ReviewError, match="someone else must"):
        act(store, "reject", operator, made.id, "bea")


def test_a_dispute_is_visible_to_the_deciding_organization(
    store: Store, operator: str, acme: str, third: str, given: MakeGiven
) -> None:
    made = lodge(store, given(acme), who=PUBLIC)

    assert store.read(lambda db: disputes.find(db, acme, made.id)) == made
    assert [each.id for each in store.read(lambda db: disputes.find_page(db, acme)).items] == [made.id]
    for other in (operator, third):
        with pytest.raises(Unknown, match="no such dispute"):
            store.read(lambda db, other=other: disputes.find(db, other, made.id))
        with pytest.raises(Unknown, match="no such dispute"):
            store.write(lambda db, other=other: disputes.withdraw(db, other, made.id, "x", NOW, key="key"))
    with pytest.raises(Unknown):
        act(store, "uphold", third, made.id, "x")


ALLOWED = {
    ("open", "in_review"),
    ("open", "withdrawn"),
    ("in_review", "upheld"),
    ("in_review", "rejected"),
    ("in_review", "withdrawn"),
}


@pytest.mark.parametrize(("before", "after"), list(product(STATUSES, STATUSES)))
def test_a_dispute_takes_steps_of_the_table_only(
    store: Store, acme: str, given: MakeGiven, before: Status, after: Status
) -> None:
    made = lodge(store, given(acme))
    ways: dict[Status, list[Status]] = {
        "open": [],
        "upheld": ["in_review", "upheld"],
        "rejected": ["in_review", "rejected"],
    }
    for each in ways.get(before, [before]):
        made = store.write(lambda db, each=each, made=made: disputes.step(db, made, each, "bea", NOW, ""))

    def step(db: Any) -> Status:
        return disputes.step(db, made, after, "bea", NOW, "").status

    if (before, after) in ALLOWED:
        assert store.write(step) == after
    else:
        with pytest.raises(ReviewError, match=f"is {before} and cannot become {after}"):
            store.write(step)
        assert store.read(lambda db: disputes.find(db, acme, made.id)).status == before


def test_every_step_is_in_the_affected_organizations_audit(
    store: Store, operator: str, acme: str, third: str, claim: MakeClaim, given: MakeGiven
) -> None:
    name = submit(store, acme, claim(submitter="key:a", type="official_login"))
    for who in ("bea", "cid"):
        act(store, "approve", operator, name, who)
    made = lodge(store, given(acme))
    act(store, "uphold", operator, made.id, "bea")

    assert audit_of(store, operator) == [
        "relationship.submitted by key:a",
        "relationship.taken_up by bea",
        "relationship.approved by bea",
        "relationship.accepted by cid",
        "dispute.opened by key:1",
        "dispute.taken_up by bea",
        "dispute.upheld by bea",
        "relationship.disputed by bea",
    ]
    assert audit_of(store, acme) == [
        "relationship.submitted by key:a",
        "relationship.taken_up by operator",
        "relationship.approved by operator",
        "relationship.accepted by operator",
        "dispute.opened by key:1",
        "dispute.taken_up by operator",
        "dispute.upheld by operator",
        "relationship.disputed by operator",
    ]
    assert audit_of(store, third) == []
    assert all(each.broken is None for each in store.read(lambda db: [*audit.verify(db)]))


def test_claim_is_visible_to_its_maker_in_their_words(
    store: Store, operator: str, acme: str, third: str, claim: MakeClaim
) -> None:
    name = submit(store, acme, claim(submitter="key:a", statement="our shop", url="https://acme.example/"))
    with pytest.raises(Unknown, match="no such relationship"):
        store.read(lambda db: relationships.own(db, third, name))
    submit(store, third, claim(submitter="key:t", statement="their shop"))

    first, joined = (store.read(lambda db, each=each: relationships.own(db, each, name)) for each in (acme, third))

    assert (first.statement, first.url, first.submitter) == ("our shop", "https://acme.example/", "key:a")
    assert (joined.statement, joined.url, joined.submitter) == ("", "", "")
    assert joined.state == first.state == "unreviewed"


def test_who_joins_anothers_claim_learns_nothing_of_them(
    store: Store, operator: str, acme: str, third: str, claim: MakeClaim
) -> None:
    name = submit(store, acme, claim(submitter="key:a"))
    assert submit(store, third, claim(submitter="key:t")) == name
    act(store, "reject", operator, name, "bea", "no imprint")

    assert audit_of(store, acme) == [
        "relationship.submitted by key:a",
        "relationship.taken_up by operator",
        "relationship.rejected by operator",
    ]
    assert audit_of(store, third) == [
        "relationship.claimed_again by key:t",
        "relationship.taken_up by operator",
        "relationship.rejected by operator",
    ]


def test_who_joined_a_claim_does_not_review_it_either(store: Store, operator: str, acme: str, claim: MakeClaim) -> None:
    name = submit(store, acme, claim(submitter="key:a"))
    submit(store, operator, claim(submitter="bea"))

    for what in ("approve", "reject"):
        with pytest.raises(ReviewError, match=r"bea submitted .* someone else must"):
            act(store, what, operator, name, "bea")
    act(store, "approve", operator, name, "cid")


WAYS: list[tuple[str, list[str]]] = [
    ("unreviewed", []),
    ("in_review", ["take_up"]),
    ("accepted", ["accept"]),
    ("disputed", ["accept", "dispute"]),
    ("revoked", ["accept", "revoke"]),
    ("rejected", ["reject"]),
]


@pytest.mark.parametrize(("state", "way"), WAYS)
def test_every_possible_step_of_a_claim_succeeds(
    store: Store, operator: str, claim: MakeClaim, state: str, way: list[str]
) -> None:
    name = submit(store, operator, claim(submitter="key:a"))
    for step in way:
        reason = [] if step == "take_up" else ["seen"]
        store.write(lambda db, step=step, why=reason: getattr(relationships, step)(db, name, "bea", NOW, *why))
    item = store.read(lambda db: reviews.find(db, operator, name))
    assert item.relationship is not None
    assert item.relationship.state == state

    class Undo(Exception):
        pass

    def work(db: Any, step: str) -> None:
        take(db, step, operator, name, Review("cid", NOW, "looked"))
        raise Undo

    steps = possible(item)
    for step in steps:
        with pytest.raises(Undo):
            store.write(lambda db, step=step: work(db, step))
    assert bool(steps) is (state not in {"revoked", "rejected"})
