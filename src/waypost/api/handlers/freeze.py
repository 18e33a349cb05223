"""Freeze of an organization: read, started by one person, ended by two."""

from __future__ import annotations

from typing import Any

from litestar import get, post
from litestar.di import NamedDependency

from waypost.api.endpoint import ANY_KEY, Answer, Body, Contract
from waypost.api.request import Call, Reply, json_reply
from waypost.formats.text import timestamp, without_hidden
from waypost.store import freezes

_FROZEN = {"frozen": True, "since": "2026-11-20T09:00:00.000Z", "by": "ann", "reason": "an agent was taken over"}
_BODY = Body("freeze-request", examples={"a reason": {"reason": "an agent was taken over"}})


def _to_dict(freeze: freezes.Freeze | None) -> dict[str, Any]:
    if freeze is None:
        return {"frozen": False}
    members = {
        "since": timestamp(freeze.since),
        "by": freeze.by,
        "reason": without_hidden(freeze.reason),
        "end_requested_by": freeze.end_requested_by,
    }
    return {"frozen": True, **{name: value for name, value in members.items() if value}}


@get(
    "/v1/freeze",
    operation_id="readFreeze",
    summary="Get the freeze of the organization",
    description="While the organization is frozen, no sensitive action of its agents is allowed, and no earlier allow "
    "counts.",
    tags=["Keys"],
    opt=Contract(
        scopes=(ANY_KEY,), limit="reading", answers={200: Answer("The freeze, or none.", "freeze", example=_FROZEN)}
    ),
)
async def freeze(call: NamedDependency[Call]) -> Reply:
    owner = call.key.organization
    return json_reply(_to_dict(await call.state.fetch(lambda db: freezes.find(db, owner))))


@post(
    "/v1/freeze",
    operation_id="startFreeze",
    summary="Freeze every sensitive action",
    description="Stops every sensitive action of the organization's agents at once, with the reason `actions_frozen`. "
    "A freeze in force stays as it is, and a request to end it is withdrawn.",
    tags=["Keys"],
    status_code=200,
    opt=Contract(
        scopes=("review",),
        limit="reviews",
        live=True,
        body=_BODY,
        answers={200: Answer("The freeze.", "freeze", example=_FROZEN)},
        problems=("conflict",),
    ),
)
async def start_freeze(call: NamedDependency[Call]) -> Reply:
    key, now = call.key, call.state.now()
    reason = str((await call.document())["reason"])
    made = await call.state.write(lambda db: freezes.start(db, key.organization, now, key.holder, reason))
    return json_reply(_to_dict(made))


@post(
    "/v1/freeze/end",
    operation_id="endFreeze",
    summary="End a freeze",
    description="Requests the end of a freeze, or confirms the request of another person. No one can confirm their own "
    "request, with any key.",
    tags=["Keys"],
    status_code=200,
    opt=Contract(
        scopes=("review",),
        limit="reviews",
        live=True,
        body=_BODY,
        answers={
            200: Answer(
                "The freeze with the request, or none.", "freeze", example={**_FROZEN, "end_requested_by": "ann"}
            )
        },
        problems=("conflict",),
    ),
)
async def end_freeze(call: NamedDependency[Call]) -> Reply:
    key, now = call.key, call.state.now()
    reason = str((await call.document())["reason"])
    left = await call.state.write(lambda db: freezes.end(db, key.organization, now, key.holder, reason))
    return json_reply(_to_dict(left))
