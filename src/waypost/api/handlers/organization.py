"""Organization of a key, usage by day, and audit events."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

from litestar import get
from litestar.di import NamedDependency

from waypost.api.endpoint import ANY_KEY, Answer, Contract, Parameter
from waypost.api.pagination import CURSOR, LIMIT, cursor_page
from waypost.api.request import Call, Reply, json_reply
from waypost.store import audit, organizations, usage
from waypost.store.errors import Unknown
from waypost.store.usage import DAY_MS

USUAL_DAYS, MOST_DAYS = 30, usage.RETENTION_DAYS
_DAY_ONE = date(1970, 1, 1)
_ID = "5b0a6f0e-6f5e-4a53-9d8e-0f3a4c1f2b6d"


def _example() -> dict[str, Any]:
    event = audit.AuditEvent(
        organization=_ID,
        sequence=1,
        id="0f0a6f0e-6f5e-4a53-9d8e-0f3a4c1f2b6e",
        at=int(datetime(2026, 11, 20, 9, tzinfo=UTC).timestamp() * 1000),
        type="organization.created",
        actor="ann",
        subject=_ID,
        details={"name": "Acme Works"},
        prev_hash=audit.FIRST,
        hash="",
    )
    return {"items": [audit.to_dict(event) | {"hash": audit.hash_of(event)}]}


@get(
    "/v1/organization",
    operation_id="readOrganization",
    summary="Get the organization of a key",
    description="A key belongs to one organization, and has no access to any other.",
    tags=["Keys"],
    opt=Contract(
        scopes=(ANY_KEY,),
        limit="reading",
        answers={
            200: Answer(
                "The organization.",
                "organization",
                example={"id": _ID, "name": "Acme Works", "created_at": "2026-11-20T09:00:00.000Z"},
            )
        },
    ),
)
async def organization(call: NamedDependency[Call]) -> Reply:
    found = await call.state.fetch(lambda db: organizations.find(db, call.key.organization))
    if found is None:
        raise Unknown("organization")
    return json_reply({"id": found.id, "name": found.name, "created_at": call.state.written(found.created_at)})


@get(
    "/v1/usage",
    operation_id="readUsage",
    summary="Get the usage of a key",
    description="How much of each limit the key has used at this moment, and its use by day (UTC). Requests with other "
    "keys of the organization are not included.",
    tags=["Keys"],
    opt=Contract(
        scopes=(ANY_KEY,),
        limit="reading",
        parameters=(
            Parameter(
                "days",
                f"How many days back, today included; {USUAL_DAYS} without it.",
                {"type": "integer", "minimum": 1, "maximum": MOST_DAYS},
            ),
        ),
        answers={
            200: Answer(
                "The quotas and the days.",
                "usage",
                example={
                    "policies": [{"name": "checks", "quota": 60, "window_s": 60, "remaining": 59, "reset_s": 60}],
                    "days": [{"day": "2026-11-20", "name": "checks-day", "used": 1}],
                },
            )
        },
    ),
)
async def used(call: NamedDependency[Call]) -> Reply:
    state, key = call.state, call.key
    now = state.now()
    today = now // DAY_MS
    first = today - call.number("days", USUAL_DAYS) + 1
    days = await state.fetch(lambda db: usage.days(db, key.id, first, today))
    return json_reply(
        {
            "policies": [
                {
                    "name": standing.policy,
                    "quota": standing.quota,
                    "window_s": standing.window_s,
                    "remaining": standing.remaining,
                    "reset_s": standing.reset_s,
                }
                for standing in await state.aside(lambda: state.limits.standings(key, now))
            ],
            "days": [
                {"day": (_DAY_ONE + timedelta(days=day)).isoformat(), "name": name, "used": count}
                for day, name, count in days
            ],
        }
    )


@get(
    "/v1/audit-events",
    operation_id="listAuditEvents",
    summary="List audit events",
    description="The organization's own events, oldest first, as one chain of hashes: the last hash proves later that "
    "no event before it was changed or removed. Continue from the last `next_cursor`, or read "
    "again from the start; nothing is ever deleted.",
    tags=["Keys"],
    opt=Contract(
        scopes=("audit",),
        limit="reading",
        parameters=(
            LIMIT,
            CURSOR,
        ),
        answers={200: Answer("The events.", "audit-list", example=_example())},
        problems=("invalid-cursor",),
    ),
)
async def events(call: NamedDependency[Call]) -> Reply:
    owner = call.owner
    return json_reply(
        await cursor_page(
            call,
            lambda limit, after: call.state.read(lambda db: audit.events(db, owner, limit=limit, after=after)),
            audit.to_dict,
        )
    )
