"""Freeze of an organization: read, started by one person, ended by two."""

from __future__ import annotations

from waypost.formats.text import timestamp, without_hidden
from waypost.models.wire.keys import Freeze, FreezeRequest
from waypost.operations.context import ServiceContext
from waypost.operations.table import ANY_KEY, operation
from waypost.service.body import Body
from waypost.store import freezes

_FROZEN = {"frozen": True, "since": "2026-11-20T09:00:00.000Z", "by": "ann", "reason": "an agent was taken over"}
_BODY = Body("freeze-request", examples={"a reason": {"reason": "an agent was taken over"}})


def _displayed(freeze: freezes.Freeze | None) -> Freeze:
    if freeze is None:
        return Freeze(frozen=False)
    return Freeze(
        frozen=True,
        since=timestamp(freeze.since),
        by=freeze.by or None,
        reason=without_hidden(freeze.reason) or None,
        end_requested_by=freeze.end_requested_by or None,
    )


@operation(
    "GET /v1/freeze",
    id="readFreeze",
    title="Get the freeze of the organization",
    tag="Keys",
    scope=ANY_KEY,
    limit="reading",
    answer="The freeze, or none.",
    example=_FROZEN,
)
async def freeze(context: ServiceContext) -> Freeze:
    """While the organization is frozen, no sensitive action of its agents is allowed, and no earlier allow counts."""
    owner = context.key.organization
    return _displayed(await context.fetch(lambda db: freezes.find(db, owner)))


@operation(
    "POST /v1/freeze",
    id="startFreeze",
    title="Freeze every sensitive action",
    tag="Keys",
    scope="review",
    limit="reviews",
    live=True,
    body=_BODY,
    answer="The freeze.",
    example=_FROZEN,
    problems=("conflict",),
)
async def start_freeze(request: FreezeRequest, context: ServiceContext) -> Freeze:
    """Stops every sensitive action of the organization's agents at once, with the reason `actions_frozen`. A freeze in
    force stays as it is, and a request to end it is withdrawn.
    """
    key, now = context.key, context.now()
    return _displayed(
        await context.write(lambda db: freezes.start(db, key.organization, now, key.holder, request.reason))
    )


@operation(
    "POST /v1/freeze/end",
    id="endFreeze",
    title="End a freeze",
    tag="Keys",
    scope="review",
    limit="reviews",
    live=True,
    body=_BODY,
    answer="The freeze with the request, or none.",
    example={**_FROZEN, "end_requested_by": "ann"},
    problems=("conflict",),
)
async def end_freeze(request: FreezeRequest, context: ServiceContext) -> Freeze:
    """Requests the end of a freeze, or confirms the request of another person. No one can confirm their own request,
    with any key.
    """
    key, now = context.key, context.now()
    return _displayed(
        await context.write(lambda db: freezes.end(db, key.organization, now, key.holder, request.reason))
    )
