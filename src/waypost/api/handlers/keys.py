"""API keys: creation, list, exchange and revocation. The key text appears in a single answer and is never stored."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

import msgspec
from litestar import delete, get, post
from litestar.di import NamedDependency

from waypost.api.endpoint import Answer, Body, Contract, Parameter
from waypost.api.idempotency import idempotent
from waypost.api.limits import LimitError, Policy, checked_quotas
from waypost.api.pagination import CURSOR, LIMIT, cursor_page
from waypost.api.request import Call, Reply, json_reply
from waypost.errors import NotReady, WaypostError
from waypost.formats.text import timestamp
from waypost.models import api_key as making
from waypost.models.api_key import DAY_MS, Environment, InsufficientScope, Key, KeyRequestError, Scope, to_dict
from waypost.models.wire.keys import KeyRequest as CreateKey
from waypost.service.problems import ErrorItem, ProblemError
from waypost.store import keys
from waypost.store.cursors import Page, Position
from waypost.store.keys import KeyRequest

if TYPE_CHECKING:
    from waypost.api.state import ServiceState

_Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_ID = "0d9c2c54-3f0e-4bd1-8a3f-0d3f2f1c7a10"
_EXAMPLE: dict[str, Any] = {
    "id": _ID,
    "name": "checkout agent",
    "masked": "wp_live_...wmRN",
    "environment": "Live",
    "labels": ["Write 2/4"],
    "scopes": ["agent", "check"],
    "organization": {"id": "5b0a6f0e-6f5e-4a53-9d8e-0f3a4c1f2b6d", "name": "Acme Works"},
    "created_at": "2026-11-20T09:00:00.000Z",
    "expires_at": "2027-11-20T09:00:00.000Z",
}
_MOST_SCANNED = 2000
"""Keys examined by a filtered request at most; the cursor continues after them."""
FLAGS: Mapping[str, Callable[[Key, int], bool]] = {
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


_MEMBERS = (Parameter("id", "The key's id.", {"type": "string", "maxLength": 64}, place="path"),)
_MADE = Answer(
    "The key. `key` is shown in this answer and never again.",
    "made-key",
    example=_EXAMPLE | {"key": "wp_live_" + "0" * 38},
    headers={"Location": "The key's address."},
)
_REPLAY_NOTE = (
    "With an Idempotency-Key the request can be repeated for a day and makes one key; the answer to a repetition has "
    "`replayed: true` and no `key`."
)


@post(
    "/v1/keys",
    operation_id="createKey",
    summary="Create a key",
    description="The new key belongs to the same organization and can have no more than the key that creates it: no "
    "further scope, no higher quota, no other network, no later expiry. A test key creates test keys only. The "
    "creator of a key is its holder, and cannot use it to review what they submitted. "
    f"{_REPLAY_NOTE}",
    tags=["Keys"],
    opt=Contract(
        scopes=("keys",),
        limit="keys",
        body=Body(
            "key-request",
            examples={
                "an agent's key": {"name": "checkout agent", "scopes": ["agent", "check"]},
                "by labels": {"name": "nightly build", "labels": ["Validate"], "environment": "test"},
            },
        ),
        answers={201: _MADE},
        problems=("insufficient-scope",),
    ),
)
@idempotent
async def create(call: NamedDependency[Call]) -> Reply:
    params = await call.struct(CreateKey)
    state, maker, now = call.state, call.key, call.state.now()
    request = _key_request(state, params, maker, now)
    try:
        made, text = await state.write(
            lambda db: keys.create(db, maker.organization, request, maker.actor, now, holder=maker.holder)
        )
    except KeyRequestError as error:
        raise _invalid(f"#/{error.member}", error) from None
    return await _key_reply(call, made, text)


@get(
    "/v1/keys",
    operation_id="listKeys",
    summary="List keys",
    description="The organization's keys, masked, newest first. Expired and revoked keys stay in the list. With "
    "`flag`, a page may hold fewer keys than `limit`, or none, although another page follows.",
    tags=["Keys"],
    opt=Contract(
        scopes=("keys",),
        limit="reading",
        parameters=(
            Parameter(
                "flag",
                "Only keys in this state, of this environment, or never used.",
                {"type": "string", "enum": list(FLAGS)},
            ),
            LIMIT,
            CURSOR,
        ),
        answers={200: Answer("The keys.", "key-list", example={"items": [_EXAMPLE]})},
        problems=("invalid-cursor",),
    ),
)
async def index(call: NamedDependency[Call]) -> Reply:
    state, owner, now = call.state, call.key.organization, call.state.now()
    flag = call.query.get("flag", "")

    def page(limit: int, after: Position | None) -> Page[Key]:
        found = state.read(lambda db: keys.find_page(db, owner, limit=limit, after=after))
        # The cursor stays that of the full page, so that filtering skips no key.
        return Page([key for key in found.items if not flag or FLAGS[flag](key, now)], found.next)

    def find(limit: int, after: Position | None) -> Page[Key]:
        # A filtered page may be empty although later keys match, so further pages are tried, within a bound.
        found = page(limit, after)
        for _ in range(_MOST_SCANNED // limit):
            if found.items or found.next is None:
                break
            found = page(limit, found.next)
        return found

    return json_reply(await cursor_page(call, find, to_dict, flag))


@get(
    "/v1/keys/{id:str}",
    operation_id="readKey",
    summary="Get a key",
    description="The key as the list shows it.",
    tags=["Keys"],
    opt=Contract(
        scopes=("keys",),
        limit="reading",
        parameters=(*_MEMBERS,),
        answers={200: Answer("The key.", "key", example=_EXAMPLE)},
    ),
)
async def read(call: NamedDependency[Call]) -> Reply:
    return json_reply(to_dict(await _own(call)))


@post(
    "/v1/keys/{id:str}/rotate",
    operation_id="rotateKey",
    summary="Rotate a key",
    description="Creates a key with the same permissions and the same lifetime, which never expires later than the "
    "calling key: only a person can extend it, in the console or on the command line. The old key stays valid for "
    "`overlap_seconds`, and until then responses to it carry `Waypost-Key-Expires`. The response holds the new key, so "
    "the calling key must have every scope of the old one, expire no earlier, and have quotas no lower and networks no "
    "narrower. A test key rotates test keys only; a key that can review is rotated by its own holder only. "
    f"{_REPLAY_NOTE}",
    tags=["Keys"],
    opt=Contract(
        scopes=("keys",),
        limit="keys",
        parameters=(*_MEMBERS,),
        body=Body("rotation-request", optional=True, examples={"at once": {"overlap_seconds": 0}}),
        answers={201: _MADE},
        problems=("insufficient-scope", "not-permitted", "conflict"),
    ),
)
@idempotent
async def rotate(call: NamedDependency[Call]) -> Reply:
    """Replace a key. The caller learns the new text, so the caller must have every permission of the old key."""
    state, maker, now = call.state, call.key, call.state.now()
    params = await call.optional_document()
    old = await _own(call)
    check_exchange(state, old, maker)
    overlap = int(params.get("overlap_seconds", making.USUAL_OVERLAP_S))
    made, text = await state.write(
        lambda db: keys.rotate(
            db, maker.organization, old.id, maker.actor, now, overlap, holder=maker.holder, latest=maker.expires_at
        )
    )
    return await _key_reply(call, made, text)


@post(
    "/v1/keys/{id:str}/revoke",
    operation_id="revokeKey",
    summary="Revoke a key",
    description="Takes effect at once and cannot be undone. A key that was revoked already stays as it is. The calling "
    "key must have every scope of the key that it revokes, and expire no earlier. A test key revokes test keys only.",
    tags=["Keys"],
    opt=Contract(
        scopes=("keys",),
        limit="keys",
        parameters=(*_MEMBERS,),
        answers={200: Answer("The key.", "key", example=_EXAMPLE | {"revoked_at": "2026-11-21T09:00:00.000Z"})},
        problems=("insufficient-scope", "not-permitted", "conflict"),
    ),
)
async def revoke(call: NamedDependency[Call]) -> Reply:
    return await _revoke(call)


async def _revoke(call: Call) -> Reply:
    state, maker, name = call.state, call.key, call.members["id"]
    check_end(await _own(call), maker)
    found = await state.write(lambda db: keys.revoke(db, maker.organization, name, maker.actor, state.now()))
    await known_at_once(state)
    return json_reply(to_dict(found))


def check_exchange(state: ServiceState, old: Key, maker: Maker) -> None:
    """Check that a maker may receive the replacement of a key. Raises ProblemError."""
    # An exchange ends the old key, so it takes all that ending takes.
    check_end(old, maker)
    if _reaches_beyond(old.ip_allowlist, maker):
        raise ProblemError("conflict", "the key may be used from where the one that exchanges it may not")
    if any(_quota(old, policy) > _quota(maker, policy) for policy in state.limits.policies):
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


async def known_at_once(state: ServiceState) -> None:
    """Refresh the keyring, so that changes apply at once. If the store is busy, the next use of a key refreshes."""
    # The change is stored in any case.
    with suppress(NotReady):
        await state.aside(state.keyring.refresh)


async def _own(call: Call) -> Key:
    owner, name = call.key.organization, call.members["id"]
    return await call.state.fetch(lambda db: keys.find(db, owner, name))


def _key_request(state: ServiceState, params: CreateKey, maker: Key, now: int) -> KeyRequest:
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
        limits=_limits(state, params.limits or {}, maker),
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


def _limits(state: ServiceState, params: Mapping[str, int], maker: Key) -> dict[str, int]:
    """Quotas of a new key, at most the quotas of its maker. Raises ProblemError."""
    try:
        checked = checked_quotas(params)
    except LimitError:
        raise _invalid("#/limits", "there is no such limit; see GET /v1/limits") from None
    for policy in state.limits.policies:
        most = _quota(maker, policy)
        if checked.get(policy.name, 0) > most:
            raise _invalid(f"#/limits/{policy.name}", f"at most {most}, which the key that makes it has")
    # A key without limits of its own would have the usual ones, which may be higher than its maker's.
    inherited = {name: quota for name, quota in maker.limits.items() if name not in checked}
    return inherited | checked


def _invalid(pointer: str, why: WaypostError | str) -> ProblemError:
    place: ErrorItem = {"pointer": pointer, "code": "refused", "detail": str(why)}
    return ProblemError("invalid-request", errors=[place])


async def _key_reply(call: Call, made: Key, text: str) -> Reply:
    """Answer with the key text; the copy stored for a replay omits the text."""
    await known_at_once(call.state)
    public = to_dict(made)
    answer = json_reply({"key": text, **public}, 201, {"location": f"/v1/keys/{made.id}"})
    answer.stored = msgspec.json.encode(public | {"replayed": True})
    return answer


@delete(
    "/v1/keys/{id:str}",
    status_code=200,
    operation_id="deleteKey",
    summary="Revoke a key",
    description="The same as `POST /v1/keys/{id}/revoke`: the key stays in the list.",
    tags=["Keys"],
    opt=Contract(
        scopes=("keys",),
        limit="keys",
        parameters=(*_MEMBERS,),
        answers={200: Answer("The key.", "key", example=_EXAMPLE | {"revoked_at": "2026-11-21T09:00:00.000Z"})},
        problems=("insufficient-scope", "not-permitted", "conflict"),
    ),
)
async def delete_key(call: NamedDependency[Call]) -> Reply:
    return await _revoke(call)
