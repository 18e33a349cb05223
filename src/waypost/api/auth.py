"""Whether a request may go on: its key, its scopes and its limits, in this order."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

from waypost.api.console import session
from waypost.api.console.forms import is_form
from waypost.api.endpoint import ANY_KEY, SESSION
from waypost.api.limits import Allowed
from waypost.api.limits import Refused as Limited
from waypost.api.problems import Refused
from waypost.models.api_key import Key

if TYPE_CHECKING:
    from waypost.api.request import Call

_REALM = 'Bearer realm="waypost"'


async def admitted(call: Call) -> dict[str, str]:
    """Let a request through, with the headers its answer gets. Raises Refused."""
    call.address = address_of(call)
    running, endpoint = call.running, call.endpoint
    if endpoint.public:
        if not endpoint.policy:
            return {}
        return _spent(call, running.limits.of_address(call.address, endpoint.policy, running.now()))
    if endpoint.form and is_form(call):
        return _spent(call, running.limits.of_address(call.address, endpoint.form, running.now()))
    if endpoint.needs == (SESSION,):
        headers = {}
        if endpoint.policy:
            headers = _spent(call, running.limits.of_address(call.address, endpoint.policy, running.now()))
        await session.admitted(call)
        return headers
    key = call.caller = _key(call)
    if endpoint.needs != (ANY_KEY,) and key.scopes.isdisjoint(endpoint.needs):
        needs = " ".join(endpoint.needs)
        raise Refused(
            "insufficient-scope",
            more={"required_scopes": list(endpoint.needs)},
            headers={"www-authenticate": f'Bearer error="insufficient_scope", scope="{needs}"'},
        )
    verdict = running.limits.at_once(key, endpoint.policy, running.now())
    if not isinstance(verdict, Allowed | Limited):  # the store has to be asked
        verdict = await running.limits.of_key(key, endpoint.policy, running.now())
    headers = _spent(call, verdict)
    if key.replaced_by:
        headers["waypost-key-expires"] = running.written(key.expires_at)
    return headers


async def spend(call: Call, items: int) -> None:
    """Count further items of a batch; the first was counted with the request. Raises Refused."""
    running = call.running
    if items:
        _spent(call, await running.limits.of_key(call.key, call.endpoint.policy, running.now(), cost=items))


def _key(call: Call) -> Key:
    running = call.running
    header = call.header("authorization")
    scheme, _, text = header.partition(" ")
    found = running.keyring.find(text.strip(), running.now(), call.address) if scheme.lower() == "bearer" else "unknown"
    if isinstance(found, Key):
        return found
    _spent(call, running.limits.of_address(call.address, "failed-auth", running.now()))
    if found == "address":
        raise Refused("address-not-allowed")
    code = {"expired": "key-expired", "revoked": "key-revoked"}.get(found, "unauthenticated")
    error = ', error="invalid_token"' if header else ""
    raise Refused(code, headers={"www-authenticate": f"{_REALM}{error}"})


def _spent(call: Call, verdict: Allowed | Limited) -> dict[str, str]:
    headers = verdict.headers
    if call.running.settings.legacy_rate_headers:
        headers |= verdict.legacy_headers
    if not isinstance(verdict, Limited):
        call.allowed.append(verdict)
        return headers
    call.running.metrics.limited(verdict.names[0])
    raise Refused(
        "quota-exceeded",
        more={"violated-policies": list(verdict.policies), "retry_after": verdict.retry_after_s},
        headers=headers,
    )


def address_of(call: Call) -> str:
    """Who asks: the peer, or behind proxies that are trusted the first address that is not one of them."""
    client = call.scope.get("client")
    peer = client[0] if client else ""
    networks = call.running.trusted_proxies
    if not networks or not _within(peer, networks, unix=not client):
        return peer
    told = [each.strip() for each in call.header("x-forwarded-for").split(",")]
    for address in reversed(told):
        if not _within(address, networks):
            return address if _is_address(address) else peer
    return peer


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _within(
    text: str, networks: tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...], *, unix: bool = False
) -> bool:
    if unix:  # a socket file: only who may open it can be there
        return True
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return any(address in network for network in networks)
