"""API keys: creation, list, exchange and revocation. The key text appears in a single answer and is never stored."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal, Protocol

from msgspec import Meta

from waypost.errors import WaypostError
from waypost.formats.text import timestamp
from waypost.models import api_key as making
from waypost.models.api_key import DAY_MS, Environment, InsufficientScope, Key, KeyRequestError, Scope, to_dict
from waypost.models.wire import keys as wire
from waypost.models.wire.common import Closed
from waypost.models.wire.keys import KeyList, MadeKey, RotationRequest
from waypost.operations.context import Result, ServiceContext
from waypost.operations.lists import USUAL, Cursor, Limit
from waypost.operations.table import Answer, operation
from waypost.service.body import Body
from waypost.service.limit_policies import LimitError, Policy, checked_quotas
from waypost.service.problems import ErrorItem, ProblemError
from waypost.store import keys
from waypost.store.cursors import Page, Position
from waypost.store.keys import KeyRequest

Policies = Sequence[Policy]
_Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_EXAMPLE: dict[str, Any] = {
    "id": "0d9c2c54-3f0e-4bd1-8a3f-0d3f2f1c7a10",
    "name": "checkout agent",
    "masked": "wp_live_...wmRN",
    "environment": "Live",
    "labels": ["Write 2/4"],
    "scopes": ["agent", "check"],
    "organization": {"id": "5b0a6f0e-6f5e-4a53-9d8e-0f3a4c1f2b6d", "name": "Acme Works"},
    "created_at": "2026-11-20T09:00:00.000Z",
    "expires_at": "2027-11-20T09:00:00.000Z",
}
_REVOKED = _EXAMPLE | {"revoked_at": "2026-11-21T09:00:00.000Z"}
_MOST_SCANNED = 2000
"""Keys examined by a filtered request at most; the cursor continues after them."""
Flag = Literal["active", "rotating", "expired", "revoked", "unused", "live", "test"]
FLAGS: Mapping[Flag, Callable[[Key, int], bool]] = {
    "active": lambda key, now: key.state(now) == "active",
    "rotating": lambda key, now: key.state(now) == "rotating",
    "expired": lambda key, now: key.state(now) == "expired",
    "revoked": lambda key, now: key.state(now) == "revoked",
    "unused": lambda key, _: key.last_used_at is None,
    "live": lambda key, _: key.environment == "live",
    "test": lambda key, _: key.environment == "test",
}


class Maker(Protocol):
    """Principal that creates or exchanges a key: the holder of another key, or a person at the console."""

    @property
    def scopes(self) -> frozenset[Scope]: ...
    @property
    def environment(self) -> Environment: ...
    @property
    def holder(self) -> str: ...
    @property
    def ip_allowlist(self) -> tuple[str, ...]: ...
    @property
    def limits(self) -> Mapping[str, int]: ...
    @property
    def expires_at(self) -> int: ...


KeyId = Annotated[str, Meta(max_length=64, description="The key's id.")]
_MADE = {
    201: Answer(
        "The key. `key` is shown in this answer and never again.",
        "made-key",
        example=_EXAMPLE | {"key": "wp_live_" + "0" * 38},
        headers={"Location": "The key's address."},
    )
}


@operation(
    "POST /v1/keys",
    id="createKey",
    title="Create a key",
    tag="Keys",
    scope="keys",
    limit="keys",
    body=Body(
        "key-request",
        examples={
            "an agent's key": {"name": "checkout agent", "scopes": ["agent", "check"]},
            "by labels": {"name": "nightly build", "labels": ["Validate"], "environment": "test"},
        },
    ),
    answer=_MADE,
    problems=("insufficient-scope",),
    idempotent=True,
)
async def create_key(body: wire.KeyRequest, context: ServiceContext) -> Result[MadeKey]:
    """The new key belongs to the same organization and can have no more than the key that creates it: no further scope,
    no higher quota, no other network, no later expiry. A test key creates test keys only. The creator of a key is its
    holder, and cannot use it to review what they submitted. With an Idempotency-Key the request can be repeated for a
    day and makes one key; the answer to a repetition has `replayed: true` and no `key`.
    """
    maker, now = context.key, context.now()
    request = _key_request(context.policies, body, maker, now)
    try:
        made, text = await context.write(
            lambda db: keys.create(db, maker.organization, request, maker.actor, now, holder=maker.holder)
        )
    except KeyRequestError as error:
        raise _invalid(f"#/{error.member}", error) from None
    return await _made(context, made, text)


class KeyQuery(Closed, frozen=True, kw_only=True):
    """Filters of keys."""

    flag: Annotated[Flag | None, Meta(description="Only keys in this state, of this environment, or never used.")] = (
        None
    )
    limit: Limit = None
    cursor: Cursor = None


@operation(
    "GET /v1/keys",
    id="listKeys",
    title="List keys",
    tag="Keys",
    scope="keys",
    limit="reading",
    answer="The keys.",
    example={"items": [_EXAMPLE]},
    problems=("invalid-cursor",),
)
async def list_keys(query: KeyQuery, context: ServiceContext) -> Result[KeyList]:
    """The organization's keys, masked, newest first. Expired and revoked keys stay in the list. With `flag`, a page may
    hold fewer keys than `limit`, or none, although another page follows.
    """
    owner, now, limit, flag = context.key.organization, context.now(), query.limit or USUAL, query.flag

    def page(after: Position | None) -> Page[Key]:
        found = context.read(lambda db: keys.find_page(db, owner, limit=limit, after=after))
        # The cursor stays that of the full page, so that filtering skips no key.
        return Page([key for key in found.items if not flag or FLAGS[flag](key, now)], found.next)

    def find(after: Position | None) -> Page[Key]:
        # A filtered page may be empty although later keys match, so further pages are tried, within a bound.
        found = page(after)
        for _ in range(_MOST_SCANNED // limit):
            if found.items or found.next is None:
                break
            found = page(found.next)
        return found

    items, cursor = await context.page(query.cursor, (flag or "",), find)
    return Result({"items": [to_dict(key) for key in items]} | ({"next_cursor": cursor} if cursor else {}))


@operation(
    "GET /v1/keys/{id}",
    id="readKey",
    title="Get a key",
    tag="Keys",
    scope="keys",
    limit="reading",
    answer="The key.",
    example=_EXAMPLE,
)
async def read_key(id: KeyId, context: ServiceContext) -> Result[wire.Key]:  # noqa: A002
    """The key as the list shows it."""
    return Result(to_dict(await _own(id, context)))


@operation(
    "POST /v1/keys/{id}/rotate",
    id="rotateKey",
    title="Rotate a key",
    tag="Keys",
    scope="keys",
    limit="keys",
    body=Body("rotation-request", optional=True, examples={"at once": {"overlap_seconds": 0}}),
    answer=_MADE,
    problems=("insufficient-scope", "not-permitted", "conflict"),
    idempotent=True,
)
async def rotate_key(id: KeyId, request: RotationRequest, context: ServiceContext) -> Result[MadeKey]:  # noqa: A002
    """Creates a key with the same permissions and the same lifetime, which never expires later than the calling key:
    only a person can extend it, in the console or on the command line. The old key stays valid for `overlap_seconds`,
    and until then responses to it carry `Waypost-Key-Expires`. The response holds the new key, so the calling key must
    have every scope of the old one, expire no earlier, and have quotas no lower and networks no narrower. A test key
    rotates test keys only; a key that can review is rotated by its own holder only. With an Idempotency-Key the request
    can be repeated for a day and makes one key; the answer to a repetition has `replayed: true` and no `key`.
    """
    maker, now = context.key, context.now()
    old = await _own(id, context)
    check_exchange(context.policies, old, maker)
    overlap = making.USUAL_OVERLAP_S if request.overlap_seconds is None else request.overlap_seconds
    made, text = await context.write(
        lambda db: keys.rotate(
            db, maker.organization, old.id, maker.actor, now, overlap, holder=maker.holder, latest=maker.expires_at
        )
    )
    return await _made(context, made, text)


@operation(
    "POST /v1/keys/{id}/revoke",
    id="revokeKey",
    title="Revoke a key",
    tag="Keys",
    scope="keys",
    limit="keys",
    answer="The key.",
    example=_REVOKED,
    problems=("insufficient-scope", "not-permitted", "conflict"),
)
async def revoke_key(id: KeyId, context: ServiceContext) -> Result[wire.Key]:  # noqa: A002
    """Takes effect at once and cannot be undone. A key that was revoked already stays as it is. The calling key must
    have every scope of the key that it revokes, and expire no earlier. A test key revokes test keys only.
    """
    maker = context.key
    check_end(await _own(id, context), maker)
    found = await context.write(lambda db: keys.revoke(db, maker.organization, id, maker.actor, context.now()))
    await context.refresh_keys()
    return Result(to_dict(found))


@operation(
    "DELETE /v1/keys/{id}",
    id="deleteKey",
    title="Revoke a key",
    tag="Keys",
    scope="keys",
    limit="keys",
    answer="The key.",
    example=_REVOKED,
    problems=("insufficient-scope", "not-permitted", "conflict"),
)
async def delete_key(id: KeyId, context: ServiceContext) -> Result[wire.Key]:  # noqa: A002
    """The same as `POST /v1/keys/{id}/revoke`: the key stays in the list."""
    return await revoke_key(id, context)


async def _made(context: ServiceContext, made: Key, text: str) -> Result[MadeKey]:
    """Result with the key text; the copy stored for a replay omits the text."""
    await context.refresh_keys()
    public = to_dict(made)
    location = {"location": f"/v1/keys/{made.id}"}
    return Result({"key": text, **public}, headers=location, replay=public | {"replayed": True})


async def _own(name: str, context: ServiceContext) -> Key:
    owner = context.key.organization
    return await context.fetch(lambda db: keys.find(db, owner, name))


def check_exchange(policies: Policies, old: Key, maker: Maker) -> None:
    """Check that a maker may receive the replacement of a key. Raises ProblemError."""
    # An exchange ends the old key, so it takes all that ending takes.
    check_end(old, maker)
    if _reaches_beyond(old.ip_allowlist, maker):
        raise ProblemError("conflict", "the key may be used from where the one that exchanges it may not")
    if any(_quota(old, policy) > _quota(maker, policy) for policy in policies):
        raise ProblemError("conflict", "the key has a higher quota than the one that exchanges it")
    if "review" in old.scopes and old.holder != maker.holder:
        # The maker would hold two reviewers' keys and could give both approvals alone.
        raise ProblemError(
            "conflict", "a key that reviews is exchanged by its own holder alone; revoke it and make another"
        )


def check_end(old: Key, maker: Maker) -> None:
    """Check that a maker may end a key: one with no more scopes, life and environment. Raises ProblemError."""
    _granted(old.scopes, maker.scopes)
    if maker.environment == "test" and old.environment == "live":
        raise ProblemError("insufficient-scope", "a test key leads to test keys alone")
    if old.expires_at > maker.expires_at:
        raise ProblemError("not-permitted", "the key lives longer than the one that asks; ask with one that lives on")


def _key_request(policies: Policies, params: wire.KeyRequest, maker: Key, now: int) -> KeyRequest:
    """Validated request for a new key, within the permissions of its maker. Raises ProblemError."""
    try:
        scopes = making.scopes_of(labels=params.labels, scopes=params.scopes)
        networks = making.networks(params.ip_allowlist)
    except KeyRequestError as error:
        raise _invalid(f"#/{error.member}", error) from None
    _granted(scopes, maker.scopes)
    if maker.environment == "test" and params.environment == "live":
        raise ProblemError("insufficient-scope", "a test key leads to test keys alone")
    return KeyRequest(
        name=params.name,
        scopes=scopes,
        environment=params.environment,
        valid_ms=_valid_ms(params.expires_at, now, maker),
        ip_allowlist=_networks(networks, maker),
        limits=_limits(policies, params.limits or {}, maker),
    )


def _granted(scopes: Iterable[Scope], held: Iterable[str]) -> None:
    try:
        making.check_grant(scopes, held)
    except InsufficientScope as error:
        raise ProblemError("insufficient-scope", str(error), more={"required_scopes": list(error.required)}) from None


def _valid_ms(expires_at: str | None, now: int, maker: Key) -> int:
    """Length of life of a new key in milliseconds, which ends with its maker at the latest. Raises ProblemError."""
    most = maker.expires_at - now
    if expires_at is None:
        return min(making.USUAL_DAYS * DAY_MS, most)
    try:
        ends = datetime.fromisoformat(expires_at)
    except ValueError:
        raise _invalid("#/expires_at", "there is no such day or time") from None
    valid = int(ends.timestamp() * 1000) - now
    if not 1 <= valid <= making.MOST_DAYS * DAY_MS:
        raise _invalid("#/expires_at", f"it must lie in the future, by at most {making.MOST_DAYS} days")
    if valid > most:
        raise _invalid("#/expires_at", f"the key that makes it ends before, at {timestamp(maker.expires_at)}")
    return valid


def _networks(params: tuple[str, ...], maker: Key) -> tuple[str, ...]:
    """Networks of a new key, within the networks of its maker. Raises ProblemError."""
    request = params or maker.ip_allowlist
    if _reaches_beyond(request, maker):
        raise _invalid("#/ip_allowlist", "it reaches beyond what the key that makes it may be used from")
    return request


def _reaches_beyond(params: tuple[str, ...], maker: Maker) -> bool:
    if not maker.ip_allowlist:
        return False
    # No list means any address, which is more than a maker with a list may grant.
    allowed = [ipaddress.ip_network(network) for network in maker.ip_allowlist]
    requested = [ipaddress.ip_network(network) for network in params]
    return not requested or not all(any(_is_within(network, whole) for whole in allowed) for network in requested)


def _is_within(part: _Network, whole: _Network) -> bool:
    return part.version == whole.version and part.subnet_of(whole)  # type: ignore[arg-type]


def _quota(who: Maker, policy: Policy) -> int:
    return who.limits.get(policy.name, policy.quota)


def _limits(policies: Policies, params: Mapping[str, int], maker: Key) -> dict[str, int]:
    """Quotas of a new key, at most the quotas of its maker. Raises ProblemError."""
    try:
        checked = checked_quotas(params)
    except LimitError:
        raise _invalid("#/limits", "there is no such limit; see GET /v1/limits") from None
    for policy in policies:
        most = _quota(maker, policy)
        if checked.get(policy.name, 0) > most:
            raise _invalid(f"#/limits/{policy.name}", f"at most {most}, which the key that makes it has")
    # A key without limits of its own would have the usual ones, which may be higher than its maker's.
    inherited = {name: quota for name, quota in maker.limits.items() if name not in checked}
    return inherited | checked


def _invalid(pointer: str, why: WaypostError | str) -> ProblemError:
    place: ErrorItem = {"pointer": pointer, "code": "refused", "detail": str(why)}
    return ProblemError("invalid-request", errors=[place])
