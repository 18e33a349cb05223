"""Claims, their review, and what came of it. One table says which steps there are; no other is possible.

    claim -> unreviewed -> in_review -> accepted | rejected
                                        accepted -> disputed | revoked | expired

Every step adds a line to the history, and an event to the audit of whom it concerns; nothing is ever taken away.
Who submits a claim, or joins it, never reviews it. Every function that writes wants to run inside `Store.write`;
clocks are arguments, in milliseconds since 1970, UTC.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from waypost.models.relationship import (
    Act,
    Claim,
    Event,
    Record,
    Relation,
    Relationship,
    RelationshipState,
    RelationshipType,
)
from waypost.store import audit, clock, organizations
from waypost.store.errors import ReviewError, Unknown, UnknownRelationship

DAY_MS = 86_400_000
LONGEST_REVIEW_DAYS = 365
TWO_REVIEWERS: frozenset[RelationshipType] = frozenset({"official_login", "official_payment"})
"""Global relationships of these types take two different reviewers: people log in and pay there."""
GRAVE_REVIEWERS = 2
"""Who must stand behind any other global relationship before it carries such an action too."""
CLOCK = "clock"
REGISTRY = "registry"
"""Who submitted and accepted what ships with waypost."""

EDGES: Mapping[RelationshipState | None, Mapping[RelationshipState, Act]] = MappingProxyType(
    {
        None: {"unreviewed": "submitted"},
        "unreviewed": {"in_review": "taken_up"},
        "in_review": {"accepted": "accepted", "rejected": "rejected", "unreviewed": "sent_back"},
        "accepted": {"disputed": "disputed", "revoked": "revoked", "expired": "expired"},
        "disputed": {"accepted": "reinstated", "revoked": "revoked"},
        "expired": {"in_review": "taken_up"},
        "rejected": {},
        "revoked": {},
    }
)
"""From each state to those that may follow, and what the step is called. None: there is no relationship yet."""
_APART: frozenset[RelationshipState] = frozenset({"accepted", "rejected"})
"""Steps that whoever submitted the claim may not take. To doubt and to withdraw is open to every reviewer."""


class SubmittedClaim(NamedTuple):
    """Where a claim went. `new` is false when it joined one that was already waiting."""

    id: str
    new: bool


_WAITING = (
    "SELECT id FROM relationship WHERE organization = ? AND domain = ? AND scope = ? AND entity = ? AND type = ?"
    " AND state IN ('unreviewed', 'in_review') ORDER BY created_at, id LIMIT 1"
)
_SUBMIT = (
    "INSERT INTO relationship (id, organization, domain, scope, entity, entity_name, type, url, statement, submitter,"
    " created_at, state, changed_at, review_source) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'unreviewed', ?, '')"
)
_SAME_CLAIM = "SELECT count(*) FROM relationship_claim WHERE relationship_id = ? AND origin = ? AND snapshot = ?"
_CLAIM = (
    "INSERT INTO relationship_claim (relationship_id, submitter, origin, source, snapshot, evidence, at, claimant)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)


def submit(db: sqlite3.Connection, claim: Claim, now: int, *, claimant: str = "") -> SubmittedClaim:
    """File a claim as unreviewed, or beside those that say the same and wait for a review.

    `claimant` is the organization that is told what comes of a claim that is to hold for all.
    """
    subject = (claim.organization, claim.domain, claim.scope, claim.entity, claim.type)
    waiting = db.execute(_WAITING, subject).fetchone()
    found = str(waiting[0]) if waiting else f"rel_{secrets.token_hex(10)}"
    if not waiting:
        told = (claim.entity_name, claim.type, claim.url, claim.statement, claim.submitter)
        db.execute(_SUBMIT, (found, *subject[:4], *told, now, now))
        _note(db, found, now, "submitted", claim.submitter, None, "unreviewed", "", claimant)
    elif claim.snapshot and db.execute(_SAME_CLAIM, (found, claim.origin, claim.snapshot)).fetchone()[0]:
        return SubmittedClaim(found, new=False)  # The same file once more adds nothing.
    else:
        state = get(db, found).state
        _note(db, found, now, "claimed_again", claim.submitter, state, state, "", claimant)
    evidence = "\n".join(claim.evidence)
    source = (claim.submitter, claim.origin, claim.source, claim.snapshot)
    db.execute(_CLAIM, (found, *source, evidence, now, claimant))
    return SubmittedClaim(found, not waiting)


_ADOPT = (
    "INSERT INTO relationship (id, organization, domain, scope, entity, entity_name, type, url, statement, submitter,"
    " created_at, state, changed_at, reviewed_at, review_expires_at, review_source)"
    " VALUES (?, '', ?, ?, ?, ?, 'official_site', '', '', ?, ?, 'accepted', ?, ?, ?, ?)"
)
_KNOWN = "SELECT count(*) FROM relationship WHERE id = ?"


def adopt(db: sqlite3.Connection, shipped: Relationship, entity_name: str, now: int) -> None:
    """Write a shipped review down, so that it can be doubted here. Nothing happens to one that is already."""
    if db.execute(_KNOWN, (shipped.id,)).fetchone()[0]:
        return
    review = (shipped.reviewed_at, shipped.review_expires_at, shipped.review_source)
    subject = (shipped.id, shipped.domain, shipped.scope, shipped.entity, entity_name)
    db.execute(_ADOPT, (*subject, REGISTRY, now, now, *review))
    _note(db, shipped.id, now, "submitted", REGISTRY, None, "unreviewed", shipped.review_source)
    _note(db, shipped.id, now, "taken_up", REGISTRY, "unreviewed", "in_review", "")
    _note(db, shipped.id, now, "accepted", REGISTRY, "in_review", "accepted", "")


def take_up(db: sqlite3.Connection, name: str, reviewer: str, now: int, reason: str = "") -> Record:
    """Begin the review of a claim, or of a relationship whose review has expired."""
    return _step(db, name, "in_review", reviewer, now, reason)


def send_back(db: sqlite3.Connection, name: str, reviewer: str, now: int, reason: str) -> Record:
    """Ask for changes: the claim waits again."""
    return _step(db, name, "unreviewed", reviewer, now, reason)


def accept(
    db: sqlite3.Connection, name: str, reviewer: str, now: int, reason: str = "", days: int = LONGEST_REVIEW_DAYS
) -> Record:
    """Approve a relationship: with the last approval that it takes it is accepted, for `days` from now.

    A claim that still waits is taken up first. One that is disputed is reinstated, for no longer than its review
    held before. One that is accepted already gains a second reviewer, and holds no longer for it.
    Raises ReviewError, UnknownRelationship and ClockBehind.
    """
    clock.check(db, now)
    if not 1 <= days <= LONGEST_REVIEW_DAYS:
        raise ReviewError(f"a review holds 1 to {LONGEST_REVIEW_DAYS} days, not {days}")
    expire(db, now)
    record = get(db, name)
    if record.state in {"unreviewed", "expired"}:
        _may(db, record, "accepted", reviewer, via="in_review")
        record = take_up(db, name, reviewer, now)
    if record.state == "accepted":
        return _seconded(db, record, reviewer, now, reason)
    _may(db, record, "accepted", reviewer)
    _unrivalled(db, record)
    if reviewer in record.approvals:
        raise ReviewError(f"{reviewer} has already approved {name}; it takes two different reviewers")
    if len(record.approvals) + 1 < record.needed:
        _note(db, name, now, "approved", reviewer, record.state, record.state, reason)
        return get(db, name)
    until = now + days * DAY_MS
    if record.state == "disputed":
        until = min(until, record.review_expires_at or until)
        if until <= now:
            raise ReviewError(f"the review of {name} has lapsed meanwhile; revoke it and submit the claim anew")
    whose = "organization" if record.organization else "operator"
    source = f"{whose} {datetime.fromtimestamp(now / 1000, UTC):%Y-%m-%d}"
    return _step(db, name, "accepted", reviewer, now, reason, reviewed=(now, until, source))


def _seconded(db: sqlite3.Connection, record: Record, reviewer: str, now: int, reason: str) -> Record:
    """One more reviewer's word for what is accepted: with two it carries what cannot be called back."""
    _is_apart(db, record, reviewer)
    if record.submitter == REGISTRY or reviewer in _behind(db, record.id):
        raise ReviewError(f"{record.id} is accepted already")
    _note(db, record.id, now, "approved", reviewer, record.state, record.state, reason)
    return get(db, record.id)


_BEHIND = (
    "SELECT DISTINCT actor FROM relationship_event WHERE relationship_id = ?"
    " AND act IN ('approved', 'accepted', 'reinstated') AND number >"
    " (SELECT max(number) FROM relationship_event WHERE relationship_id = ? AND after_state <> 'accepted'"
    " AND (before_state IS NULL OR before_state <> after_state))"
)


def _behind(db: sqlite3.Connection, name: str) -> set[str]:
    """Whose word an accepted relationship rests on, since it last was anything else."""
    return {str(row[0]) for row in db.execute(_BEHIND, (name, name))}


def reject(db: sqlite3.Connection, name: str, reviewer: str, now: int, reason: str) -> Record:
    """Turn a claim down; it is taken up first where it still waits."""
    record = get(db, name)
    if record.state == "unreviewed":
        _may(db, record, "rejected", reviewer, via="in_review")
        take_up(db, name, reviewer, now)
    return _step(db, name, "rejected", reviewer, now, reason)


def dispute(db: sqlite3.Connection, name: str, reviewer: str, now: int, reason: str) -> Record:
    """Doubt an accepted relationship: from now on it stops every sensitive action there."""
    expire(db, now, name)
    return _step(db, name, "disputed", reviewer, now, reason)


def revoke(db: sqlite3.Connection, name: str, reviewer: str, now: int, reason: str) -> Record:
    """Take an accepted or disputed relationship back, for good."""
    expire(db, now, name)
    if get(db, name).submitter == REGISTRY:
        raise ReviewError(f"{name} ships with waypost and would come back; dispute it instead")
    return _step(db, name, "revoked", reviewer, now, reason)


_OVERDUE = (
    "SELECT id FROM relationship WHERE state = 'accepted' AND review_expires_at <= ? AND (? = '' OR id = ?) ORDER BY id"
)


def expire(db: sqlite3.Connection, now: int, name: str = "") -> int:
    """Write down which accepted relationships have outlived their review, one or all; how many there were.

    Nothing rests on this having run: whoever reads compares the review's end with the clock.
    """
    overdue = [str(row[0]) for row in db.execute(_OVERDUE, (now, name, name))]
    for each in overdue:
        _step(db, each, "expired", CLOCK, now, "the review is too old")
    return len(overdue)


_RIVAL = (
    "SELECT entity_name, id FROM relationship WHERE domain = ? AND scope = ? AND organization = ? AND entity <> ?"
    " AND type <> 'affiliate' AND state IN ('accepted', 'disputed') ORDER BY id LIMIT 1"
)


def _unrivalled(db: sqlite3.Connection, record: Record) -> None:
    """A domain is one entity's own; many may be served by one affiliate."""
    if record.type == "affiliate":
        return
    rival = db.execute(_RIVAL, (record.domain, record.scope, record.organization, record.entity)).fetchone()
    if rival:
        raise ReviewError(f"{record.domain} is already {rival[0]}'s ({rival[1]}); revoke that first if it is wrong")


def _may(
    db: sqlite3.Connection,
    record: Record,
    after: RelationshipState,
    reviewer: str,
    via: RelationshipState | None = None,
) -> Act:
    """What a step is called, if it may be taken by this person."""
    act = EDGES[record.state].get(via or after)
    if act is None:
        possible = ", ".join(EDGES[record.state]) or "nothing"
        raise ReviewError(f"{record.id} is {record.state} and cannot become {after}; from here: {possible}")
    _is_apart(db, record, reviewer, after)
    return act


_CLAIMED_BY = "SELECT count(*) FROM relationship_claim WHERE relationship_id = ? AND submitter = ?"


def _is_apart(db: sqlite3.Connection, record: Record, reviewer: str, after: RelationshipState = "accepted") -> None:
    if not reviewer.strip():
        raise ReviewError("a review needs the name of its reviewer")
    if after not in _APART:
        return
    if reviewer == record.submitter or db.execute(_CLAIMED_BY, (record.id, reviewer)).fetchone()[0]:
        raise ReviewError(f"{reviewer} submitted {record.id}; somebody else must review it")


_MOVE = (
    "UPDATE relationship SET state = ?, changed_at = ?, reviewed_at = ?, review_expires_at = ?, review_source = ?"
    " WHERE id = ? AND state = ?"
)


def _step(
    db: sqlite3.Connection,
    name: str,
    after: RelationshipState,
    actor: str,
    now: int,
    reason: str,
    reviewed: tuple[int, int, str] | None = None,
) -> Record:
    record = get(db, name)
    act = _may(db, record, after, actor)
    review = reviewed or (record.reviewed_at, record.review_expires_at, record.review_source)
    db.execute(_MOVE, (after, now, *review, name, record.state))
    _note(db, name, now, act, actor, record.state, after, reason)
    return get(db, name)


_NOTE = (
    "INSERT INTO relationship_event (relationship_id, at, act, actor, before_state, after_state, reason)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)


def _note(
    db: sqlite3.Connection,
    name: str,
    at: int,
    act: Act,
    actor: str,
    before: RelationshipState | None,
    after: RelationshipState,
    reason: str,
    claimant: str = "",
) -> None:
    db.execute(_NOTE, (name, at, act, actor, before, after, reason))
    _tell(db, name, at, act, actor, reason, claimant)


_SUBJECT = "SELECT organization, domain, type FROM relationship WHERE id = ?"
_CLAIMANTS = "SELECT DISTINCT claimant FROM relationship_claim WHERE relationship_id = ? AND claimant <> ''"


def _tell(db: sqlite3.Connection, name: str, at: int, act: Act, actor: str, reason: str, claimant: str) -> None:
    """Into the audit of whose it is; where it holds for all, the operator's, and that of those who claimed it.

    They learn what came of their claim, and not who reviewed it or who else made it.
    """
    organization, domain, kind = db.execute(_SUBJECT, (name,)).fetchone()
    whose = {organization: actor}
    if not organization:
        operator = organizations.first(db)
        claims = act in {"submitted", "claimed_again"}
        others = {claimant} if claims else {row[0] for row in db.execute(_CLAIMANTS, (name,))}
        whose = {each: actor if claims else "operator" for each in sorted(others) if each}
        if operator:
            whose[operator.id] = actor
    facts = {"domain": domain, "relationship_type": kind} | ({"reason": reason} if reason else {})
    for each, who in whose.items():
        if organizations.find(db, each):
            audit.append(db, each, at, f"relationship.{act}", who, name, **facts)


_COLUMNS = (
    "r.id, r.organization, r.domain, r.scope, r.entity, r.entity_name, r.type, r.url, r.statement, r.submitter,"
    " r.created_at, r.state, r.changed_at, r.reviewed_at, r.review_expires_at, r.review_source"
)
_GET = f"SELECT {_COLUMNS} FROM relationship r WHERE r.id = ?"  # noqa: S608 - a constant


def get(db: sqlite3.Connection, name: str) -> Record:
    """One relationship. Raises UnknownRelationship."""
    row = db.execute(_GET, (name,)).fetchone()
    if row is None:
        raise UnknownRelationship(name)
    return _record(db, row)


_FIRST_CLAIMANT = "SELECT claimant FROM relationship_claim WHERE relationship_id = ? ORDER BY rowid LIMIT 1"
_OWN = (
    f"SELECT {_COLUMNS} FROM relationship r WHERE r.id = ? AND (r.organization = ? OR (r.organization = '' AND EXISTS"  # noqa: S608 - a constant
    " (SELECT 1 FROM relationship_claim c WHERE c.relationship_id = r.id AND c.claimant = ?)))"
)


def own(db: sqlite3.Connection, organization: str, name: str) -> Record:
    """A relationship of an organization's own, or one for all that it claimed. Raises Unknown.

    What others said who claimed it first is theirs: of a claim that joined another's the words are left out.
    """
    row = db.execute(_OWN, (name, organization, organization)).fetchone()
    if row is None:
        raise Unknown("relationship")
    record = _record(db, row)
    if record.organization or db.execute(_FIRST_CLAIMANT, (name,)).fetchone()[0] == organization:
        return record
    return msgspec.structs.replace(record, url="", statement="", submitter="", approvals=())


_LIST = (
    f"SELECT {_COLUMNS} FROM relationship r WHERE r.organization = ? AND (? = '' OR r.state = ?)"  # noqa: S608 - a constant
    " AND (r.created_at, r.id) > (?, ?) ORDER BY r.created_at, r.id LIMIT ?"
)


def find_many(
    db: sqlite3.Connection,
    state: RelationshipState | None = None,
    *,
    organization: str = "",
    limit: int = 100,
    after: Record | None = None,
) -> list[Record]:
    """The relationships of one organization, or those that hold for all, oldest first, from behind `after` on."""
    start = (after.created_at, after.id) if after else (-1, "")
    rows = db.execute(_LIST, (organization, state or "", state or "", *start, limit)).fetchall()
    return [_record(db, row) for row in rows]


_CLAIMS = "SELECT count(*), count(DISTINCT origin) FROM relationship_claim WHERE relationship_id = ?"
_APPROVALS = (
    "SELECT actor FROM relationship_event WHERE relationship_id = ? AND act = 'approved' AND number >"
    " (SELECT max(number) FROM relationship_event WHERE relationship_id = ?"
    " AND (before_state IS NULL OR before_state <> after_state)) ORDER BY number"
)


def _record(db: sqlite3.Connection, row: tuple[str | int | None, ...]) -> Record:
    name = str(row[0])
    claims, origins = db.execute(_CLAIMS, (name,)).fetchone()
    approvals = tuple(str(each[0]) for each in db.execute(_APPROVALS, (name, name)))
    fields = dict(zip(Record.__struct_fields__, (*row, claims, origins, approvals, 0), strict=True))
    fields["needed"] = 2 if not fields["organization"] and fields["type"] in TWO_REVIEWERS else 1
    return Record(**fields)


_EVIDENCE = "SELECT evidence FROM relationship_claim WHERE relationship_id = ? AND evidence <> '' ORDER BY at, evidence"


def evidence(db: sqlite3.Connection, name: str) -> tuple[str, ...]:
    """The addresses at which those who claimed it say that a reviewer may look. They are never fetched."""
    rows = db.execute(_EVIDENCE, (name,))
    return tuple(dict.fromkeys(each for row in rows for each in str(row[0]).split("\n")))


_HISTORY = (
    "SELECT at, act, actor, before_state, after_state, reason FROM relationship_event"
    " WHERE relationship_id = ? ORDER BY number"
)


def history(db: sqlite3.Connection, name: str) -> list[Event]:
    """Everything that happened to a relationship, in order. Raises UnknownRelationship."""
    get(db, name)
    rows = db.execute(_HISTORY, (name,))
    return [Event(at=a, act=b, actor=c, before=d, after=e, reason=f) for a, b, c, d, e, f in rows]


_ABOUT = (
    "SELECT id, domain, entity, type, scope, state, review_source, reviewed_at, review_expires_at, organization"
    " FROM relationship WHERE domain IN (?, ?) AND organization IN ('', ?)"
    " AND state IN ('unreviewed', 'in_review', 'accepted', 'disputed', 'expired') ORDER BY created_at, id"
)


def about(db: sqlite3.Connection, host: str, registrable: str, organization: str = "") -> tuple[Relationship, ...]:
    """What is claimed, accepted, doubted or lapsed about a destination: for all, and for this organization's keys.

    What was turned down or taken back is no word about anything any more.
    """
    rows = db.execute(_ABOUT, (host, registrable, organization)).fetchall()
    return tuple(
        Relationship(
            id=name,
            domain=domain,
            entity=entity,
            relation=_relation(kind),
            scope=scope,
            state=state,
            review_source=source,
            reviewed_at=at,
            review_expires_at=until,
            organization=whose,
            grave=state == "accepted" and _is_grave(db, name, whose),
        )
        for name, domain, entity, kind, scope, state, source, at, until, whose in rows
    )


def _is_grave(db: sqlite3.Connection, name: str, organization: str) -> bool:
    return bool(organization) or name.startswith(f"{REGISTRY}:") or len(_behind(db, name)) >= GRAVE_REVIEWERS


def _relation(kind: str) -> Relation:
    return "affiliate" if kind == "affiliate" else "official"
