"""Disputes of decisions. A dispute has no effect on decisions until a reviewer upholds it, see `reviews`.

open -> in_review -> upheld | rejected
open, in_review -> withdrawn

An upheld dispute of any kind stops what it is about, until a reviewer ends that: the relationships behind the decision
become disputed, or without any the host itself (`disputed_host`).
"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Literal, get_args

import msgspec

from waypost.formats.ids import new_id
from waypost.models.api_key import Environment
from waypost.models.relationship import Relationship
from waypost.models.wire.disputes import DisputeRequest
from waypost.store import audit, decisions, organizations, settings
from waypost.store.cursors import Page, Position
from waypost.store.engines import Connection
from waypost.store.errors import Conflict, NotPermitted, ReviewError, Unknown
from waypost.store.rows import Rows, lines

Complaint = Literal["wrong_relationship", "wrong_risk", "wrong_domain", "outdated", "other"]
Status = Literal["open", "in_review", "upheld", "rejected", "withdrawn"]
COMPLAINTS: tuple[Complaint, ...] = get_args(Complaint)
STATUSES: tuple[Status, ...] = get_args(Status)
Effect = Literal["none", "relationship_disputed", "destination_disputed", "ended"]
_EFFECTS: Mapping[Effect, str] = MappingProxyType(
    {
        "relationship_disputed": "The reviews behind the decision are disputed: every action stops there until a "
        "reviewer approves them again or takes them back.",
        "destination_disputed": "The host is disputed: every action stops there until a reviewer ends it.",
        "ended": "The host was disputed, and a reviewer has ended that: decisions are as without the dispute.",
    }
)
_NO_EFFECT: Mapping[Status, str] = MappingProxyType(
    {
        "open": "It changes nothing until a reviewer has looked.",
        "in_review": "It changes nothing until a reviewer has looked.",
        "upheld": "It was upheld and changed nothing.",
        "rejected": "It was rejected and changes nothing: decisions stay as they were.",
        "withdrawn": "It was taken back and changes nothing.",
    }
)
_ABOUT_TEST = "It is about a decision for a test key: it waits for no one and changes nothing."
MOST_PUBLIC_OF_DECISION = 5
"""Waiting disputes by the public about a decision."""
MOST_PUBLIC_OF_ORGANIZATION = 100
"""Waiting disputes by the public about decisions of an organization."""
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


class Dispute(msgspec.Struct, frozen=True, kw_only=True):
    """Dispute with the present status.

    reviewed_by  the operator; or the organization, if the decision rests on reviews by the organization alone
    decision     JSON of the decision
    opened_with  id of the key with which it was opened, or empty
    environment  environment of the key for which the decision was made
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
    opened_with: str = ""
    environment: Environment = "live"
    effect: Effect = "none"

    @property
    def effect_detail(self) -> str:
        """Sentence about the effect, which also says so where there is none."""
        if self.environment == "test":
            return _ABOUT_TEST
        return _EFFECTS.get(self.effect) or _NO_EFFECT[self.status]


class DisputeEvent(msgspec.Struct, frozen=True, kw_only=True):
    """Entry in the history of a dispute."""

    at: int
    actor: str
    before: Status | None
    after: Status
    reason: str


_OPEN = (
    "INSERT INTO dispute (id, organization, reviewed_by, decision_id, decision, claim, statement, contact, evidence,"
    " opened_by, created_at, status, changed_at, opened_with, environment, opened_from)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'open', ?, ?, ?, ?)"
)


def lodge(
    db: Connection,
    about: decisions.StoredDecision,
    wording: DisputeRequest,
    actor: str,
    now: int,
    *,
    key: str = "",
    address: str = "",
) -> Dispute:
    """Open a dispute of a decision, for the organization that received the decision.

    key      id of the key used; empty for the public
    address  IP address of a caller without a key

    Raises Conflict if too many disputes by the public wait.
    """
    source = _source(db, address) if address else ""
    if actor == PUBLIC:
        _check_public(db, about.record, source)
    given, name = about.record, new_id()
    own = relationships_behind(db, about.document, given.organization)
    reviewed_by = "organization" if own and not relationships_behind(db, about.document, "") else "operator"
    texts = (wording.claim, wording.statement, wording.contact, "\n".join(wording.evidence), actor)
    subject = (name, given.organization, reviewed_by, given.id, given.document.decode())
    db.execute(_OPEN, (*subject, *texts, now, now, key, given.environment, source))
    _note(db, name, now, actor, None, "open", "")
    made = find(db, given.organization, name)
    _audit(db, made, now, actor, claim=made.claim)
    return made


# Caps on what waits, not on what was ever opened: a decided dispute makes room.
_WAITING_PUBLIC = "FROM dispute WHERE status IN ('open', 'in_review') AND opened_by = ? AND organization = ?"
_OF_ADDRESS = f"SELECT count(*) {_WAITING_PUBLIC} AND decision_id = ? AND opened_from = ?"
_OF_DECISION = f"SELECT count(*) {_WAITING_PUBLIC} AND decision_id = ?"
_OF_ORGANIZATION = f"SELECT count(*) {_WAITING_PUBLIC}"


def _check_public(db: Connection, about: decisions.DecisionRecord, source: str) -> None:
    """Check the caps on disputes without a key, which anyone can open. Raises Conflict."""
    owner = (PUBLIC, about.organization)
    if source and db.execute(_OF_ADDRESS, (*owner, about.id, source)).fetchone()[0]:
        raise Conflict("a dispute of this decision from your address already waits for a reviewer")
    if db.execute(_OF_DECISION, (*owner, about.id)).fetchone()[0] >= MOST_PUBLIC_OF_DECISION:
        raise Conflict("several disputes of this decision already wait for a reviewer")
    if db.execute(_OF_ORGANIZATION, owner).fetchone()[0] >= MOST_PUBLIC_OF_ORGANIZATION:
        raise Conflict("too many disputes already wait; try again when reviewers have decided some")


def _source(db: Connection, address: str) -> str:
    """Keyed hash of an address; of IPv6 only the network of 64 bits counts, which a single customer gets."""
    try:
        known = ipaddress.ip_address(address)
        # An IPv4 client of a socket for both families (RFC 4291, 2.5.5.2) is the same as one of a socket for IPv4.
        known = getattr(known, "ipv4_mapped", None) or known
        address = str(known if known.version == 4 else ipaddress.ip_network((known, 64), strict=False))
    except ValueError:
        pass
    # Keyed: the four billion addresses of IPv4 are quickly hashed one by one.
    return hmac.digest(settings.secret(db, "dispute_source"), address.encode("utf-8", "surrogatepass"), "sha256").hex()


_DISPUTES = Rows(Dispute, decision=msgspec.json.decode, evidence=lines)
COLUMNS = _DISPUTES.columns
_FIND = f"SELECT {COLUMNS} FROM dispute WHERE organization = ? AND id = ?"  # noqa: S608 - a constant
_REVIEWED = (
    f"SELECT {COLUMNS} FROM dispute WHERE id = ? AND environment = 'live'"  # noqa: S608 - a constant
    " AND ((reviewed_by = 'organization' AND organization = ?) OR (reviewed_by = 'operator' AND ?))"
)
_PAGE = (
    f"SELECT {COLUMNS}, number FROM dispute WHERE organization = ? AND number < ?"  # noqa: S608 - a constant
    " ORDER BY number DESC LIMIT ?"
)
_WAITING = (
    f"SELECT {COLUMNS} FROM dispute WHERE environment = 'live'"  # noqa: S608 - a constant
    " AND (status IN ('open', 'in_review') OR effect = 'destination_disputed') AND (created_at, id) > (?, ?)"
    " AND CASE reviewed_by WHEN 'organization' THEN organization ELSE '' END = ? ORDER BY created_at, id LIMIT ?"
)


def find(db: Connection, organization: str, name: str, environment: Environment | None = None) -> Dispute:
    """Dispute of a decision of the organization, for keys of an environment or of any. Raises Unknown."""
    found = _DISPUTES.first(db, _FIND, (organization, name))
    if found is None or environment not in {None, found.environment}:
        raise Unknown("dispute")
    return found


def for_review(db: Connection, organization: str, name: str) -> Dispute:
    """Dispute to be decided by an organization's reviewers. Raises Unknown."""
    operator = organizations.is_operator(db, organization)
    if (found := _DISPUTES.first(db, _REVIEWED, (name, organization, operator))) is None:
        raise Unknown("dispute")
    return found


def find_page(db: Connection, organization: str, *, limit: int = 100, after: Position | None = None) -> Page[Dispute]:
    """Page of the disputes of an organization's decisions, newest first."""
    return _DISPUTES.page(db, _PAGE, (organization,), after, limit)


def waiting(db: Connection, organization: str, start: Position, limit: int) -> list[Dispute]:
    """Disputes for an organization's reviewers, oldest first, after the position (created_at, id): open ones, and
    upheld ones that stop a host."""
    owners = (organization, "") if organizations.is_operator(db, organization) else (organization,)
    found = [each for owner in owners for each in _DISPUTES.all(db, _WAITING, (*start, owner, limit))]
    found.sort(key=lambda dispute: (dispute.created_at, dispute.id))
    return found[:limit]


_HISTORY = (
    "SELECT at, actor, before_status, after_status, reason FROM dispute_event WHERE dispute_id = ? ORDER BY number"
)


def history(db: Connection, organization: str, name: str) -> list[DisputeEvent]:
    """History of a dispute, oldest first, for the organization and the reviewers. Raises Unknown.

    Only the operator sees the names of the operator's reviewers.
    """
    try:
        dispute = find(db, organization, name)
    except Unknown:
        dispute = for_review(db, organization, name)
    naming = _naming_for(db, dispute, organization)
    events = Rows(DisputeEvent).all(db, _HISTORY, (name,))
    return [msgspec.structs.replace(event, actor=naming(event.actor, event.after)) for event in events]


_HEIR = (
    "WITH RECURSIVE heir (id) AS (SELECT id FROM api_key WHERE organization = ? AND id = ? UNION"
    " SELECT k.replaced_by FROM api_key k JOIN heir ON k.id = heir.id WHERE k.replaced_by IS NOT NULL)"
    " SELECT count(*) FROM heir WHERE id = ?"
)


def withdraw(
    db: Connection, organization: str, name: str, actor: str, now: int, reason: str = "", *, key: str
) -> Dispute:
    """Withdraw a dispute with the key that opened it, or that key's replacement.

    Raises Unknown, NotPermitted and ReviewError.
    """
    dispute = find(db, organization, name)
    if dispute.opened_with:
        own = bool(db.execute(_HEIR, (organization, dispute.opened_with, key)).fetchone()[0])
    else:  # by the public, or before keys were noted
        own = dispute.opened_by == actor and actor != PUBLIC
    if not own:
        raise NotPermitted("it was opened by someone else, who alone can take it back; a reviewer can reject it")
    return step(db, dispute, "withdrawn", actor, now, reason)


_MOVE = "UPDATE dispute SET status = ?, changed_at = ? WHERE id = ?"


def step(db: Connection, dispute: Dispute, after: Status, actor: str, now: int, reason: str) -> Dispute:
    """Move a dispute along an edge of EDGES. Raises ReviewError if EDGES has no such step."""
    if after not in EDGES[dispute.status]:
        possible = ", ".join(sorted(EDGES[dispute.status])) or "nothing"
        raise ReviewError(f"the dispute is {dispute.status} and cannot become {after}; from here: {possible}")
    db.execute(_MOVE, (after, now, dispute.id))
    _note(db, dispute.id, now, actor, dispute.status, after, reason)
    moved = find(db, dispute.organization, dispute.id)
    _audit(db, moved, now, actor, reason=reason)
    return moved


_DOUBT = "INSERT INTO disputed_host (dispute_id, organization, host, since) VALUES (?, ?, ?, ?)"
_END_DOUBT = "UPDATE disputed_host SET ended_at = ? WHERE dispute_id = ?"
_SET_EFFECT = "UPDATE dispute SET effect = ? WHERE id = ?"


def set_effect(db: Connection, dispute: Dispute, effect: Effect, now: int) -> Dispute:
    """Upheld dispute with an effect; `destination_disputed` also stops the host of the decision from now on."""
    if effect == "destination_disputed":
        owner = dispute.organization if dispute.reviewed_by == "organization" else ""
        db.execute(_DOUBT, (dispute.id, owner, str(dispute.decision["normalized_domain"]), now))
    db.execute(_SET_EFFECT, (effect, dispute.id))
    return find(db, dispute.organization, dispute.id)


def end(db: Connection, dispute: Dispute, actor: str, now: int, reason: str) -> Dispute:
    """End the stop of a host by an upheld dispute. Raises ReviewError if it stops none."""
    if dispute.effect != "destination_disputed":
        raise ReviewError("the dispute stops no host; one that waits is upheld or rejected")
    db.execute(_END_DOUBT, (now, dispute.id))
    _note(db, dispute.id, now, actor, "upheld", "upheld", reason)
    ended = set_effect(db, dispute, "ended", now)
    _audit(db, ended, now, actor, act="dispute.ended", reason=reason)
    return ended


_HOST = (
    "SELECT dispute_id, host, organization FROM disputed_host WHERE host = ? AND organization IN ('', ?)"
    " AND ended_at IS NULL ORDER BY since, dispute_id"
)


def doubts_about(db: Connection, host: str, organization: str = "") -> tuple[Relationship, ...]:
    """Upheld disputes that stop a host for an organization, as disputed relationships without an entity."""
    return tuple(
        Relationship(id=f"dispute:{name}", domain=domain, entity="", scope="host", state="disputed", organization=owner)
        for name, domain, owner in db.execute(_HOST, (host, organization))
    )


_NOTE = (
    "INSERT INTO dispute_event (dispute_id, at, actor, before_status, after_status, reason) VALUES (?, ?, ?, ?, ?, ?)"
)


def _note(db: Connection, name: str, at: int, actor: str, before: Status | None, after: Status, reason: str) -> None:
    db.execute(_NOTE, (name, at, actor, before, after, reason))


def _audit(db: Connection, dispute: Dispute, now: int, actor: str, *, act: str = "", **details: str) -> None:
    """Append to the audit of the decision's organization, and of the operator as reviewer of the dispute."""
    given = {name: value for name, value in details.items() if value}
    facts = {"decision_id": dispute.decision_id, "domain": str(dispute.decision["normalized_domain"])} | given
    # Disputes of decisions for test keys wait for no reviewer: the operator has nothing to see.
    readers = {dispute.organization}
    if dispute.environment == "live" and dispute.reviewed_by == "operator" and (operator := organizations.first(db)):
        readers.add(operator.id)
    for reader in sorted(readers):
        naming = _naming_for(db, dispute, reader)(actor, dispute.status)
        audit.append(db, reader, now, act or _ACTS[dispute.status], naming, dispute.id, **facts)


def _naming_for(db: Connection, dispute: Dispute, organization: str) -> Callable[[str, Status], str]:
    """Function from an actor to the name visible to an organization: reviewers of the operator stay anonymous."""
    by_others = dispute.reviewed_by == "operator" and not organizations.is_operator(db, organization)
    # Opening and withdrawing are acts of the organization's own people, whom it may see.
    return lambda actor, after: "operator" if by_others and after in _REVIEWING else actor


_REVIEWING: frozenset[Status] = frozenset({"in_review", "upheld", "rejected"})


def relationships_behind(db: Connection, decision: Mapping[str, Any], organization: str) -> list[str]:
    """Ids of accepted relationships that a verified decision can rest on, of an organization or global ('')."""
    if not str(decision["relationship_status"]).startswith("verified_"):
        return []
    host = str(decision["normalized_domain"])
    labels = host.split(".")
    above = [".".join(labels[at:]) for at in range(len(labels))]
    # A review of a domain covers the hosts below it, a review of a host that host alone.
    marks = ", ".join("?" * len(above))
    # The state is compared here: SQLite would rather read all accepted reviews than these few domains.
    query = (
        f"SELECT id, state FROM relationship WHERE domain IN ({marks}) AND organization = ?"  # noqa: S608 - only question marks
        " AND (scope = 'registrable' OR domain = ?) ORDER BY id"
    )
    return [str(name) for name, state in db.execute(query, (*above, organization, host)) if state == "accepted"]
