"""The queue of what waits for a person, claims and disputes, and what that person may do.

What holds for all, and disputes about it, is reviewed by the operator's organization alone; what an organization
claims for its own keys, by itself. To everybody else it is as if there were nothing. `reviewer` is
a key's or a session's `holder`: who submitted something never reviews it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

from waypost.models.relationship import Claim, Record, Relationship
from waypost.store import disputes, organizations, relationships
from waypost.store.cursors import Page, Position, page
from waypost.store.disputes import Dispute
from waypost.store.errors import ReviewError, Unknown, UnknownRelationship
from waypost.store.relationships import SubmittedClaim


class ReviewItem(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that waits, or was just decided: either a relationship or a dispute."""

    kind: Literal["relationship", "dispute"]
    relationship: Record | None = None
    dispute: Dispute | None = None

    @property
    def id(self) -> str:
        return self._what.id

    @property
    def created_at(self) -> int:
        return self._what.created_at

    @property
    def _what(self) -> Record | Dispute:
        what = self.relationship or self.dispute
        assert what is not None
        return what


Shipped = tuple[Relationship, str]
"""A review that ships with waypost, and the name of whose it is."""


def submit(db: sqlite3.Connection, organization: str, claim: Claim, now: int) -> SubmittedClaim:
    """File an organization's claim, for its own keys (`claim.organization`) or for all (empty)."""
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
    """What the organization's reviewers have to decide, oldest first."""
    start = after or (-1, "")
    all_too = "" if organizations.is_operator(db, organization) else organization
    rows = db.execute(_WAITING, (organization, all_too, *start, limit + 1)).fetchall()
    found = [ReviewItem(kind="relationship", relationship=relationships.get(db, row[0])) for row in rows]
    found += [ReviewItem(kind="dispute", dispute=each) for each in disputes.waiting(db, organization, start, limit + 1)]
    found.sort(key=lambda each: (each.created_at, each.id))
    return page([((each.created_at, each.id), each) for each in found[: limit + 1]], limit)


def find(db: sqlite3.Connection, organization: str, name: str) -> ReviewItem:
    """What the organization's reviewers may look at, whatever came of it. Raises Unknown."""
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
    """Accept a claim, or give one of the two approvals that it takes; lay a doubt to rest.

    Raises Unknown and ReviewError, as all that follow.
    """
    _claim(db, organization, name, reason)
    return _reviewed(relationships.accept(db, name, reviewer, now, reason))


def reject(db: sqlite3.Connection, organization: str, name: str, reviewer: str, now: int, reason: str) -> ReviewItem:
    """Turn a claim or a dispute down; take a doubted relationship back."""
    item = _asked(db, organization, name, reason)
    if item.dispute:
        return _settled(db, item.dispute, "rejected", reviewer, now, reason)
    assert item.relationship is not None
    act = relationships.revoke if item.relationship.state == "disputed" else relationships.reject
    return _reviewed(act(db, name, reviewer, now, reason))


def request_changes(
    db: sqlite3.Connection, organization: str, name: str, reviewer: str, now: int, reason: str
) -> ReviewItem:
    """Send a claim back: it waits again."""
    if _claim(db, organization, name, reason).state == "unreviewed":
        relationships.take_up(db, name, reviewer, now)
    return _reviewed(relationships.send_back(db, name, reviewer, now, reason))


def uphold(
    db: sqlite3.Connection,
    organization: str,
    name: str,
    reviewer: str,
    now: int,
    reason: str,
    shipped: Sequence[Shipped] = (),
) -> ReviewItem:
    """Agree with a dispute: the reviews that the decision rested on are set to disputed, which stops every action.

    `shipped` are the accepted reviews of waypost itself about the domain; they are written down to be doubted.
    """
    item = _asked(db, organization, name, reason)
    if item.dispute is None:
        raise ReviewError("only a dispute is upheld; a claim is approved, rejected or sent back")
    settled = _settled(db, item.dispute, "upheld", reviewer, now, reason)
    if item.dispute.claim in _DOUBTS_THE_RELATIONSHIP:
        _doubt(db, item.dispute, reviewer, now, reason, shipped)
    return settled


_DOUBTS_THE_RELATIONSHIP = {"wrong_relationship", "wrong_domain", "outdated"}


def _doubt(
    db: sqlite3.Connection, dispute: Dispute, reviewer: str, now: int, reason: str, shipped: Sequence[Shipped]
) -> None:
    relationships.expire(db, now)
    if dispute.reviewed_by == "operator" and str(dispute.decision["relationship_status"]).startswith("verified_"):
        for review, entity_name in shipped:
            relationships.adopt(db, review, entity_name, now)
    whose = dispute.organization if dispute.reviewed_by == "organization" else ""
    for each in disputes.relationships_behind(db, dispute.decision, whose):
        relationships.dispute(db, each, reviewer, now, reason)


def _settled(
    db: sqlite3.Connection, dispute: Dispute, after: disputes.Status, reviewer: str, now: int, reason: str
) -> ReviewItem:
    if reviewer == dispute.opened_by:
        raise ReviewError("who opened a dispute does not review it; somebody else must")
    if dispute.status == "open":
        dispute = disputes.step(db, dispute, "in_review", reviewer, now, "")
    return ReviewItem(kind="dispute", dispute=disputes.step(db, dispute, after, reviewer, now, reason))


def _asked(db: sqlite3.Connection, organization: str, name: str, reason: str) -> ReviewItem:
    if not reason.strip():
        raise ReviewError("a review needs its reason")
    return find(db, organization, name)


def _claim(db: sqlite3.Connection, organization: str, name: str, reason: str) -> Record:
    item = _asked(db, organization, name, reason)
    if item.relationship is None:
        raise ReviewError("a dispute is upheld or rejected")
    return item.relationship


def _reviewed(record: Record) -> ReviewItem:
    return ReviewItem(kind="relationship", relationship=record)


Act = Callable[[sqlite3.Connection, str, str, str, int, str], ReviewItem]
ACTS: dict[str, Act] = {
    "approve": approve,
    "reject": reject,
    "request-changes": request_changes,
    "uphold": uphold,
}
"""What can be done with an item of the queue, by its name in an address."""
