"""Disputes of decisions. A dispute has no effect on decisions until a reviewer upholds it, see `reviews`.

open -> in_review -> upheld | rejected
open, in_review -> withdrawn
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Literal, get_args

import msgspec

from waypost.formats.ids import new_id
from waypost.store import audit, decisions, organizations
from waypost.store.cursors import Page, Position, page
from waypost.store.errors import ReviewError, Unknown

Complaint = Literal["wrong_relationship", "wrong_risk", "wrong_domain", "outdated", "other"]
Status = Literal["open", "in_review", "upheld", "rejected", "withdrawn"]
COMPLAINTS: tuple[Complaint, ...] = get_args(Complaint)
STATUSES: tuple[Status, ...] = get_args(Status)
PUBLIC = "public"
"""Actor of a dispute opened without a key."""

EDGES: Mapping[Status | None, frozenset[Status]] = MappingProxyType(
    {
        None: frozenset({"open"}),
        "open": frozenset({"in_review", "withdrawn"}),
        "in_review": frozenset({"upheld", "rejected", "withdrawn"}),
        "upheld": frozenset(),
        "rejected": frozenset(),
        "withdrawn": frozenset(),
    }
)
_ACTS: Mapping[Status, str] = MappingProxyType(
    {
        "open": "dispute.opened",
        "in_review": "dispute.taken_up",
        "upheld": "dispute.upheld",
        "rejected": "dispute.rejected",
        "withdrawn": "dispute.withdrawn",
    }
)


class DisputeStatement(msgspec.Struct, frozen=True, kw_only=True):
    """Text of a dispute: claim, reasons, evidence. `evidence`: addresses, never fetched by waypost."""

    claim: Complaint
    statement: str
    contact: str = ""
    evidence: tuple[str, ...] = ()


class Dispute(msgspec.Struct, frozen=True, kw_only=True):
    """Dispute with the present status.

    reviewed_by  the operator; or the organization, if the decision rests on reviews by the organization alone
    decision     JSON of the decision
    """

    id: str
    organization: str
    reviewed_by: Literal["operator", "organization"]
    decision_id: str
    decision: Mapping[str, Any]
    claim: Complaint
    statement: str
    contact: str
    evidence: tuple[str, ...]
    opened_by: str
    created_at: int
    status: Status
    changed_at: int


class DisputeEvent(msgspec.Struct, frozen=True, kw_only=True):
    """Entry in the history of a dispute."""

    at: int
    actor: str
    before: Status | None
    after: Status
    reason: str


_OPEN = (
    "INSERT INTO dispute (id, organization, reviewed_by, decision_id, decision, claim, statement, contact, evidence,"
    " opened_by, created_at, status, changed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'open', ?)"
)


def lodge(
    db: sqlite3.Connection, about: decisions.StoredDecision, wording: DisputeStatement, actor: str, now: int
) -> Dispute:
    """Open a dispute of a decision, for the organization that received the decision."""
    given, name = about.record, new_id()
    own = relationships_behind(db, about.document, given.organization)
    reviewed_by = "organization" if own and not relationships_behind(db, about.document, "") else "operator"
    texts = (wording.claim, wording.statement, wording.contact, "\n".join(wording.evidence), actor)
    db.execute(_OPEN, (name, given.organization, reviewed_by, given.id, given.document.decode(), *texts, now, now))
    _note(db, name, now, actor, None, "open", "")
    made = find(db, given.organization, name)
    _audit(db, made, now, actor, claim=made.claim)
    return made


_COLUMNS = (
    "id, organization, reviewed_by, decision_id, decision, claim, statement, contact, evidence, opened_by, created_at,"
    " status, changed_at"
)
_FIND = f"SELECT {_COLUMNS} FROM dispute WHERE organization = ? AND id = ?"  # noqa: S608 - a constant
_REVIEWED = (
    f"SELECT {_COLUMNS} FROM dispute WHERE id = ?"  # noqa: S608 - a constant
    " AND ((reviewed_by = 'organization' AND organization = ?) OR (reviewed_by = 'operator' AND ?))"
)
_PAGE = f"SELECT {_COLUMNS}, number FROM dispute WHERE organization = ? AND number < ? ORDER BY number DESC LIMIT ?"  # noqa: S608 - a constant
_WAITING = (
    f"SELECT {_COLUMNS} FROM dispute WHERE status IN ('open', 'in_review') AND (created_at, id) > (?, ?)"  # noqa: S608 - a constant
    " AND ((reviewed_by = 'organization' AND organization = ?) OR (reviewed_by = 'operator' AND ?))"
    " ORDER BY created_at, id LIMIT ?"
)
_NEWEST = 1 << 62


def find(db: sqlite3.Connection, organization: str, name: str) -> Dispute:
    """Dispute of a decision of the organization. Raises Unknown."""
    row = db.execute(_FIND, (organization, name)).fetchone()
    if row is None:
        raise Unknown("dispute")
    return _dispute(row)


def for_review(db: sqlite3.Connection, organization: str, name: str) -> Dispute:
    """Dispute to be decided by an organization's reviewers. Raises Unknown."""
    operator = organizations.is_operator(db, organization)
    row = db.execute(_REVIEWED, (name, organization, operator)).fetchone()
    if row is None:
        raise Unknown("dispute")
    return _dispute(row)


def find_page(
    db: sqlite3.Connection, organization: str, *, limit: int = 100, after: Position | None = None
) -> Page[Dispute]:
    """Page of the disputes of an organization's decisions, newest first."""
    start = after[0] if after else _NEWEST
    rows = db.execute(_PAGE, (organization, start, limit + 1)).fetchall()
    return page([((row[-1],), _dispute(row)) for row in rows], limit)


def waiting(db: sqlite3.Connection, organization: str, start: Position, limit: int) -> list[Dispute]:
    """Open disputes for an organization's reviewers, oldest first, after the position (created_at, id)."""
    operator = organizations.is_operator(db, organization)
    return [_dispute(row) for row in db.execute(_WAITING, (*start, organization, operator, limit))]


_HISTORY = (
    "SELECT at, actor, before_status, after_status, reason FROM dispute_event WHERE dispute_id = ? ORDER BY number"
)


def history(db: sqlite3.Connection, organization: str, name: str) -> list[DisputeEvent]:
    """History of a dispute, oldest first, for the organization and the reviewers. Raises Unknown.

    Only the operator sees the names of the operator's reviewers.
    """
    try:
        dispute = find(db, organization, name)
    except Unknown:
        dispute = for_review(db, organization, name)
    naming = _naming_for(db, dispute, organization)
    rows = db.execute(_HISTORY, (name,))
    return [
        DisputeEvent(at=at, actor=naming(who, after), before=was, after=after, reason=why)
        for at, who, was, after, why in rows
    ]


def withdraw(db: sqlite3.Connection, organization: str, name: str, actor: str, now: int, reason: str = "") -> Dispute:
    """Withdraw a dispute. Raises Unknown and ReviewError."""
    return step(db, find(db, organization, name), "withdrawn", actor, now, reason)


_MOVE = "UPDATE dispute SET status = ?, changed_at = ? WHERE id = ?"


def step(db: sqlite3.Connection, dispute: Dispute, after: Status, actor: str, now: int, reason: str) -> Dispute:
    """Move a dispute along an edge of EDGES. Raises ReviewError if EDGES has no such step."""
    if after not in EDGES[dispute.status]:
        possible = ", ".join(sorted(EDGES[dispute.status])) or "nothing"
        raise ReviewError(f"the dispute is {dispute.status} and cannot become {after}; from here: {possible}")
    db.execute(_MOVE, (after, now, dispute.id))
    _note(db, dispute.id, now, actor, dispute.status, after, reason)
    moved = find(db, dispute.organization, dispute.id)
    _audit(db, moved, now, actor, reason=reason)
    return moved


_NOTE = (
    "INSERT INTO dispute_event (dispute_id, at, actor, before_status, after_status, reason) VALUES (?, ?, ?, ?, ?, ?)"
)


def _note(
    db: sqlite3.Connection, name: str, at: int, actor: str, before: Status | None, after: Status, reason: str
) -> None:
    db.execute(_NOTE, (name, at, actor, before, after, reason))


def _audit(db: sqlite3.Connection, dispute: Dispute, now: int, actor: str, **details: str) -> None:
    """Append to the audit of the decision's organization, and of the operator as reviewer of the dispute."""
    given = {name: value for name, value in details.items() if value}
    facts = {"decision_id": dispute.decision_id, "domain": str(dispute.decision["normalized_domain"])} | given
    readers = {dispute.organization}
    if dispute.reviewed_by == "operator" and (operator := organizations.first(db)):
        readers.add(operator.id)
    for reader in sorted(readers):
        naming = _naming_for(db, dispute, reader)(actor, dispute.status)
        audit.append(db, reader, now, _ACTS[dispute.status], naming, dispute.id, **facts)


def _naming_for(db: sqlite3.Connection, dispute: Dispute, organization: str) -> Callable[[str, Status], str]:
    """Function from an actor to the name visible to an organization: reviewers of the operator stay anonymous."""
    by_others = dispute.reviewed_by == "operator" and not organizations.is_operator(db, organization)
    return lambda actor, after: "operator" if by_others and after in _REVIEWING else actor


_REVIEWING: frozenset[Status] = frozenset({"in_review", "upheld", "rejected"})


def _dispute(row: tuple[Any, ...]) -> Dispute:
    fields = dict(zip(Dispute.__struct_fields__, row, strict=False))
    fields["decision"] = msgspec.json.decode(fields["decision"])
    fields["evidence"] = tuple(fields["evidence"].split("\n")) if fields["evidence"] else ()
    return Dispute(**fields)


def relationships_behind(db: sqlite3.Connection, decision: Mapping[str, Any], organization: str) -> list[str]:
    """Ids of accepted relationships that a verified decision can rest on, of an organization or global ('')."""
    if not str(decision["relationship_status"]).startswith("verified_"):
        return []
    host = str(decision["normalized_domain"])
    labels = host.split(".")
    above = [".".join(labels[at:]) for at in range(len(labels))]
    marks = ", ".join("?" * len(above))
    query = (
        f"SELECT id FROM relationship WHERE domain IN ({marks}) AND organization = ? AND state = 'accepted'"  # noqa: S608 - only question marks
        " AND (scope = 'registrable' OR domain = ?) ORDER BY id"
    )
    return [str(row[0]) for row in db.execute(query, (*above, organization, host))]
