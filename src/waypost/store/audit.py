"""Audit of acts on keys, relationships and disputes: a hash chain per organization.

`hash` is the SHA-256, in hex, over `prev_hash` and the RFC 8785 JSON of `to_dict` without `hash`; the first
`prev_hash` is 64 zeros. `append` runs in the transaction of the act: both are stored, or neither.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from waypost.formats.ids import new_id
from waypost.formats.text import timestamp
from waypost.store.cursors import Page, Position
from waypost.store.engines import Connection
from waypost.store.rows import Rows

FIRST = "0" * 64


class AuditEvent(msgspec.Struct, frozen=True, kw_only=True):
    """Recorded act.

    sequence  counts an organization's events from 1, without a gap
    at        milliseconds since 1970, UTC
    type      of the act: `key.created`, `relationship.approved`, `dispute.upheld`
    actor     a person's name, `key:` and an id, or `public`
    subject   id of the key, relationship or dispute
    details   further facts, as strings; of a URL only the host
    """

    organization: str
    sequence: int
    id: str
    at: int
    type: str
    actor: str
    subject: str
    details: Mapping[str, str]
    prev_hash: str
    hash: str


class Broken(NamedTuple):
    """First invalid event of a chain, with the reason."""

    organization: str
    sequence: int
    why: str


class Chain(NamedTuple):
    """Chain of an organization: length, last hash, first invalid event if any."""

    organization: str
    events: int
    head: str
    broken: Broken | None


_LAST = "SELECT sequence, hash FROM audit_event WHERE organization = ? ORDER BY sequence DESC LIMIT 1"
_APPEND = (
    "INSERT INTO audit_event (organization, sequence, id, at, type, actor, subject, details, prev_hash, hash)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


def append(
    db: Connection, organization: str, now: int, kind: str, actor: str, subject: str, **details: str
) -> AuditEvent:
    """Add an event to an organization's chain."""
    # The transaction holds the write lock: no one can take the same number meanwhile.
    last = db.execute(_LAST, (organization,)).fetchone() or (0, FIRST)
    event = AuditEvent(
        organization=organization,
        sequence=last[0] + 1,
        id=new_id(),
        at=now,
        type=kind,
        actor=actor,
        subject=subject,
        details=details,
        prev_hash=last[1],
        hash="",
    )
    event = msgspec.structs.replace(event, hash=hash_of(event))
    row = (
        event.sequence,
        event.id,
        now,
        kind,
        actor,
        subject,
        _canonical(details).decode(),
        event.prev_hash,
        event.hash,
    )
    db.execute(_APPEND, (organization, *row))
    return event


def to_dict(event: AuditEvent) -> dict[str, Any]:
    """Event as JSON, for output and for the hash."""
    return {
        "id": event.id,
        "sequence": event.sequence,
        "organization": event.organization,
        "at": timestamp(event.at),
        "type": event.type,
        "actor": event.actor,
        "subject": event.subject,
        "details": dict(event.details),
        "prev_hash": event.prev_hash,
        "hash": event.hash,
    }


def hash_of(event: AuditEvent) -> str:
    # Over the text that the API gives out, so that anyone who has the events can compute the chain again.
    content = to_dict(event)
    del content["hash"]
    return hashlib.sha256(event.prev_hash.encode() + _canonical(content)).hexdigest()


def _canonical(value: Mapping[str, Any]) -> bytes:
    """RFC 8785 for objects of strings and small integers with ASCII names: sorted JSON."""
    return _ENCODER.encode(value).encode()


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True)


_EVENTS = Rows(AuditEvent, details=msgspec.json.decode)
_COLUMNS = _EVENTS.columns
_PAGE = (
    f"SELECT {_COLUMNS}, sequence FROM audit_event WHERE organization = ? AND sequence > ? ORDER BY sequence LIMIT ?"  # noqa: S608 - a constant
)


def events(db: Connection, organization: str, *, limit: int = 100, after: Position | None = None) -> Page[AuditEvent]:
    """Page of an organization's events, oldest first."""
    return _EVENTS.page(db, _PAGE, (organization,), after or (0,), limit)


_ALL = f"SELECT {_COLUMNS} FROM audit_event ORDER BY organization, sequence"  # noqa: S608 - a constant


def all_events(db: Connection) -> Iterator[AuditEvent]:
    """Events of every organization, chain by chain."""
    return map(_EVENTS.read, db.execute(_ALL))


def verify(db: Connection) -> Iterator[Chain]:
    """Verify every chain from the first event on."""
    chain: Chain | None = None
    for event in all_events(db):
        if chain is None or chain.organization != event.organization:
            if chain is not None:
                yield chain
            chain = Chain(event.organization, 0, FIRST, None)
        # The first break alone: it makes each later event look wrong.
        broken = chain.broken
        if broken is None and (why := _defect(chain, event)):
            broken = Broken(event.organization, event.sequence, why)
        chain = Chain(event.organization, chain.events + 1, event.hash, broken)
    if chain is not None:
        yield chain


def _defect(chain: Chain, event: AuditEvent) -> str:
    if event.sequence != chain.events + 1:
        return f"event {chain.events + 1} is missing"
    if event.prev_hash != chain.head:
        return "it does not follow the event before it"
    if event.hash != hash_of(event):
        return "it is not what was written"
    return ""
