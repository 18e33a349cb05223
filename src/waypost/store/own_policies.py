"""Operators' own policies: submitted by one person, accepted by another, withdrawn by anyone, never changed or deleted.

A policy of a service applies to all of its organizations; the acts are in the audit of the operator's organization.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from waypost.store import audit, organizations, settings
from waypost.store.engines import Connection
from waypost.store.errors import Conflict, ReviewError, Unknown

_PREFIX = "policy:"
_ALL = "SELECT name, value FROM setting WHERE name >= 'policy:' AND name < 'policy;' ORDER BY name"
MOST = 200
"""Most policies of a store."""
PolicyState = Literal["submitted", "accepted", "withdrawn"]


class StoredPolicy(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Policy with its text and its acts. Times are milliseconds since 1970, UTC."""

    version: str
    text: str
    submitted_by: str
    submitted_at: int
    accepted_by: str = ""
    accepted_at: int = 0
    withdrawn_by: str = ""
    withdrawn_at: int = 0
    reason: str = ""

    @property
    def state(self) -> PolicyState:
        if self.withdrawn_by:
            return "withdrawn"
        return "accepted" if self.accepted_by else "submitted"


def submit(db: Connection, version: str, text: str, now: int, actor: str) -> StoredPolicy:
    """Submit a policy. Raises Conflict for a version that the store has with another text, or too many policies."""
    before = _find(db, version)
    if before is not None:
        if before.text != text:
            raise Conflict(f"there is a policy {version} with another content; give the new content a new date")
        return before
    if len(find_all(db)) >= MOST:
        raise Conflict(f"there are {MOST} policies already")
    made = StoredPolicy(version=version, text=text, submitted_by=actor, submitted_at=now)
    return _put(db, made, now, "policy.submitted", actor)


def accept(db: Connection, version: str, now: int, actor: str) -> StoredPolicy:
    """Accept a submitted policy. Raises Unknown, and ReviewError for the person who submitted it."""
    policy = find(db, version)
    if policy.state != "submitted":
        raise ReviewError(f"{version} is {policy.state} already")
    if policy.submitted_by.casefold() == actor.casefold():
        raise ReviewError(f"{actor} submitted {version}; another person has to accept it")
    made = msgspec.structs.replace(policy, accepted_by=actor, accepted_at=now)
    return _put(db, made, now, "policy.accepted", actor)


def withdraw(db: Connection, version: str, now: int, actor: str, reason: str) -> StoredPolicy:
    """Withdraw a policy: from now on it decides nothing. Raises Unknown and ReviewError."""
    policy = find(db, version)
    if not reason.strip() or len(reason) > 500 or not reason.isprintable():
        raise ReviewError("give a reason of 1 to 500 printable characters")
    if policy.state == "withdrawn":
        raise ReviewError(f"{version} is withdrawn already")
    made = msgspec.structs.replace(policy, withdrawn_by=actor, withdrawn_at=now, reason=reason.strip())
    return _put(db, made, now, "policy.withdrawn", actor)


def find(db: Connection, version: str) -> StoredPolicy:
    """Policy of a version. Raises Unknown."""
    found = _find(db, version)
    if found is None:
        raise Unknown("policy in the store")
    return found


def find_all(db: Connection) -> tuple[StoredPolicy, ...]:
    """Policies of the store in every state, by version."""
    return tuple(msgspec.json.decode(value, type=StoredPolicy) for _, value in db.execute(_ALL).fetchall())


def accepted(db: Connection) -> dict[str, str]:
    """Version -> text of the policies that may decide."""
    return {policy.version: policy.text for policy in find_all(db) if policy.state == "accepted"}


def _find(db: Connection, version: str) -> StoredPolicy | None:
    value = settings.find(db, _PREFIX + version)
    return None if value is None else msgspec.json.decode(value, type=StoredPolicy)


def _put(db: Connection, policy: StoredPolicy, now: int, kind: str, actor: str) -> StoredPolicy:
    operator = organizations.first(db)
    if operator is None:
        raise Conflict("there is no organization yet; make the operator's with `waypost org create NAME`")
    settings.put(db, _PREFIX + policy.version, msgspec.json.encode(policy))
    audit.append(db, operator.id, now, kind, actor, policy.version, reason=policy.reason)
    return policy
