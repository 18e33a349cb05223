"""Relationships: a claim, the review of the claim, and the result. EDGES lists the possible steps.

    claim -> unreviewed -> in_review -> accepted | rejected
                                        accepted -> disputed | revoked | expired

Every step adds an entry to the history, and an event to the audits of the organizations concerned; entries and events
are never deleted. Submitters never review a claim of their own. Functions with `now` write, and run inside
`Store.write`; `now` is in milliseconds since 1970, UTC.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from operator import itemgetter
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from waypost.models.relationship import (
    STATES,
    Act,
    Claim,
    Event,
    OwnershipSnapshot,
    Record,
    Relationship,
    RelationshipState,
    RelationshipType,
)
from waypost.registry.skeletons import skeleton
from waypost.store import audit, clock, disputes, doubts, organizations, search
from waypost.store.engines import Connection, is_sqlite
from waypost.store.errors import ReviewError, Unknown, UnknownRelationship
from waypost.store.rows import Rows, lines

DAY_MS = 86_400_000
LONGEST_REVIEW_DAYS = 365
TWO_REVIEWERS: frozenset[RelationshipType] = frozenset({"official_login", "official_payment"})
"""Types of global relationships accepted by two different reviewers: people log in or pay at these addresses."""
GRAVE_REVIEWERS = 2
"""Reviewers needed before a global relationship of any type allows logins and payments."""
CLOCK = "clock"
REGISTRY = "registry"
"""Submitter and reviewer of the relationships shipped with waypost."""

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
"""Names of the possible steps, by state before and state after. None: no relationship yet."""
_NEED_OTHER_REVIEWER: frozenset[RelationshipState] = frozenset({"accepted", "rejected"})
"""States closed to submitters of the claim. Dispute and revocation are open to every reviewer."""


class SubmittedClaim(NamedTuple):
    """Relationship of a submitted claim. `new` is false if the claim joined a relationship waiting for review."""

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


def submit(db: Connection, claim: Claim, now: int, *, claimant: str = "") -> SubmittedClaim:
    """File a claim as unreviewed, or with the relationship of equal claims waiting for review.

    claimant  organization whose audit receives the result of a global claim
    """
    subject = (claim.organization, claim.domain, claim.scope, claim.entity, claim.type)
    waiting = db.execute(_WAITING, subject).fetchone()
    found = str(waiting[0]) if waiting else f"rel_{secrets.token_hex(10)}"
    if not waiting:
        texts = (claim.entity_name, claim.type, claim.url, claim.statement, claim.submitter)
        db.execute(_SUBMIT, (found, *subject[:4], *texts, now, now))
        _index(db, found, f"{claim.entity_name} {claim.entity} {claim.domain}", claim.organization, "unreviewed")
        _note(db, found, now, "submitted", claim.submitter, None, "unreviewed", "", claimant)
    elif claim.snapshot and db.execute(_SAME_CLAIM, (found, claim.origin, claim.snapshot)).fetchone()[0]:
        return SubmittedClaim(found, new=False)  # The same file was imported before.
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


def adopt(db: Connection, shipped: Relationship, entity_name: str, now: int) -> None:
    """Insert a review shipped with waypost, to make a dispute possible; no effect on a known relationship."""
    if db.execute(_KNOWN, (shipped.id,)).fetchone()[0]:
        return
    review = (shipped.reviewed_at, shipped.review_expires_at, shipped.review_source)
    subject = (shipped.id, shipped.domain, shipped.scope, shipped.entity, entity_name)
    db.execute(_ADOPT, (*subject, REGISTRY, now, now, *review))
    _index(db, shipped.id, f"{entity_name} {shipped.entity} {shipped.domain}", "", "reviewed")
    _note(db, shipped.id, now, "submitted", REGISTRY, None, "unreviewed", shipped.review_source)
    _note(db, shipped.id, now, "taken_up", REGISTRY, "unreviewed", "in_review", "")
    _note(db, shipped.id, now, "accepted", REGISTRY, "in_review", "accepted", "")


def _index(db: Connection, name: str, text: str, organization: str, standing: str) -> None:
    """Index a new relationship for the search; SQLite has a trigger for all but the words."""
    if is_sqlite(db):
        search.add_words(db, text)
    else:
        from waypost.store.engines.postgres_text import add_relationship

        add_relationship(db, name, text, organization, standing)


def take_up(db: Connection, name: str, reviewer: str, now: int) -> Record:
    """Begin the review of a claim, or of an expired relationship."""
    return _step(db, name, "in_review", reviewer, now, "")


def send_back(db: Connection, name: str, reviewer: str, now: int, reason: str) -> Record:
    """Request changes: the claim becomes unreviewed again; a waiting claim is taken up first."""
    if get(db, name).state == "unreviewed":
        take_up(db, name, reviewer, now)
    return _step(db, name, "unreviewed", reviewer, now, reason)


def accept(
    db: Connection,
    name: str,
    reviewer: str,
    now: int,
    reason: str = "",
    days: int = LONGEST_REVIEW_DAYS,
    snapshot: OwnershipSnapshot | None = None,
) -> Record:
    """Approve a relationship. The last approval needed accepts the relationship for `days` from now.

    snapshot  facts about the domain today, with which later registration data are compared

    A waiting claim is taken up first. A disputed relationship is reinstated, until the previous expiry of the review
    at most. An accepted relationship gains a second reviewer and keeps the expiry.
    Raises ReviewError, UnknownRelationship and ClockBehind.
    """
    record = _accept(db, name, reviewer, now, reason, days)
    doubts.put_snapshot(db, name, snapshot, now)
    return record


def _accept(db: Connection, name: str, reviewer: str, now: int, reason: str, days: int) -> Record:
    clock.check(db, now)
    if not 1 <= days <= LONGEST_REVIEW_DAYS:
        raise ReviewError(f"a review holds 1 to {LONGEST_REVIEW_DAYS} days, not {days}")
    expire(db, now)  # an overdue rival must not block the acceptance
    record = get(db, name)
    if record.state in {"unreviewed", "expired"}:
        # The whole way is checked before the first step, so that a refused one leaves no trace in the history.
        _check_step(db, record, "accepted", reviewer, via="in_review")
        record = take_up(db, name, reviewer, now)
    if record.state == "accepted":
        return _approve_again(db, record, reviewer, now, reason)
    _check_step(db, record, "accepted", reviewer)
    _check_no_rival(db, record)
    # Names that look alike count as one reviewer (UTS #39).
    if skeleton(reviewer) in map(skeleton, record.approvals):
        raise ReviewError(f"{reviewer} has already approved {name}; it takes two different reviewers")
    if len(record.approvals) + 1 < record.needed:
        _note(db, name, now, "approved", reviewer, record.state, record.state, reason)
        return get(db, name)
    until = now + days * DAY_MS
    if record.state == "disputed":  # a dispute must not prolong the review that it doubts
        until = min(until, record.review_expires_at or until)
        if until <= now:
            raise ReviewError(f"the review of {name} has lapsed meanwhile; revoke it and submit the claim again")
    reviewed_by = "organization" if record.organization else "operator"
    source = f"{reviewed_by} {datetime.fromtimestamp(now / 1000, UTC):%Y-%m-%d}"
    return _step(db, name, "accepted", reviewer, now, reason, reviewed=(now, until, source))


def _approve_again(db: Connection, record: Record, reviewer: str, now: int, reason: str) -> Record:
    """Add a second approval to an accepted relationship, which then allows irreversible actions.

    Raises ReviewError for a repeated approval, and for a relationship shipped with waypost.
    """
    _check_reviewer(db, record, reviewer)
    if record.submitter == REGISTRY or skeleton(reviewer) in _reviewers_of(db, record.id):
        raise ReviewError(f"{record.id} is accepted already")
    _note(db, record.id, now, "approved", reviewer, record.state, record.state, reason)
    return get(db, record.id)


# Approvals count from the last change of state on, so that those before a dispute or an expiry are not counted again.
_BEHIND = (
    "SELECT DISTINCT actor FROM relationship_event WHERE relationship_id = ?"
    " AND act IN ('approved', 'accepted', 'reinstated') AND number >"
    " (SELECT max(number) FROM relationship_event WHERE relationship_id = ? AND after_state <> 'accepted'"
    " AND (before_state IS NULL OR before_state <> after_state))"
)


def _reviewers_of(db: Connection, name: str) -> set[str]:
    """Skeletons of reviewers with an approval since the relationship was last in a state different from accepted.

    Names that look alike are one person: two pairs of eyes take two people.
    """
    return {skeleton(str(row[0])) for row in db.execute(_BEHIND, (name, name))}


def reject(db: Connection, name: str, reviewer: str, now: int, reason: str) -> Record:
    """Reject a claim; a waiting claim is taken up first. Raises ReviewError and UnknownRelationship."""
    record = get(db, name)
    if record.state == "unreviewed":
        _check_step(db, record, "rejected", reviewer, via="in_review")
        take_up(db, name, reviewer, now)
    return _step(db, name, "rejected", reviewer, now, reason)


def dispute(db: Connection, name: str, reviewer: str, now: int, reason: str) -> Record:
    """Dispute an accepted relationship: sensitive actions at the domain are stopped from now on."""
    expire(db, now, name)
    return _step(db, name, "disputed", reviewer, now, reason)


def revoke(db: Connection, name: str, reviewer: str, now: int, reason: str) -> Record:
    """Revoke an accepted or disputed relationship, permanently."""
    expire(db, now, name)
    if get(db, name).submitter == REGISTRY:
        raise ReviewError(f"{name} ships with waypost and would come back; dispute it instead")
    return _step(db, name, "revoked", reviewer, now, reason)


_OVERDUE = "SELECT id FROM relationship WHERE state = 'accepted' AND review_expires_at <= ?"
_OVERDUE_ONE = f"{_OVERDUE} AND id = ?"


def expire(db: Connection, now: int, name: str = "") -> int:
    """Number of accepted relationships marked as expired: `name` alone, or every overdue relationship.

    Readers compare the expiry with the clock, and do not depend on the mark.
    """
    rows = db.execute(_OVERDUE_ONE, (now, name)) if name else db.execute(_OVERDUE, (now,))
    overdue = [str(row[0]) for row in rows]
    for overdue_id in sorted(overdue):
        _step(db, overdue_id, "expired", CLOCK, now, "the review is too old")
    return len(overdue)


# A disputed owner is a rival too: the dispute may be rejected, and then two would own the domain.
_RIVAL = (
    "SELECT entity_name, id FROM relationship WHERE domain = ? AND scope = ? AND organization = ? AND entity <> ?"
    " AND type <> 'affiliate' AND state IN ('accepted', 'disputed') ORDER BY id LIMIT 1"
)


def _check_no_rival(db: Connection, record: Record) -> None:
    """Raises ReviewError if another entity owns the domain. Affiliates own no domain and have no rivals."""
    if record.type == "affiliate":
        return
    rival = db.execute(_RIVAL, (record.domain, record.scope, record.organization, record.entity)).fetchone()
    if rival:
        raise ReviewError(f"{record.domain} is already {rival[0]}'s ({rival[1]}); revoke that first if it is wrong")


def _check_step(
    db: Connection,
    record: Record,
    after: RelationshipState,
    reviewer: str,
    via: RelationshipState | None = None,
) -> Act:
    """Name of a step. Raises ReviewError if the step is impossible, or closed to the reviewer."""
    act = EDGES[record.state].get(via or after)
    if act is None:
        possible = ", ".join(EDGES[record.state]) or "nothing"
        raise ReviewError(f"{record.id} is {record.state} and cannot become {after}; from here: {possible}")
    _check_reviewer(db, record, reviewer, after)
    return act


_CLAIMED_BY = "SELECT DISTINCT submitter FROM relationship_claim WHERE relationship_id = ?"


def _check_reviewer(db: Connection, record: Record, reviewer: str, after: RelationshipState = "accepted") -> None:
    if not reviewer.strip():
        raise ReviewError("a review needs the name of its reviewer")
    if after not in _NEED_OTHER_REVIEWER:
        return
    submitters = {record.submitter, *(str(row[0]) for row in db.execute(_CLAIMED_BY, (record.id,)))}
    if skeleton(reviewer) in map(skeleton, submitters):
        raise ReviewError(f"{reviewer} submitted {record.id}; someone else must review it")


_MOVE = (
    "UPDATE relationship SET state = ?, changed_at = ?, reviewed_at = ?, review_expires_at = ?, review_source = ?"
    " WHERE id = ? AND state = ?"
)


def _step(
    db: Connection,
    name: str,
    after: RelationshipState,
    actor: str,
    now: int,
    reason: str,
    reviewed: tuple[int, int, str] | None = None,
) -> Record:
    record = get(db, name)
    act = _check_step(db, record, after, actor)
    # A step without a review of its own keeps the last one: a dispute may be rejected, and the expiry counts on.
    review = reviewed or (record.reviewed_at, record.review_expires_at, record.review_source)
    db.execute(_MOVE, (after, now, *review, name, record.state))
    _note(db, name, now, act, actor, record.state, after, reason)
    return get(db, name)


_NOTE = (
    "INSERT INTO relationship_event (relationship_id, at, act, actor, before_state, after_state, reason)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)


def _note(
    db: Connection,
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
    _audit(db, name, at, act, actor, reason, claimant)


_SUBJECT = "SELECT organization, domain, type FROM relationship WHERE id = ?"
_CLAIMANTS = "SELECT DISTINCT claimant FROM relationship_claim WHERE relationship_id = ? AND claimant <> ''"


def _audit(db: Connection, name: str, at: int, act: Act, actor: str, reason: str, claimant: str) -> None:
    """Append to the audit of the organization, or for a global relationship of the operator and the claimants.

    Claimants see the result of the claim, without the names of reviewers and of further claimants.
    """
    organization, domain, kind = db.execute(_SUBJECT, (name,)).fetchone()
    actors = {organization: actor}
    if not organization:
        operator = organizations.first(db)
        claims = act in {"submitted", "claimed_again"}
        claimants = {claimant} if claims else {row[0] for row in db.execute(_CLAIMANTS, (name,))}
        actors = {reader: actor if claims else "operator" for reader in sorted(claimants) if reader}
        if operator:
            actors[operator.id] = actor
    facts = {"domain": domain, "relationship_type": kind} | ({"reason": reason} if reason else {})
    for reader, visible_actor in actors.items():
        if organizations.find(db, reader):
            audit.append(db, reader, at, f"relationship.{act}", visible_actor, name, **facts)


_RECORDS = Rows(Record)
_COLUMNS = _RECORDS.columns.partition(", claims")[0]
"""Columns of a relationship; the further members of a record are counted."""
_GET = f"SELECT {_COLUMNS} FROM relationship r WHERE r.id = ?"  # noqa: S608 - a constant


def get(db: Connection, name: str) -> Record:
    """Relationship of an id. Raises UnknownRelationship."""
    row = db.execute(_GET, (name,)).fetchone()
    if row is None:
        raise UnknownRelationship(name)
    return _record(db, row)


_FIRST_CLAIMANT = "SELECT claimant FROM relationship_claim WHERE relationship_id = ? ORDER BY rowid LIMIT 1"
_OWN = (
    f"SELECT {_COLUMNS} FROM relationship r WHERE r.id = ? AND (r.organization = ? OR (r.organization = '' AND EXISTS"  # noqa: S608 - a constant
    " (SELECT 1 FROM relationship_claim c WHERE c.relationship_id = r.id AND c.claimant = ?)))"
)


def own(db: Connection, organization: str, name: str) -> Record:
    """Relationship of an organization, or a global relationship claimed by the organization. Raises Unknown.

    The first claimant wrote the texts: `url`, `statement` and `submitter` are empty for later claimants.
    """
    row = db.execute(_OWN, (name, organization, organization)).fetchone()
    if row is None:
        raise Unknown("relationship")
    record = _record(db, row)
    if record.organization or db.execute(_FIRST_CLAIMANT, (name,)).fetchone()[0] == organization:
        return record
    return msgspec.structs.replace(record, url="", statement="", submitter="", approvals=())


_LIST = (
    f"SELECT {_COLUMNS} FROM relationship r WHERE r.organization = '' AND r.state = ?"  # noqa: S608 - a constant
    " AND (r.created_at, r.id) > (?, ?) ORDER BY r.created_at, r.id LIMIT ?"
)
_CREATED_AT = 10
"""Place of `created_at` in a row."""


def find_many(
    db: Connection,
    state: RelationshipState | None = None,
    *,
    limit: int = 100,
    after: Record | None = None,
) -> list[Record]:
    """Relationships that hold for all organizations, oldest first, after the record `after`."""
    start = (after.created_at, after.id) if after else (-1, "")
    # One statement for each state: for several at once a database sorts all rows.
    states = (state,) if state else STATES
    rows = [row for one in states for row in db.execute(_LIST, (one, *start, limit))]
    rows.sort(key=itemgetter(_CREATED_AT, 0))
    return [_record(db, row) for row in rows[:limit]]


_CLAIMS = "SELECT count(*), count(DISTINCT origin) FROM relationship_claim WHERE relationship_id = ?"
_APPROVALS = (
    "SELECT actor FROM relationship_event WHERE relationship_id = ? AND act = 'approved' AND number >"
    " (SELECT max(number) FROM relationship_event WHERE relationship_id = ?"
    " AND (before_state IS NULL OR before_state <> after_state)) ORDER BY number"
)


def _record(db: Connection, row: tuple[str | int | None, ...]) -> Record:
    name = str(row[0])
    claims, origins = db.execute(_CLAIMS, (name,)).fetchone()
    approvals = tuple(str(actor) for (actor,) in db.execute(_APPROVALS, (name, name)))
    record = _RECORDS.read(row, claims=claims, origins=origins, approvals=approvals, needed=1)
    # Within an organization one reviewer decides: the review is valid for its own agents alone.
    if record.organization or record.type not in TWO_REVIEWERS:
        return record
    return msgspec.structs.replace(record, needed=2)


_EVIDENCE = "SELECT evidence FROM relationship_claim WHERE relationship_id = ? AND evidence <> '' ORDER BY at, evidence"


def evidence(db: Connection, name: str) -> tuple[str, ...]:
    """Addresses given by claimants as evidence, without repetition; waypost never fetches an address of evidence."""
    return tuple(dict.fromkeys(address for (text,) in db.execute(_EVIDENCE, (name,)) for address in lines(text)))


_HISTORY = (
    "SELECT at, act, actor, before_state, after_state, reason FROM relationship_event"
    " WHERE relationship_id = ? ORDER BY number"
)


def history(db: Connection, name: str) -> list[Event]:
    """History of a relationship, oldest first. Raises UnknownRelationship."""
    get(db, name)
    return Rows(Event).all(db, _HISTORY, (name,))


_RELATIONSHIPS = Rows(Relationship, relation=lambda kind: "affiliate" if kind == "affiliate" else "official")
_REVIEWS = (
    "SELECT id, domain, entity, type, scope, state, review_source, reviewed_at, review_expires_at, organization"
    " FROM relationship WHERE id IN ({})"
)


def reviews(db: Connection, names: Sequence[str]) -> dict[str, Relationship]:
    """Relationships by their ids, without `grave` and `snapshot`."""
    if not names:
        return {}
    found = _RELATIONSHIPS.all(db, _REVIEWS.format(", ".join("?" * len(names))), names)
    return {relationship.id: relationship for relationship in found}


_DISPUTED = (
    "SELECT domain, scope FROM relationship WHERE domain IN ({0}) AND organization IN ('', ?) AND state = 'disputed'"
    " UNION SELECT host, 'host' FROM disputed_host WHERE host IN ({0}) AND organization IN ('', ?) AND ended_at IS NULL"
)


def disputed(db: Connection, domains: Sequence[str], organization: str) -> set[tuple[str, str]]:
    """Subjects (domain, scope) among domains that a reviewer has set to disputed, globally or for an organization."""
    marks = ", ".join("?" * len(domains))
    return set(db.execute(_DISPUTED.format(marks), (*domains, organization) * 2)) if domains else set()


_VERSION = (
    "SELECT coalesce((SELECT max(number) FROM relationship_event), 0),"
    " coalesce((SELECT max(number) FROM dispute_event), 0),"
    " coalesce((SELECT max(number) FROM ownership_snapshot), 0)"
)

Version = tuple[int, int, int]
"""Newest entries of the histories of relationships, disputes and ownership."""


def version(db: Connection) -> Version:
    """Version of everything that `about` reads: each change adds an entry to a history, and none is ever deleted."""
    found: Version = db.execute(_VERSION).fetchone()
    return found


MOST_ABOUT = 32
"""Claims of a domain that a decision reads, the newest ones of each owner that no reviewer has decided.

Any of them alone decides what a decision says of claims, and strangers may send any number: with 20,000 claims of a
domain each decision about it would take a quarter of a second. What a reviewer decided is read entirely: a newer
relationship may be one that does not apply to the host.
"""
_ABOUT_ONE = (
    "SELECT * FROM (SELECT id, domain, entity, type, scope, state, review_source, reviewed_at, review_expires_at,"
    " organization, (SELECT facts FROM ownership_snapshot WHERE relationship_id = id ORDER BY number DESC LIMIT 1),"
    " created_at FROM relationship"
    " WHERE domain = ? AND organization = ? AND state = '{}' ORDER BY created_at DESC, id DESC{}) x"
)
_ABOUT = [
    *(_ABOUT_ONE.format(state, f" LIMIT {MOST_ABOUT}") for state in ("unreviewed", "in_review")),
    *(_ABOUT_ONE.format(state, "") for state in ("accepted", "disputed", "expired")),
]


def about(db: Connection, host: str, registrable: str, organization: str = "") -> tuple[Relationship, ...]:
    """Relationships of a destination, global and of the organization: claimed, accepted, disputed or expired.

    Rejected and revoked relationships are left out; a host that an upheld dispute stops is a disputed relationship.
    """
    subjects = [(domain, owner) for domain in {host, registrable} for owner in {"", organization}]
    query = " UNION ALL ".join(_ABOUT * len(subjects))
    rows = db.execute(query, [value for subject in subjects for value in subject * len(_ABOUT)]).fetchall()
    rows.sort(key=itemgetter(-1, 0))
    found = tuple(
        _RELATIONSHIPS.read(
            row[:10],
            grave=row[5] == "accepted" and _is_grave(db, row[0], row[9]),
            snapshot=doubts.snapshot_from(row[10]),
        )
        for row in rows
    )
    return found + disputes.doubts_about(db, host, organization)


def _is_grave(db: Connection, name: str, organization: str) -> bool:
    return bool(organization) or name.startswith(f"{REGISTRY}:") or len(_reviewers_of(db, name)) >= GRAVE_REVIEWERS
