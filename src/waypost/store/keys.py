"""API keys. Only `create` and `rotate` return the text of a key; the store has a SHA-256 hash of the text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from waypost.formats.ids import new_id
from waypost.formats.text import timestamp
from waypost.models import api_key as keys
from waypost.models.api_key import DAY_MS, EDGES, Environment, Key, KeyRequestError, Scope
from waypost.store import audit, clock
from waypost.store.cursors import Page, Position
from waypost.store.engines import Connection
from waypost.store.errors import Conflict, Unknown
from waypost.store.rows import Rows, words


class KeyRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Properties of a new key. `valid_ms`: length of validity."""

    name: str
    scopes: frozenset[Scope]
    environment: Environment = "live"
    valid_ms: int = keys.USUAL_DAYS * DAY_MS
    ip_allowlist: tuple[str, ...] = ()
    limits: Mapping[str, int] = {}


# A version for each change, over all keys: a copy in memory reads the keys after the version it has.
_CREATE = (
    "INSERT INTO api_key (id, sha256, organization, name, prefix, last4, scopes, environment, holder, created_at,"
    " created_by, expires_at, ip_allowlist, limits, version)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT coalesce(max(version), 0) + 1 FROM api_key))"
)


def create(
    db: Connection, organization: str, request: KeyRequest, actor: str, now: int, *, holder: str = ""
) -> tuple[Key, str]:
    """New key, and the text of the key.

    holder  person or key in whose name the new key reviews and submits; a new holder by default. A key made at the
            console, or with an earlier key, has the maker as holder: no one becomes two reviewers by making keys.

    Raises KeyRequestError, ClockBehind, and Unknown for an unknown organization.
    """
    made, text = _made(db, organization, request, actor, now, holder)
    audit.append(
        db,
        organization,
        now,
        "key.created",
        actor,
        made.id,
        name=made.name,
        masked=made.masked,
        scopes=" ".join(keys.in_order(made.scopes)),
        environment=made.environment,
        expires_at=timestamp(made.expires_at),
    )
    return made, text


def _made(db: Connection, organization: str, request: KeyRequest, actor: str, now: int, holder: str) -> tuple[Key, str]:
    clock.check(db, now)
    name = request.name.strip()
    if not name or len(name) > keys.MOST_NAME or not name.isprintable():
        raise KeyRequestError(f"a key's name is 1 to {keys.MOST_NAME} printable characters", "name")
    if not 1 <= request.valid_ms <= keys.MOST_DAYS * DAY_MS:
        raise KeyRequestError(f"a key lives at most {keys.MOST_DAYS} days, and ends in the future", "expires_at")
    if not request.scopes:
        raise KeyRequestError("a key needs at least one scope", "scopes")
    allowed = keys.networks(request.ip_allowlist)
    if not db.execute("SELECT count(*) FROM organization WHERE id = ?", (organization,)).fetchone()[0]:
        raise Unknown("organization")
    text = keys.new_text(request.environment)
    found = new_id()
    # The hash and the eight and four characters that people recognise a key by: the text itself is never stored.
    row = (
        found,
        keys.hash_of(text),
        organization,
        name,
        text[:8],
        text[-4:],
        " ".join(keys.in_order(request.scopes)),
        request.environment,
        holder or f"key:{found}",
        now,
        actor,
        now + request.valid_ms,
        " ".join(allowed),
        msgspec.json.encode(request.limits).decode(),
    )
    db.execute(_CREATE, row)
    return find(db, organization, found), text


_COLUMNS = (
    "k.id, k.sha256, k.name, k.prefix, k.last4, k.organization, o.name, k.scopes, k.environment, k.holder,"
    " k.created_at, k.created_by, k.expires_at, k.last_used_at, k.revoked_at, k.replaced_by, k.ip_allowlist, k.limits"
)
_FROM = f"SELECT {_COLUMNS}, k.version, k.number FROM api_key k JOIN organization o ON o.id = k.organization"  # noqa: S608 - a constant
_FIND = f"{_FROM} WHERE k.organization = ? AND k.id = ?"
_PAGE = f"{_FROM} WHERE k.organization = ? AND k.number < ? ORDER BY k.number DESC LIMIT ?"
_CHANGED = f"{_FROM} WHERE k.version > ? ORDER BY k.version"
_KEYS = Rows(
    Key,
    scopes=lambda text: frozenset(text.split()),
    replaced_by=lambda name: name or "",
    ip_allowlist=words,
    limits=msgspec.json.decode,
)


def find(db: Connection, organization: str, name: str) -> Key:
    """Key of an organization by id. Raises Unknown."""
    if (found := _KEYS.first(db, _FIND, (organization, name))) is None:
        raise Unknown("key")
    return found


_ORGANIZATION_OF = "SELECT organization FROM api_key WHERE id = ?"


def organization_of(db: Connection, name: str) -> str:
    """Organization of a key, for the operator's command line. Raises Unknown."""
    row = db.execute(_ORGANIZATION_OF, (name,)).fetchone()
    if row is None:
        raise Unknown("key")
    return str(row[0])


def find_page(db: Connection, organization: str, *, limit: int = 100, after: Position | None = None) -> Page[Key]:
    """Page of an organization's keys, newest first, with expired and revoked keys."""
    return _KEYS.page(db, _PAGE, (organization,), after, limit)


def changed(db: Connection, since: int = 0) -> tuple[list[Key], int]:
    """Keys of every organization made or changed after version `since`, and the newest version.

    For a process with a copy of the keys in memory; `since=0` returns every key. Use of a key is not a change.
    """
    rows = db.execute(_CHANGED, (since,)).fetchall()
    return [_KEYS.read(row) for row in rows], rows[-1][-2] if rows else since


def all_keys(db: Connection) -> Iterator[Key]:
    """Keys of every organization, in the order of the last change."""
    return map(_KEYS.read, db.execute(_CHANGED, (0,)))


_CHANGE = (
    "UPDATE api_key SET expires_at = ?, revoked_at = ?, replaced_by = ?,"
    " version = (SELECT max(version) + 1 FROM api_key) WHERE organization = ? AND id = ?"
)


def rotate(
    db: Connection,
    organization: str,
    name: str,
    actor: str,
    now: int,
    overlap_s: int = keys.USUAL_OVERLAP_S,
    *,
    holder: str = "",
    latest: int | None = None,
) -> tuple[Key, str]:
    """Replacement of a key with the same rights and length of validity, and the text of the new key.

    The old key stays valid for `overlap_s` seconds at most.

    holder  receiver of the text, the old key's holder by default. The new key acts in the name of the receiver, who
            could otherwise submit in the name of the old holder and then review the submission.
    latest  end of the replacement's life at the latest, in milliseconds since 1970; None for no limit

    Raises Unknown, Conflict, KeyRequestError, ClockBehind.
    """
    if not 0 <= overlap_s <= keys.MOST_OVERLAP_S:
        raise KeyRequestError(f"the overlap is 0 to {keys.MOST_OVERLAP_S} seconds", "overlap_seconds")
    old = find(db, organization, name)
    _check_edge(old, "rotating", now)
    request = KeyRequest(
        name=old.name,
        scopes=old.scopes,
        environment=old.environment,
        valid_ms=min(old.expires_at - old.created_at, latest - now if latest is not None else keys.MOST_DAYS * DAY_MS),
        ip_allowlist=old.ip_allowlist,
        limits=old.limits,
    )
    made, text = _made(db, organization, request, actor, now, holder or old.holder)
    # An overlap never prolongs the old key.
    ends = min(old.expires_at, now + overlap_s * 1000)
    db.execute(_CHANGE, (ends, None, made.id, organization, name))
    details = {"replaced_by": made.id, "masked": made.masked, "old_expires_at": timestamp(ends)}
    audit.append(db, organization, now, "key.rotated", actor, name, **details)
    return made, text


def revoke(db: Connection, organization: str, name: str, actor: str, now: int) -> Key:
    """Revoke a key at once. A revoked key is returned unchanged; an expired key cannot be revoked.

    Raises Unknown and Conflict.
    """
    old = find(db, organization, name)
    # Revocation may be repeated, as after a lost answer.
    if old.revoked_at is not None:
        return old
    _check_edge(old, "revoked", now)
    db.execute(_CHANGE, (old.expires_at, now, old.replaced_by or None, organization, name))
    audit.append(db, organization, now, "key.revoked", actor, name, masked=old.masked)
    return find(db, organization, name)


def _check_edge(key: Key, after: keys.State, now: int) -> None:
    before = key.state(now)
    if after not in EDGES[before]:
        past = "is already being replaced" if before == "rotating" else f"is {before}"
        raise Conflict(f"the key {key.masked} {past}; make a new one instead")


# Two processes report uses of the same key in any order: an earlier time must not overwrite a later one.
_TOUCH = "UPDATE api_key SET last_used_at = ? WHERE id = ? AND coalesce(last_used_at, 0) < ?"


def record_use(db: Connection, used: Mapping[str, int] | Iterable[tuple[str, int]]) -> None:
    """Store the times of the last use of keys: (id, milliseconds since 1970). Earlier times have no effect."""
    db.executemany(_TOUCH, [(at, name, at) for name, at in dict(used).items()])
