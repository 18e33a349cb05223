"""Review queue of claims, disputes and doubts about ownership; `review_steps` has the steps of reviewers.

Global claims, and disputes of global relationships, are reviewed by the operator's organization; an organization
reviews private claims, which hold for the organization's keys only. Further organizations cannot see the items.
"""

from __future__ import annotations

from operator import itemgetter
from typing import Literal

import msgspec

from waypost.models.relationship import Claim, Record
from waypost.store import disputes, doubts, organizations, relationships
from waypost.store.cursors import Page, Position, page
from waypost.store.disputes import Dispute
from waypost.store.doubts import Doubt
from waypost.store.engines import Connection
from waypost.store.errors import Unknown, UnknownRelationship
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
    def domain(self) -> str:
        if self.dispute:
            return str(self.dispute.decision["normalized_domain"])
        return self.relationship.domain if self.relationship else self.doubt.about.domain if self.doubt else ""

    @property
    def _entry(self) -> Record | Dispute | Doubt:
        entry = self.relationship or self.dispute or self.doubt
        assert entry is not None
        return entry


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
