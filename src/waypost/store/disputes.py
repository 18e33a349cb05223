"""Somebody says that a decision is wrong. A dispute changes nothing by itself: a reviewer does, in `reviews`.

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
"""Who opened a dispute through the public door."""

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
    """What somebody says is wrong with a decision, and why. `evidence` are addresses; they are never fetched."""

    claim: Complaint
    statement: str
    contact: str = ""
    evidence: tuple[str, ...] = ()


class Dispute(msgspec.Struct, frozen=True, kw_only=True):
    """A dispute as it stands.

    reviewed_by  who decides it: the operator, or the organization where the decision rests on its own review alone
    decision     what the decision said, as it went out
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
    """One line of a dispute's history."""

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
    """File a dispute about a decision, for the organization that the decision was given to."""
    given, name = about.record, new_id()
    own = relationships_behind(db, about.document, given.organization)
    whose = "organization" if own and not relationships_behind(db, about.document, "") else "operator"
    told = (wording.claim, wording.statement, wording.contact, "\n".join(wording.evidence), actor)
    db.execute(_OPEN, (name, given.organization, whose, given.id, given.document.decode(), *told, now, now))
    _note(db, name, now, actor, None, "open", "")
    made = find(db, given.organization, name)
    _tell(db, made, now, actor, claim=made.claim)
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
_LISTED = f"SELECT {_COLUMNS}, number FROM dispute WHERE organization = ? AND number < ? ORDER BY number DESC LIMIT ?"  # noqa: S608 - a constant
_WAITING = (
    f"SELECT {_COLUMNS} FROM dispute WHERE status IN ('open', 'in_review') AND (created_at, id) > (?, ?)"  # noqa: S608 - a constant
    " AND ((reviewed_by = 'organization' AND organization = ?) OR (reviewed_by = 'operator' AND ?))"
    " ORDER BY created_at, id LIMIT ?"
)
_NEWEST = 1 << 62


def find(db: sqlite3.Connection, organization: str, name: str) -> Dispute:
    """A dispute about one of the organization's decisions. Raises Unknown."""
    row = db.execute(_FIND, (organization, name)).fetchone()
    if row is None:
        raise Unknown("dispute")
    return _dispute(row)


def for_review(db: sqlite3.Connection, organization: str, name: str) -> Dispute:
    """A dispute that the organization's reviewers decide. Raises Unknown."""
    operator = organizations.is_operator(db, organization)
    row = db.execute(_REVIEWED, (name, organization, operator)).fetchone()
    if row is None:
        raise Unknown("dispute")
    return _dispute(row)


def find_page(
    db: sqlite3.Connection, organization: str, *, limit: int = 100, after: Position | None = None
) -> Page[Dispute]:
    """The disputes about an organization's decisions, newest first."""
    start = after[0] if after else _NEWEST
    rows = db.execute(_LISTED, (organization, start, limit + 1)).fetchall()
    return page([((row[-1],), _dispute(row)) for row in rows], limit)


def waiting(db: sqlite3.Connection, organization: str, start: Position, limit: int) -> list[Dispute]:
    """What the organization's reviewers have to decide, oldest first, from behind (created_at, id) on."""
    operator = organizations.is_operator(db, organization)
    return [_dispute(row) for row in db.execute(_WAITING, (*start, organization, operator, limit))]


_HISTORY = (
    "SELECT at, actor, before_status, after_status, reason FROM dispute_event WHERE dispute_id = ? ORDER BY number"
)


def history(db: sqlite3.Connection, organization: str, name: str) -> list[DisputeEvent]:
    """Everything that happened to a dispute, in order, for whose it is and for who reviews it. Raises Unknown.

    Who among the operator's reviewers did it, only the operator is told.
    """
    try:
        dispute = find(db, organization, name)
    except Unknown:
        dispute = for_review(db, organization, name)
    shown = _shown_to(db, dispute, organization)
    rows = db.execute(_HISTORY, (name,))
    return [
        DisputeEvent(at=at, actor=shown(who, after), before=was, after=after, reason=why)
        for at, who, was, after, why in rows
    ]


def withdraw(db: sqlite3.Connection, organization: str, name: str, actor: str, now: int, reason: str = "") -> Dispute:
    """Take a dispute back. Raises Unknown and ReviewError."""
    return step(db, find(db, organization, name), "withdrawn", actor, now, reason)


_MOVE = "UPDATE dispute SET status = ?, changed_at = ? WHERE id = ?"


def step(db: sqlite3.Connection, dispute: Dispute, after: Status, actor: str, now: int, reason: str) -> Dispute:
    """Move a dispute along one edge. Raises ReviewError where there is none."""
    if after not in EDGES[dispute.status]:
        possible = ", ".join(sorted(EDGES[dispute.status])) or "nothing"
        raise ReviewError(f"the dispute is {dispute.status} and cannot become {after}; from here: {possible}")
    db.execute(_MOVE, (after, now, dispute.id))
    _note(db, dispute.id, now, actor, dispute.status, after, reason)
    moved = find(db, dispute.organization, dispute.id)
    _tell(db, moved, now, actor, reason=reason)
    return moved


_NOTE = (
    "INSERT INTO dispute_event (dispute_id, at, actor, before_status, after_status, reason) VALUES (?, ?, ?, ?, ?, ?)"
)


def _note(
    db: sqlite3.Connection, name: str, at: int, actor: str, before: Status | None, after: Status, reason: str
) -> None:
    db.execute(_NOTE, (name, at, actor, before, after, reason))


def _tell(db: sqlite3.Connection, dispute: Dispute, now: int, actor: str, **details: str) -> None:
    """Into the audit of whom the decision was given to, and of the operator who reviews it."""
    kept = {name: value for name, value in details.items() if value}
    facts = {"decision_id": dispute.decision_id, "domain": str(dispute.decision["normalized_domain"])} | kept
    whose = {dispute.organization}
    if dispute.reviewed_by == "operator" and (operator := organizations.first(db)):
        whose.add(operator.id)
    for each in sorted(whose):
        shown = _shown_to(db, dispute, each)(actor, dispute.status)
        audit.append(db, each, now, _ACTS[dispute.status], shown, dispute.id, **facts)


def _shown_to(db: sqlite3.Connection, dispute: Dispute, organization: str) -> Callable[[str, Status], str]:
    """How an organization is told who acted: the operator's reviewers have no names for others."""
    by_others = dispute.reviewed_by == "operator" and not organizations.is_operator(db, organization)
    return lambda actor, after: "operator" if by_others and after in _REVIEWING else actor


_REVIEWING: frozenset[Status] = frozenset({"in_review", "upheld", "rejected"})


def _dispute(row: tuple[Any, ...]) -> Dispute:
    fields = dict(zip(Dispute.__struct_fields__, row, strict=False))
    fields["decision"] = msgspec.json.decode(fields["decision"])
    fields["evidence"] = tuple(fields["evidence"].split("\n")) if fields["evidence"] else ()
    return Dispute(**fields)


def relationships_behind(db: sqlite3.Connection, decision: Mapping[str, Any], organization: str) -> list[str]:
    """The accepted relationships of one organization, or of all (''), that a verified decision can rest on."""
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
