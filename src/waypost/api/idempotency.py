"""The same request twice has one effect and one answer (draft-ietf-httpapi-idempotency-key-header-07)."""

from __future__ import annotations

import hashlib
import re
from functools import wraps

import msgspec

from waypost.api.endpoint import Handle, Parameter
from waypost.api.problems import ProblemError
from waypost.api.request import Call, Reply
from waypost.models.api_key import PATTERN
from waypost.store import idempotency

HEADER = "Idempotency-Key"
_FORM = r'"([!#-\[\]-~]{1,64})"|([!#-~][!-~]{0,63})'
"""A string of structured fields (RFC 9651 section 3.3.3) without escapes, or the same bare."""
PARAMETER = Parameter(
    HEADER,
    "Names the request: repeated within a day it has one effect, and its answer comes again with "
    "`Idempotency-Replayed: true`. 1 to 64 visible ASCII characters, bare or as a string of structured fields.",
    {"type": "string", "pattern": f"^(?:{_FORM})$"},
    place="header",
)


def idempotent(handle: Handle[Reply]) -> Handle[Reply]:
    """A handler's function that answers the same request once. Marks it for the documents, too."""

    @wraps(handle)
    async def once(call: Call) -> Reply:
        return await _once(handle, call)

    once.idempotent = True  # type: ignore[attr-defined]
    return once


async def _once(handle: Handle[Reply], call: Call) -> Reply:
    """Answer a request; with an Idempotency-Key only if it was not answered within a day. Raises ProblemError."""
    token = _token(call)
    if not token or call.caller is None:
        return await handle(call)
    state, owner = call.state, call.key.organization
    fingerprint = await _fingerprint(call)
    now = state.now()
    before = await state.write(lambda db: idempotency.begin(db, owner, token, fingerprint, now))
    if before is not None:
        headers = {"idempotency-replayed": "true"} | ({"location": before.location} if before.location else {})
        return Reply(before.body, before.status, headers=headers)
    try:
        answer = await handle(call)
    except BaseException:
        await state.write(lambda db: idempotency.forget(db, owner, token))
        raise
    body = answer.content if answer.stored is None else answer.stored
    stored = idempotency.StoredResponse(
        status=answer.status_code, location=answer.headers.get("location", ""), body=body
    )
    await state.write(lambda db: idempotency.finish(db, owner, token, stored))
    return answer


def _token(call: Call) -> str:
    """The header's value, empty where there is none. Raises ProblemError."""
    if not any(name == b"idempotency-key" for name, _ in call.scope["headers"]):
        return ""
    found = re.fullmatch(_FORM, call.header(HEADER.lower()))
    if found is None or re.search(PATTERN, found[0]):  # it is kept as it is, and a key never
        place = {"header": HEADER, "code": "pattern", "detail": "1 to 64 visible ASCII characters"}
        raise ProblemError("bad-header", errors=[place])
    return found[1] or found[2]


async def _fingerprint(call: Call) -> bytes:
    """Of all that was asked: endpoint, members of the path, body; and of whom, as test keys are told other things."""
    data = await call.raw()
    fingerprint = (call.endpoint.name, sorted(call.members.items()), call.header("content-type"), call.key.environment)
    return hashlib.sha256(msgspec.json.encode(fingerprint) + data).digest()
