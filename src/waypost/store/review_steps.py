"""Steps of a review: acts of reviewers on claims, disputes and doubts, with what each interface says about them.

A step moves a relationship along `relationships.EDGES`, a dispute along `disputes.EDGES`, or decides a doubt. The
command line, the API and the console read their commands, endpoints and buttons from STEPS. A submitter never reviews
the submission. Acts write, and run inside `Store.write`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from waypost.models.relationship import OwnershipSnapshot, Record, Relationship
from waypost.registry.skeletons import skeleton
from waypost.store import disputes, doubts, relationships
from waypost.store.disputes import Dispute
from waypost.store.doubts import Doubt
from waypost.store.engines import Connection
from waypost.store.errors import ReviewError, UnknownRelationship
from waypost.store.reviews import ReviewItem, find

Shipped = tuple[Relationship, str]
"""Review shipped with waypost, and the name of the entity."""


class Review(msgspec.Struct, frozen=True):
    """Word of a reviewer at a time, with facts from outside the store.

    reviewer  `holder` of a key or session, or the name of a person
    days      days until an acceptance expires
    shipped   accepted reviews of the domain shipped with waypost
    snapshot  facts about the domain today, stored with an acceptance
    """

    reviewer: str
    now: int
    reason: str
    days: int = relationships.LONGEST_REVIEW_DAYS
    shipped: tuple[Shipped, ...] = ()
    snapshot: OwnershipSnapshot | None = None


def take(db: Connection, step: str, organization: str, name: str, review: Review) -> ReviewItem:
    """Item after a step by a reviewer of an organization. Raises Unknown and ReviewError."""
    if not review.reason.strip():
        raise ReviewError("a review needs its reason")
    item = find(db, organization, name)
    acts = STEPS[step].acts
    act = acts.get(_standing(item)) or acts.get(item.kind)
    if act is None:
        raise ReviewError(STEPS[step].otherwise)
    return act(db, item, review)


def take_claim(db: Connection, step: str, name: str, review: Review) -> Record:
    """Relationship of any organization after a step, for the administrator. A shipped review is inserted first.

    Raises UnknownRelationship and ReviewError.
    """
    _adopt(db, [each for each in review.shipped if each[0].id == name], review.now)
    item = ReviewItem(kind="relationship", relationship=relationships.get(db, name))
    done = STEPS[step].acts["relationship"](db, item, review).relationship
    assert done is not None
    return done


def possible(item: ReviewItem) -> dict[str, Button]:
    """Buttons of the steps open to a reviewer of an item, by the name of the step."""
    standing = _standing(item)
    return {name: step.buttons[standing] for name, step in STEPS.items() if standing in step.buttons}


def _standing(item: ReviewItem) -> str:
    """State of an item as far as it decides which steps are open; empty: none."""
    if item.relationship:
        state = item.relationship.state
        return state if relationships.EDGES[state] else ""
    if item.doubt:
        return "doubt" if item.doubt.state == "open" else ""
    assert item.dispute is not None
    # The stop of a host lasts until a reviewer ends it.
    if item.dispute.effect == "destination_disputed":
        return "stopped"
    return "dispute" if disputes.EDGES[item.dispute.status] else ""


Act = Callable[[Connection, ReviewItem, Review], ReviewItem]


def _accept(db: Connection, item: ReviewItem, by: Review) -> ReviewItem:
    """Accept a claim, add an approval where two are needed, or reinstate a disputed relationship."""
    done = relationships.accept(db, item.id, by.reviewer, by.now, by.reason, by.days, by.snapshot)
    return ReviewItem(kind="relationship", relationship=done)


def _move(step: Callable[[Connection, str, str, int, str], Record]) -> Act:
    """Act that takes a relationship along an edge."""

    def act(db: Connection, item: ReviewItem, by: Review) -> ReviewItem:
        return ReviewItem(kind="relationship", relationship=step(db, item.id, by.reviewer, by.now, by.reason))

    return act


def _end_stop(db: Connection, item: ReviewItem, by: Review) -> ReviewItem:
    dispute = _reviewable(item.dispute, by)
    return ReviewItem(kind="dispute", dispute=disputes.end(db, dispute, by.reviewer, by.now, by.reason))


def _reject_dispute(db: Connection, item: ReviewItem, by: Review) -> ReviewItem:
    return ReviewItem(kind="dispute", dispute=_decide_dispute(db, item, "rejected", by))


def _uphold_dispute(db: Connection, item: ReviewItem, by: Review) -> ReviewItem:
    """Uphold a dispute of any kind: relationships behind the decision become disputed, or the host without any.

    Both stop every action there. Shipped reviews are inserted first, to become disputed too.
    """
    dispute = _decide_dispute(db, item, "upheld", by)
    # A review that has run out is behind no decision, and cannot be disputed; until it is marked it looks accepted.
    relationships.expire(db, by.now)
    if dispute.reviewed_by == "operator" and str(dispute.decision["relationship_status"]).startswith("verified_"):
        _adopt(db, by.shipped, by.now)
    owner = dispute.organization if dispute.reviewed_by == "organization" else ""
    behind = disputes.relationships_behind(db, dispute.decision, owner)
    for relationship in behind:
        relationships.dispute(db, relationship, by.reviewer, by.now, by.reason)
    effect: disputes.Effect = "relationship_disputed" if behind else "destination_disputed"
    return ReviewItem(kind="dispute", dispute=disputes.set_effect(db, dispute, effect, by.now))


def _decide_dispute(db: Connection, item: ReviewItem, after: disputes.Status, by: Review) -> Dispute:
    dispute = _reviewable(item.dispute, by)
    # EDGES has no way from open to a decision: the history shows who took the dispute up.
    if dispute.status == "open":
        dispute = disputes.step(db, dispute, "in_review", by.reviewer, by.now, "")
    return disputes.step(db, dispute, after, by.reviewer, by.now, by.reason)


def _reviewable(dispute: Dispute | None, by: Review) -> Dispute:
    assert dispute is not None
    if skeleton(by.reviewer) == skeleton(dispute.opened_by):
        raise ReviewError("who opened a dispute does not review it; someone else must")
    return dispute


def _reject_doubt(db: Connection, item: ReviewItem, by: Review) -> ReviewItem:
    """Reject a doubt: later observations are compared with those that raised it."""
    done = _decide_doubt(db, item, "rejected", by)
    if done.about.reviewed is not None and _stored(db, done, by):
        doubts.put_snapshot(db, done.about.relationship, done.about.observed, by.now)
    return ReviewItem(kind="doubt", doubt=done)


def _uphold_doubt(db: Connection, item: ReviewItem, by: Review) -> ReviewItem:
    """Uphold a doubt: its relationship becomes disputed, which stops every action there."""
    done = _decide_doubt(db, item, "upheld", by)
    relationships.expire(db, by.now)
    name = done.about.relationship
    if _stored(db, done, by) and relationships.get(db, name).state == "accepted":
        relationships.dispute(db, name, by.reviewer, by.now, by.reason)
    return ReviewItem(kind="doubt", doubt=done)


def _decide_doubt(db: Connection, item: ReviewItem, state: doubts.DoubtState, by: Review) -> Doubt:
    assert item.doubt is not None
    return doubts.decide(db, item.doubt, state, by.reviewer, by.now, by.reason)


def _stored(db: Connection, doubt: Doubt, by: Review) -> bool:
    """Whether the store has the review of a doubt; a shipped review is inserted first."""
    name = doubt.about.relationship
    _adopt(db, [each for each in by.shipped if each[0].id == name], by.now)
    try:
        relationships.get(db, name)
    except UnknownRelationship:
        return False
    return True


def _adopt(db: Connection, shipped: Sequence[Shipped], now: int) -> None:
    for review, entity_name in shipped:
        relationships.adopt(db, review, entity_name, now)


class Endpoint(NamedTuple):
    """Endpoint of the API; the name of the step ends its path."""

    operation_id: str
    summary: str
    description: str


class Button(NamedTuple):
    """Button of the console: label, and effect of pressing it."""

    label: str
    effect: str


class Step(NamedTuple):
    """Step of a review.

    acts       function by kind of item, or by `disputed`, a state of a relationship
    otherwise  error for an item of another kind
    command    name in `waypost review`, and its help
    disputing  name in `waypost disputes`, and its help
    buttons    on the console, by state of a relationship, or `dispute`, `stopped` (host) and `doubt`
    """

    acts: Mapping[str, Act]
    otherwise: str = "a dispute or a doubt is upheld or rejected"
    command: tuple[str, str] | None = None
    disputing: tuple[str, str] | None = None
    endpoint: Endpoint | None = None
    buttons: Mapping[str, Button] = MappingProxyType({})


_ACCEPT = Button("Accept", "The domain counts as the owner's for a year, unless its registration changes.")
_SEND_BACK = Button("Send back", "The claim waits in this list for better evidence.")
_REJECT = Button("Reject", "The claim leaves this list. It has changed no decision.")
_STOP = "Every action stops there until a reviewer ends it."

STEPS: Mapping[str, Step] = MappingProxyType(
    {
        "approve": Step(
            {"relationship": _accept, "dispute": _end_stop},
            command=("accept", "accept a claim, or approve it as the first of two; end a dispute"),
            disputing=("end", "lift the stop that an upheld dispute put on a host"),
            endpoint=Endpoint(
                "approveReview",
                "Approve a claim",
                "The last required approval accepts the relationship for up to 365 days. An official_login or "
                "official_payment that applies to everyone requires two different reviewers. Approval also ends a "
                "dispute of the relationship, and the stop of a host after an upheld dispute.",
            ),
            buttons={
                **dict.fromkeys(("unreviewed", "in_review", "accepted", "expired"), _ACCEPT),
                "disputed": Button("Reinstate", "The owner counts as verified again."),
                "stopped": Button("End the stop", "Decisions are made as without the dispute."),
            },
        ),
        "uphold": Step(
            {"dispute": _uphold_dispute, "doubt": _uphold_doubt},
            otherwise="only a dispute or a doubt is upheld; a claim is approved, rejected or sent back",
            command=("uphold", "agree with a doubt: its review is disputed, and every sensitive action stops there"),
            disputing=("uphold", "uphold a dispute: the reviews behind the decision become disputed"),
            endpoint=Endpoint(
                "upholdDispute",
                "Uphold a dispute or doubt",
                "Upholding a doubt sets its relationship to disputed. Upholding a dispute sets the reviews behind the "
                "decision to disputed or, if there are none, the host itself. Every action there is then stopped until "
                "a reviewer approves it again; `effect` says what changed.",
            ),
            buttons={"dispute": Button("Uphold", _STOP), "doubt": Button("Withdraw the review", _STOP)},
        ),
        "request-changes": Step(
            {"relationship": _move(relationships.send_back)},
            command=("send-back", "request changes; the claim waits again"),
            endpoint=Endpoint(
                "requestChanges",
                "Request changes to a claim",
                "The claim becomes unreviewed again, and stays in the queue.",
            ),
            buttons={"unreviewed": _SEND_BACK, "in_review": _SEND_BACK},
        ),
        "reject": Step(
            {
                "relationship": _move(relationships.reject),
                "disputed": _move(relationships.revoke),
                "dispute": _reject_dispute,
                "doubt": _reject_doubt,
            },
            command=("reject", "reject a claim or a doubt"),
            disputing=("reject", "reject a dispute"),
            endpoint=Endpoint(
                "rejectReview",
                "Reject a claim, dispute or doubt",
                "Rejecting a disputed relationship withdraws it permanently. After a doubt is rejected, later "
                "observations are compared with those that raised it.",
            ),
            buttons={
                "unreviewed": _REJECT,
                "in_review": _REJECT,
                "disputed": Button("Revoke", "The owner no longer counts as verified. This cannot be undone."),
                "dispute": Button("Reject", "Decisions stay as they were."),
                "doubt": Button(
                    "Confirm the owner", "The review stays valid. Later changes are compared with today's facts."
                ),
            },
        ),
        "dispute": Step(
            {"relationship": _move(relationships.dispute)},
            command=("dispute", "dispute an accepted relationship; sensitive actions stop there"),
        ),
        "revoke": Step(
            {"relationship": _move(relationships.revoke)},
            command=("revoke", "revoke an accepted or disputed relationship"),
        ),
    }
)
"""Steps by name. The API and the console offer those with an endpoint, by this name."""
