"""Review queue of claims and disputes, and the acts of reviewers.

Global claims, and disputes of global relationships, are reviewed by the operator's organization; an organization
reviews private claims, which hold for the organization's keys only. Further organizations cannot see the items.
`reviewer` is the `holder` of a key or session: a submitter never reviews the submission.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

from waypost.models.relationship import Claim, Record, Relationship
from waypost.registry.skeletons import skeleton
from waypost.store import disputes, organizations, relationships
from waypost.store.cursors import Page, Position, page
from waypost.store.disputes import Dispute
from waypost.store.errors import ReviewError, Unknown, UnknownRelationship
from waypost.store.relationships import SubmittedClaim


class ReviewItem(msgspec.Struct, frozen=True, kw_only=True):
    """Item of the queue: either a relationship or a dispute."""

    kind: Literal["relationship", "dispute"]
    relationship: Record | None = None
    dispute: Dispute | None = None

    @property
    def id(self) -> str:
        return self._entry.id

    @property
    def created_at(self) -> int:
        return self._entry.created_at

    @property
    def _entry(self) -> Record | Dispute:
        entry = self.relationship or self.dispute
        assert entry is not None
        return entry


Shipped = tuple[Relationship, str]
"""Review shipped with waypost, and the name of the entity."""


def submit(db: sqlite3.Connection, organization: str, claim: Claim, now: int) -> SubmittedClaim:
    """File an organization's claim: private (`claim.organization`) or global (empty). Raises Unknown."""
    if claim.organization not in {"", organization}:
        raise Unknown("organization")
    return relationships.submit(db, claim, now, claimant=organization)


_WAITING = (
    "SELECT id, created_at FROM relationship WHERE organization IN (?, ?)"
    " AND state IN ('unreviewed', 'in_review', 'disputed') AND (created_at, id) > (?, ?)"
    " ORDER BY created_at, id LIMIT ?"
)


def queue(
    db: sqlite3.Connection, organization: str, *, limit: int = 100, after: Position | None = None
) -> Page[ReviewItem]:
    """Page of the items waiting for an organization's reviewers, oldest first."""
    start = after or (-1, "")
    all_too = "" if organizations.is_operator(db, organization) else organization
    rows = db.execute(_WAITING, (organization, all_too, *start, limit + 1)).fetchall()
    found = [ReviewItem(kind="relationship", relationship=relationships.get(db, row[0])) for row in rows]
    found += [ReviewItem(kind="dispute", dispute=d) for d in disputes.waiting(db, organization, start, limit + 1)]
    found.sort(key=lambda item: (item.created_at, item.id))
    return page([((item.created_at, item.id), item) for item in found[: limit + 1]], limit)


def find(db: sqlite3.Connection, organization: str, name: str) -> ReviewItem:
    """Item in any state, for the organization of the reviewers. Raises Unknown."""
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


def approve(db: sqlite3.Connection, organization: str, name: str, reviewer: str, now: int, reason: str) -> ReviewItem:
    """Accept a claim, add an approval where two are needed, reinstate a disputed relationship, or end the stop of a
    disputed host.

    Raises Unknown and ReviewError, as do the further acts.
    """
    item = _find_with_reason(db, organization, name, reason)
    if item.dispute:
        _check_other(item.dispute, reviewer)
        return ReviewItem(kind="dispute", dispute=disputes.end(db, item.dispute, reviewer, now, reason))
    return _item(relationships.accept(db, name, reviewer, now, reason))


def reject(db: sqlite3.Connection, organization: str, name: str, reviewer: str, now: int, reason: str) -> ReviewItem:
    """Reject a claim or a dispute; revoke a disputed relationship."""
    item = _find_with_reason(db, organization, name, reason)
    if item.dispute:
        return _decide_dispute(db, item.dispute, "rejected", reviewer, now, reason)
    assert item.relationship is not None
    act = relationships.revoke if item.relationship.state == "disputed" else relationships.reject
    return _item(act(db, name, reviewer, now, reason))


def request_changes(
    db: sqlite3.Connection, organization: str, name: str, reviewer: str, now: int, reason: str
) -> ReviewItem:
    """Send a claim back to the state unreviewed."""
    if _claim(db, organization, name, reason).state == "unreviewed":
        relationships.take_up(db, name, reviewer, now)
    return _item(relationships.send_back(db, name, reviewer, now, reason))


def uphold(
    db: sqlite3.Connection,
    organization: str,
    name: str,
    reviewer: str,
    now: int,
    reason: str,
    shipped: Sequence[Shipped] = (),
) -> ReviewItem:
    """Uphold a dispute of any kind: relationships behind the decision become disputed, or the host without any.

    Both stop every action there.

    shipped  accepted reviews of the domain shipped with waypost; inserted first, to become disputed too
    """
    item = _find_with_reason(db, organization, name, reason)
    if item.dispute is None:
        raise ReviewError("only a dispute is upheld; a claim is approved, rejected or sent back")
    _decide_dispute(db, item.dispute, "upheld", reviewer, now, reason)
    found = _dispute_relationships(db, item.dispute, reviewer, now, reason, shipped)
    effect: disputes.Effect = "relationship_disputed" if found else "destination_disputed"
    return ReviewItem(kind="dispute", dispute=disputes.set_effect(db, item.dispute, effect, now))


def _dispute_relationships(
    db: sqlite3.Connection, dispute: Dispute, reviewer: str, now: int, reason: str, shipped: Sequence[Shipped]
) -> int:
    """Number of relationships behind the decision, set to disputed."""
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
    db: sqlite3.Connection, dispute: Dispute, after: disputes.Status, reviewer: str, now: int, reason: str
) -> ReviewItem:
    _check_other(dispute, reviewer)
    if dispute.status == "open":
        dispute = disputes.step(db, dispute, "in_review", reviewer, now, "")
    return ReviewItem(kind="dispute", dispute=disputes.step(db, dispute, after, reviewer, now, reason))


def _check_other(dispute: Dispute, reviewer: str) -> None:
    if skeleton(reviewer) == skeleton(dispute.opened_by):
        raise ReviewError("who opened a dispute does not review it; somebody else must")


def _find_with_reason(db: sqlite3.Connection, organization: str, name: str, reason: str) -> ReviewItem:
    if not reason.strip():
        raise ReviewError("a review needs its reason")
    return find(db, organization, name)


def _claim(db: sqlite3.Connection, organization: str, name: str, reason: str) -> Record:
    item = _find_with_reason(db, organization, name, reason)
    if item.relationship is None:
        raise ReviewError("a dispute is upheld or rejected")
    return item.relationship


def _item(record: Record) -> ReviewItem:
    return ReviewItem(kind="relationship", relationship=record)


Act = Callable[[sqlite3.Connection, str, str, str, int, str], ReviewItem]
ACTS: dict[str, Act] = {
    "approve": approve,
    "reject": reject,
    "request-changes": request_changes,
    "uphold": uphold,
}
"""Acts on an item of the queue, by the last segment of the HTTP path."""
