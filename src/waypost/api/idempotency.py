"""Idempotency-Key: a repeated request has a single effect and a single answer.

Follows draft-ietf-httpapi-idempotency-key-header-07.
"""

from __future__ import annotations

import hashlib
import re
from functools import wraps

import msgspec

from waypost.api.endpoint import Handle, Parameter
from waypost.api.request import Call, Reply
from waypost.models.api_key import PATTERN
from waypost.service.problems import ProblemError
from waypost.store import idempotency

HEADER = "Idempotency-Key"
_FORM = r'"([!#-\[\]-~]{1,64})"|([!#-~][!-~]{0,63})'
"""Regex for a structured-field string (RFC 9651 section 3.3.3) without escapes, or the same string bare."""
PARAMETER = Parameter(
    HEADER,
    "A name for this request. Repeating the request with it within a day has no further effect and returns the first "
    "response, with `Idempotency-Replayed: true`. 1 to 64 visible ASCII characters, optionally in double quotes.",
    {"type": "string", "pattern": f"^(?:{_FORM})$"},
    place="header",
)


def idempotent(handle: Handle[Reply]) -> Handle[Reply]:
    """Decorator for a handler function that honours Idempotency-Key. Marks the function for the OpenAPI document."""

    @wraps(handle)
    async def once(call: Call) -> Reply:
        return await _once(handle, call)

    once.idempotent = True  # type: ignore[attr-defined]
    return once


async def _once(handle: Handle[Reply], call: Call) -> Reply:
    """Run the handler, or replay the answer stored for the same key within a day. Raises ProblemError."""
    token = _token(call)
    if not token:
        return await handle(call)
    if call.caller is None:  # the form of a page: keys have the tokens
        raise ProblemError("idempotency-unsupported")
    state, owner, key = call.state, call.key.organization, call.key.id
    fingerprint = await _fingerprint(call)
    now = state.now()
    # Atomic: of two concurrent requests with the same token only one gets None.
    before = await state.write(lambda db: idempotency.begin(db, owner, key, token, fingerprint, now))
    if before is not None:
        headers = {"idempotency-replayed": "true"} | ({"location": before.location} if before.location else {})
        return Reply(before.body, before.status, headers=headers)
    try:
        answer = await handle(call)
    except BaseException:
        # Also after a cancellation: a retry must not wait for a request that has ended.
        await state.write(lambda db: idempotency.forget(db, owner, key, token))
        raise
    body = answer.content if answer.stored is None else answer.stored
    stored = idempotency.StoredResponse(
        status=answer.status_code, location=answer.headers.get("location", ""), body=body
    )
    await state.write(lambda db: idempotency.finish(db, owner, key, token, stored))
    return answer


def _token(call: Call) -> str:
    """Value of Idempotency-Key, empty if missing. Raises ProblemError for an invalid value."""
    # An empty header is a mistake to report, not a request without one.
    if not any(name == b"idempotency-key" for name, _ in call.scope["headers"]):
        return ""
    found = re.fullmatch(_FORM, call.header(HEADER.lower()))
    if found is None or re.search(PATTERN, found[0]):  # the token is stored as sent, and an API key must never be
        place = {"header": HEADER, "code": "pattern", "detail": "1 to 64 visible ASCII characters"}
        raise ProblemError("bad-header", errors=[place])
    return found[1] or found[2]


async def _fingerprint(call: Call) -> bytes:
    """SHA-256 of endpoint, path parameters, content type and body."""
    data = await call.raw()
    fingerprint = (call.endpoint.name, sorted(call.members.items()), call.header("content-type"))
    return hashlib.sha256(msgspec.json.encode(fingerprint) + data).digest()
