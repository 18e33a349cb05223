"""Authentication, authorization and rate limits of a request, checked in the order key, scope, limit."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from typing import TYPE_CHECKING

from waypost.api.console import session
from waypost.api.console.forms import is_form
from waypost.api.endpoint import ANY_KEY, SESSION
from waypost.api.limits import Allowed, LimitExceeded
from waypost.formats.ip_addresses import Address, Network
from waypost.models.api_key import Key
from waypost.service.problems import ProblemError

if TYPE_CHECKING:
    from waypost.api.request import Call

_REALM = 'Bearer realm="waypost"'
_MOST_PROXIES = 16
"""Most proxies in a row; reading a header of 24 KiB would take 20 ms."""


async def admit(call: Call) -> dict[str, str]:
    """Check the request against its endpoint and return the rate limit headers of the answer.

    Raises ProblemError for a missing, expired or revoked key, a missing scope, or an exceeded limit.
    """
    call.address = address_of(call)
    state, endpoint = call.state, call.endpoint
    if endpoint.public:
        if not endpoint.limit:
            return {}
        return _spent(call, await state.limits.of_address(call.address, endpoint.limit, state.now()))
    if endpoint.form_limit and is_form(call):
        return _spent(call, await state.limits.of_address(call.address, endpoint.form_limit, state.now()))
    if endpoint.scopes == (SESSION,):
        headers = {}
        if endpoint.limit:
            headers = _spent(call, await state.limits.of_address(call.address, endpoint.limit, state.now()))
        await session.admit(call)
        return headers
    key = await _key(call)
    if not isinstance(key, Key):
        raise await _not_accepted(call, key)
    call.caller = key
    if endpoint.scopes != (ANY_KEY,) and key.scopes.isdisjoint(endpoint.scopes):
        raise _insufficient_scope(endpoint.scopes)
    if endpoint.live:
        check_live(key)
    # Without the store where the part of the quota that this process may give away suffices, as for nearly every
    # request.
    verdict = state.limits.at_once(key, endpoint.limit, state.now())
    if not isinstance(verdict, Allowed | LimitExceeded):  # an account: the verdict needs the store
        verdict = await state.limits.of_key(key, endpoint.limit, state.now())
    headers = _spent(call, verdict)
    if key.replaced_by:
        headers["waypost-key-expires"] = state.written(key.expires_at)
    return headers


def _insufficient_scope(scopes: Sequence[str]) -> ProblemError:
    return ProblemError(
        "insufficient-scope",
        more={"required_scopes": list(scopes)},
        headers={"www-authenticate": f'Bearer error="insufficient_scope", scope="{" ".join(scopes)}"'},
    )


def check_live(key: Key) -> None:
    """Check that a key may change something live. Raises ProblemError for a test key."""
    if key.environment == "test":
        raise ProblemError("not-permitted", "a test key changes nothing live; use a live key")


async def spend(call: Call, items: int) -> None:
    """Count `items` further items of a batch; the first was counted with the request. Raises ProblemError."""
    state = call.state
    if items:
        _spent(call, await state.limits.of_key(call.key, call.endpoint.limit, state.now(), cost=items))


async def _key(call: Call) -> Key | str:
    """Key of the request, or the reason why there is none. Raises NotReady."""
    state = call.state
    scheme, _, text = call.header("authorization").partition(" ")
    # Scheme names have no letter case (RFC 9110, section 11.1).
    if scheme.lower() != "bearer":
        return "unknown"
    text = text.strip()
    found = state.keyring.known(text, state.now(), call.address)
    if found is None:
        await state.aside(state.keyring.refresh)
        found = state.keyring.known(text, state.now(), call.address, is_fresh=True)
    assert found is not None
    return found


async def _not_accepted(call: Call, reason: str) -> ProblemError:
    """Problem of a request without an accepted key. Raises ProblemError where there were too many."""
    # Counted by address, so that keys cannot be guessed at full speed.
    _spent(call, await call.state.limits.of_address(call.address, "failed-auth", call.state.now()))
    if reason == "address":
        return ProblemError("address-not-allowed")
    code = {"expired": "key-expired", "revoked": "key-revoked"}.get(reason, "unauthenticated")
    error = ', error="invalid_token"' if call.header("authorization") else ""
    return ProblemError(code, headers={"www-authenticate": f"{_REALM}{error}"})


def _spent(call: Call, verdict: Allowed | LimitExceeded) -> dict[str, str]:
    headers = verdict.headers
    if call.state.settings.legacy_rate_headers:
        headers |= verdict.legacy_headers
    if not isinstance(verdict, LimitExceeded):
        call.allowed.append(verdict)
        return headers
    call.state.metrics.limited(verdict.names[0])
    raise ProblemError(
        "quota-exceeded",
        more={"violated-policies": list(verdict.policies), "retry_after": verdict.retry_after_s},
        headers=headers,
    )


def address_of(call: Call) -> str:
    """Client address: the peer, or behind trusted proxies the last untrusted address of X-Forwarded-For."""
    client = call.scope.get("client")
    peer = client[0] if client else ""
    networks = call.state.trusted_proxies
    if not networks:
        return peer
    # A UNIX socket has no peer: its file permissions decide who connects, so everyone there is a trusted proxy.
    if client and not _within(_address(peer), networks):
        return peer
    # From the right: trusted proxies append, and a client can send any beginning. What stands before the last members
    # is left in one piece, which is not an address.
    for text in reversed(call.header("x-forwarded-for").rsplit(",", _MOST_PROXIES)):
        address = _address(_without_port(text.strip()))
        if address is None:
            return peer
        if not _within(address, networks):
            return str(address)
    return peer


def _without_port(text: str) -> str:
    """Address of a member of X-Forwarded-For, to which some proxies add the port of the client."""
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0] if text.count(":") == 1 else text


def _address(text: str) -> Address | None:
    """IP address; of an IPv4 client of a socket for both families (RFC 4291, 2.5.5.2) the IPv4 address."""
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def _within(address: Address | None, networks: tuple[Network, ...]) -> bool:
    return address is not None and any(address in network for network in networks)
