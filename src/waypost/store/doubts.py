"""Doubts about the ownership of reviewed domains: raised by decisions, decided by reviewers.

A doubt ends with the reviewer's word: rejected, the owner is the same, and later registration data are compared with
today's; upheld, the review is disputed, and every sensitive action stops there.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from waypost.models.relationship import OwnershipDoubt, OwnershipSnapshot
from waypost.store import audit, organizations
from waypost.store.cursors import Position
from waypost.store.engines import Connection
from waypost.store.errors import ReviewError, Unknown
from waypost.store.rows import Rows, words

PREFIX = "doubt_"
DoubtState = Literal["open", "upheld", "rejected"]


class Doubt(msgspec.Struct, frozen=True, kw_only=True):
    """Doubt as reviewers see it. `changed_at`: last change of the observed facts, or the decision."""

    id: str
    about: OwnershipDoubt
    state: DoubtState
    created_at: int
    changed_at: int
    actor: str
    reason: str


_COLUMNS = (
    "id, relationship_id, organization, domain, entity, changes, reviewed, observed, state, created_at, changed_at,"
    " actor, reason"
)
# The open doubt before decided ones, however old: new facts belong to the one that waits.
_LATEST = (
    f"SELECT {_COLUMNS} FROM ownership_doubt WHERE relationship_id = ? AND organization = ?"  # noqa: S608 - a constant
    " ORDER BY state = 'open' DESC, changed_at DESC, id LIMIT 1"
)
_RAISE = f"INSERT INTO ownership_doubt ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'open', ?, ?, '', '')"  # noqa: S608 - a constant
_CHANGE = "UPDATE ownership_doubt SET changes = ?, reviewed = ?, observed = ?, changed_at = ? WHERE id = ?"


def raise_doubt(db: Connection, about: OwnershipDoubt, now: int) -> bool:
    """Whether a doubt is new. The open doubt of a relationship takes the new facts; a decided one stays decided."""
    row = db.execute(_LATEST, (about.relationship, about.organization)).fetchone()
    last = _doubt(row) if row else None
    # The same facts were noted or decided before: each decision about the domain would raise them again.
    if last and last.about.changes == about.changes and last.about.observed == about.observed:
        return False
    facts = (" ".join(about.changes), _facts(about.reviewed), _facts(about.observed))
    if last and last.state == "open":
        db.execute(_CHANGE, (*facts, now, last.id))
        return False
    name = f"{PREFIX}{secrets.token_hex(10)}"
    db.execute(_RAISE, (name, about.relationship, about.organization, about.domain, about.entity, *facts, now, now))
    _audit(db, about, name, now, "doubt.raised", "clock")
    return True


_FIND = f"SELECT {_COLUMNS} FROM ownership_doubt WHERE id = ? AND organization IN (?, ?)"  # noqa: S608 - a constant


def find(db: Connection, organization: str, name: str) -> Doubt:
    """Doubt of an organization's own review, or of one that holds for all where it is the operator. Raises Unknown."""
    row = db.execute(_FIND, (name, *_owners(db, organization))).fetchone()
    if row is None:
        raise Unknown("doubt")
    return _doubt(row)


_WAITING = (
    f"SELECT {_COLUMNS} FROM ownership_doubt WHERE organization = ? AND state = 'open'"  # noqa: S608 - a constant
    " AND (created_at, id) > (?, ?) ORDER BY created_at, id LIMIT ?"
)


def waiting(db: Connection, organization: str, after: Position, limit: int) -> list[Doubt]:
    """Open doubts for an organization's reviewers, oldest first; of all reviews where `organization` is empty."""
    owners = dict.fromkeys(_owners(db, organization))
    found = [_doubt(row) for owner in owners for row in db.execute(_WAITING, (owner, *after, limit))]
    found.sort(key=lambda doubt: (doubt.created_at, doubt.id))
    return found[:limit]


_DECIDE = "UPDATE ownership_doubt SET state = ?, changed_at = ?, actor = ?, reason = ? WHERE id = ? AND state = 'open'"


def decide(db: Connection, doubt: Doubt, state: DoubtState, actor: str, now: int, reason: str) -> Doubt:
    """Decided doubt. Raises ReviewError for a decided one."""
    if doubt.state != "open":
        raise ReviewError(f"{doubt.id} is {doubt.state} already")
    db.execute(_DECIDE, (state, now, actor, reason, doubt.id))
    _audit(db, doubt.about, doubt.id, now, f"doubt.{state}", actor, reason=reason)
    return msgspec.structs.replace(doubt, state=state, changed_at=now, actor=actor, reason=reason)


_SNAPSHOT = "INSERT INTO ownership_snapshot (relationship_id, at, facts) VALUES (?, ?, ?)"


def put_snapshot(db: Connection, relationship: str, snapshot: OwnershipSnapshot | None, now: int) -> None:
    """Store the facts of today as those of the review; nothing without facts."""
    if snapshot is not None:
        db.execute(_SNAPSHOT, (relationship, now, _facts(snapshot)))


def snapshot_from(text: str | None) -> OwnershipSnapshot | None:
    """Snapshot of a row, or None."""
    return msgspec.json.decode(text, type=OwnershipSnapshot) if text else None


def _owners(db: Connection, organization: str) -> tuple[str, str]:
    # Two values for the two marks of the statement: the operator also sees the reviews that are valid for all.
    return organization, "" if not organization or organizations.is_operator(db, organization) else organization


def _facts(snapshot: OwnershipSnapshot | None) -> str:
    return msgspec.json.encode(snapshot).decode() if snapshot is not None else ""


_SUBJECTS = Rows(OwnershipDoubt, changes=words, reviewed=snapshot_from, observed=snapshot_from)
_DOUBTS = Rows(Doubt, about=_SUBJECTS.read)


def _doubt(row: Sequence[Any]) -> Doubt:
    return _DOUBTS.read((row[0], row[1:8], *row[8:]))


def _audit(db: Connection, about: OwnershipDoubt, name: str, now: int, act: str, actor: str, reason: str = "") -> None:
    """Append to the audit of the review's organization, or of the operator."""
    operator = organizations.first(db)
    reader = about.organization or (operator.id if operator else "")
    if reader:
        facts = {"relationship_id": about.relationship, "domain": about.domain, "changes": " ".join(about.changes)}
        audit.append(db, reader, now, act, actor, name, **facts, **({"reason": reason} if reason else {}))
