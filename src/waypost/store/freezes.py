"""Freeze of an organization: from its start until two people have ended it, no sensitive action is allowed.

One person starts a freeze at once. Its end is requested by one person and confirmed by another. A freeze of the
operator's organization also covers checks without an organization, as of `waypost check`.
"""

from __future__ import annotations

import msgspec

from waypost.store import audit, organizations, settings
from waypost.store.engines import Connection
from waypost.store.errors import ReviewError

_PREFIX = "freeze:"
_ALL = "SELECT name FROM setting WHERE name >= 'freeze:' AND name < 'freeze;'"
LONGEST_REASON = 500
_LONGEST_ALLOW_MS = 3_600_000


class Freeze(msgspec.Struct, frozen=True, kw_only=True):
    """Freeze in force. Times are milliseconds since 1970, UTC.

    end_requested_by  person who requested the end; empty before a request
    """

    since: int
    by: str
    reason: str
    end_requested_by: str = ""
    end_requested_at: int = 0


def start(db: Connection, organization: str, now: int, actor: str, reason: str) -> Freeze:
    """Freeze an organization. A freeze in force stays as it is, and a request to end the freeze is withdrawn."""
    _check(reason)
    before = find(db, organization)
    if before is not None and not before.end_requested_by:
        return before
    made = Freeze(since=now, by=actor, reason=reason.strip())
    if before is not None:
        made = msgspec.structs.replace(before, end_requested_by="", end_requested_at=0)
    kind = "freeze.started" if before is None else "freeze.end_refused"
    return _put(db, organization, made, now, kind, actor, reason)


def end(db: Connection, organization: str, now: int, actor: str, reason: str) -> Freeze | None:
    """Request the end of a freeze, or confirm the request of another person; None when the freeze has ended.

    Raises ReviewError without a freeze, and for a second request by the same person.
    """
    _check(reason)
    freeze = find(db, organization)
    if freeze is None:
        raise ReviewError("there is no freeze to end")
    if not freeze.end_requested_by:
        requested = msgspec.structs.replace(freeze, end_requested_by=actor, end_requested_at=now)
        return _put(db, organization, requested, now, "freeze.end_requested", actor, reason)
    if freeze.end_requested_by.casefold() == actor.casefold():
        raise ReviewError(f"{actor} has requested the end of the freeze; another person has to confirm it")
    settings.remove(db, _PREFIX + organization)
    audit.append(db, organization, now, "freeze.ended", actor, organization, reason=reason.strip())
    return None


def find(db: Connection, organization: str) -> Freeze | None:
    """Freeze of an organization in force."""
    value = settings.find(db, _PREFIX + organization)
    return None if value is None else msgspec.json.decode(value, type=Freeze)


_STANDING = (
    "SELECT count(*) FROM decision WHERE organization = ? AND environment = 'live' AND expires_at > ?"
    " AND created_at > ? AND document LIKE '%\"action_allowed\":true%'"
)


def standing(db: Connection, organization: str, now: int) -> int:
    """Number of the organization's allows that have not expired: while a freeze is in force, none of them counts."""
    row = db.execute(_STANDING, (organization, now, now - _LONGEST_ALLOW_MS)).fetchone()
    return int(row[0])


def frozen(db: Connection) -> frozenset[str]:
    """Ids of the frozen organizations; with the empty id where the operator's is among them."""
    found = {str(name).removeprefix(_PREFIX) for (name,) in db.execute(_ALL).fetchall()}
    operator = organizations.first(db) if found else None
    return frozenset(found | {""} if operator and operator.id in found else found)


def _put(db: Connection, organization: str, freeze: Freeze, now: int, kind: str, actor: str, reason: str) -> Freeze:
    settings.put(db, _PREFIX + organization, msgspec.json.encode(freeze))
    audit.append(db, organization, now, kind, actor, organization, reason=reason.strip())
    return freeze


def _check(reason: str) -> None:
    if not reason.strip() or len(reason) > LONGEST_REASON or not reason.isprintable():
        raise ReviewError(f"give a reason of 1 to {LONGEST_REASON} printable characters")
