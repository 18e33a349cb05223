"""Review queue of claims, disputes and doubts about ownership, and the acts of reviewers.

Global claims, and disputes of global relationships, are reviewed by the operator's organization; an organization
reviews private claims, which hold for the organization's keys only. Further organizations cannot see the items.
`reviewer` is the `holder` of a key or session: a submitter never reviews the submission.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Literal

import msgspec

from waypost.models.relationship import Claim, OwnershipSnapshot, Record, Relationship
from waypost.registry.skeletons import skeleton
from waypost.store import disputes, doubts, organizations, relationships
from waypost.store.cursors import Page, Position, page
from waypost.store.disputes import Dispute
from waypost.store.doubts import Doubt
from waypost.store.engines import Connection
from waypost.store.errors import ReviewError, Unknown, UnknownRelationship
from waypost.store.relationships import SubmittedClaim


class ReviewItem(msgspec.Struct, frozen=True, kw_only=True):
    """Item of the queue: a relationship, a dispute or a doubt about ownership."""

    kind: Literal["relationship", "dispute", "doubt"]
    relationship: Record | None = None
    dispute: Dispute | None = None
    doubt: Doubt | None = None

    @property
    def id(self) -> str:
        return self._entry.id

    @property
    def created_at(self) -> int:
        return self._entry.created_at

    @property
    def _entry(self) -> Record | Dispute | Doubt:
        entry = self.relationship or self.dispute or self.doubt
        assert entry is not None
        return entry


Shipped = tuple[Relationship, str]
"""Review shipped with waypost, and the name of the entity."""
_ONLY_DECIDED = "a dispute or a doubt is upheld or rejected"


def submit(db: Connection, organization: str, claim: Claim, now: int) -> SubmittedClaim:
    """File an organization's claim: private (`claim.organization`) or global (empty). Raises Unknown."""
    if claim.organization not in {"", organization}:
        raise Unknown("organization")
    return relationships.submit(db, claim, now, claimant=organization)


_WAITING = (
    "SELECT id, created_at FROM relationship WHERE organization = ?"
    " AND state IN ('unreviewed', 'in_review', 'disputed') AND (created_at, id) > (?, ?)"
    " ORDER BY created_at, id LIMIT ?"
)


def queue(db: Connection, organization: str, *, limit: int = 100, after: Position | None = None) -> Page[ReviewItem]:
    """Page of the items waiting for an organization's reviewers, oldest first."""
    start = after or (-1, "")
    # One statement for each owner: for two at once a database sorts all that waits.
    owners = (organization, "") if organizations.is_operator(db, organization) else (organization,)
    rows = [row for owner in owners for row in db.execute(_WAITING, (owner, *start, limit + 1))]
    rows.sort(key=itemgetter(1, 0))
    found = [ReviewItem(kind="relationship", relationship=relationships.get(db, row[0])) for row in rows[: limit + 1]]
    found += [ReviewItem(kind="dispute", dispute=d) for d in disputes.waiting(db, organization, start, limit + 1)]
    found += [ReviewItem(kind="doubt", doubt=d) for d in doubts.waiting(db, organization, start, limit + 1)]
    # Three lists of `limit` + 1 each hold the first `limit` + 1 of all.
    found.sort(key=lambda item: (item.created_at, item.id))
    return page([((item.created_at, item.id), item) for item in found[: limit + 1]], limit)


def find(db: Connection, organization: str, name: str) -> ReviewItem:
    """Item in any state, for the organization of the reviewers. Raises Unknown."""
    if name.startswith(doubts.PREFIX):
        return ReviewItem(kind="doubt", doubt=doubts.find(db, organization, name))
    try:
        record = relationships.get(db, name)
    except UnknownRelationship:
        try:
            return ReviewItem(kind="dispute", dispute=disputes.for_review(db, organization, name))
        except Unknown:
            raise Unknown("item of the queue") from None
    if record.organization != organization and (record.organization or not organizations.is_operator(db, organization)):
        raise Unknown("item of the queue")
    return ReviewItem(kind="relationship", relationship=record)


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """Facts for an act of a reviewer, from outside the store.

    shipped   accepted reviews of the domain shipped with waypost
    snapshot  facts about the domain today
    """

    shipped: tuple[Shipped, ...] = ()
    snapshot: OwnershipSnapshot | None = None


NO_FACTS = Facts()


def approve(
    db: Connection, organization: str, name: str, reviewer: str, now: int, reason: str, facts: Facts = NO_FACTS
) -> ReviewItem:
    """Accept a claim, add an approval where two are needed, reinstate a disputed relationship, or end the stop of a
    disputed host. The facts of today are stored with the approval.

    Raises Unknown and ReviewError, as do the further acts.
    """
    item = _find_with_reason(db, organization, name, reason)
    if item.dispute:
        _check_other(item.dispute, reviewer)
        return ReviewItem(kind="dispute", dispute=disputes.end(db, item.dispute, reviewer, now, reason))
    if item.doubt:
        raise ReviewError(_ONLY_DECIDED)
    return _item(relationships.accept(db, name, reviewer, now, reason, snapshot=facts.snapshot))


def reject(
    db: Connection, organization: str, name: str, reviewer: str, now: int, reason: str, facts: Facts = NO_FACTS
) -> ReviewItem:
    """Reject a claim, a dispute or a doubt; revoke a disputed relationship.

    After a rejected doubt, later observations are compared with those that raised it.
    """
    item = _find_with_reason(db, organization, name, reason)
    if item.dispute:
        return _decide_dispute(db, item.dispute, "rejected", reviewer, now, reason)
    if item.doubt:
        done = doubts.decide(db, item.doubt, "rejected", reviewer, now, reason)
        if done.about.reviewed is not None and _stored(db, done, facts.shipped, now):
            doubts.put_snapshot(db, done.about.relationship, done.about.observed, now)
        return ReviewItem(kind="doubt", doubt=done)
    assert item.relationship is not None
    act = relationships.revoke if item.relationship.state == "disputed" else relationships.reject
    return _item(act(db, name, reviewer, now, reason))


def _stored(db: Connection, doubt: Doubt, shipped: Sequence[Shipped], now: int) -> bool:
    """Whether the store has the review of a doubt; a shipped review is inserted first."""
    for review, entity_name in shipped:
        if review.id == doubt.about.relationship:
            relationships.adopt(db, review, entity_name, now)
    try:
        relationships.get(db, doubt.about.relationship)
    except UnknownRelationship:
        return False
    return True


def request_changes(
    db: Connection, organization: str, name: str, reviewer: str, now: int, reason: str, _facts: Facts = NO_FACTS
) -> ReviewItem:
    """Send a claim back to the state unreviewed."""
    if _claim(db, organization, name, reason).state == "unreviewed":
        relationships.take_up(db, name, reviewer, now)
    return _item(relationships.send_back(db, name, reviewer, now, reason))


def uphold(
    db: Connection, organization: str, name: str, reviewer: str, now: int, reason: str, facts: Facts = NO_FACTS
) -> ReviewItem:
    """Uphold a dispute of any kind: relationships behind the decision become disputed, or the host without any.
    Uphold a doubt: its relationship becomes disputed.

    Both stop every action there. Shipped reviews are inserted first, to become disputed too.
    """
    item = _find_with_reason(db, organization, name, reason)
    if item.doubt:
        done = doubts.decide(db, item.doubt, "upheld", reviewer, now, reason)
        relationships.expire(db, now)
        known = _stored(db, done, facts.shipped, now)
        if known and relationships.get(db, done.about.relationship).state == "accepted":
            relationships.dispute(db, done.about.relationship, reviewer, now, reason)
        return ReviewItem(kind="doubt", doubt=done)
    if item.dispute is None:
        raise ReviewError("only a dispute or a doubt is upheld; a claim is approved, rejected or sent back")
    _decide_dispute(db, item.dispute, "upheld", reviewer, now, reason)
    found = _dispute_relationships(db, item.dispute, reviewer, now, reason, facts.shipped)
    effect: disputes.Effect = "relationship_disputed" if found else "destination_disputed"
    return ReviewItem(kind="dispute", dispute=disputes.set_effect(db, item.dispute, effect, now))


def _dispute_relationships(
    db: Connection, dispute: Dispute, reviewer: str, now: int, reason: str, shipped: Sequence[Shipped]
) -> int:
    """Number of relationships behind the decision, set to disputed."""
    # A review that has run out is behind no decision, and cannot be disputed; until it is marked it looks accepted.
    relationships.expire(db, now)
    if dispute.reviewed_by == "operator" and str(dispute.decision["relationship_status"]).startswith("verified_"):
        for review, entity_name in shipped:
            relationships.adopt(db, review, entity_name, now)
    owner = dispute.organization if dispute.reviewed_by == "organization" else ""
    behind = disputes.relationships_behind(db, dispute.decision, owner)
    for relationship in behind:
        relationships.dispute(db, relationship, reviewer, now, reason)
    return len(behind)


def _decide_dispute(
    db: Connection, dispute: Dispute, after: disputes.Status, reviewer: str, now: int, reason: str
) -> ReviewItem:
    _check_other(dispute, reviewer)
    # EDGES has no way from open to a decision: the history shows who took the dispute up.
    if dispute.status == "open":
        dispute = disputes.step(db, dispute, "in_review", reviewer, now, "")
    return ReviewItem(kind="dispute", dispute=disputes.step(db, dispute, after, reviewer, now, reason))


def _check_other(dispute: Dispute, reviewer: str) -> None:
    if skeleton(reviewer) == skeleton(dispute.opened_by):
        raise ReviewError("who opened a dispute does not review it; someone else must")


def _find_with_reason(db: Connection, organization: str, name: str, reason: str) -> ReviewItem:
    if not reason.strip():
        raise ReviewError("a review needs its reason")
    return find(db, organization, name)


def _claim(db: Connection, organization: str, name: str, reason: str) -> Record:
    item = _find_with_reason(db, organization, name, reason)
    if item.relationship is None:
        raise ReviewError(_ONLY_DECIDED)
    return item.relationship


def _item(record: Record) -> ReviewItem:
    return ReviewItem(kind="relationship", relationship=record)


Act = Callable[..., ReviewItem]
ACTS: dict[str, Act] = {
    "approve": approve,
    "reject": reject,
    "request-changes": request_changes,
    "uphold": uphold,
}
"""Acts on an item of the queue, by the last segment of the HTTP path."""
