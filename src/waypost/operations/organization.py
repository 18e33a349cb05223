"""Organization of a key, usage by day, and audit events."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any

from msgspec import Meta

from waypost.formats.text import timestamp
from waypost.models.wire.common import Closed
from waypost.models.wire.keys import AuditList, DayOfUse, Organization, QuotaUse, Usage
from waypost.operations.context import Result, ServiceContext
from waypost.operations.lists import USUAL, PageQuery
from waypost.operations.table import ANY_KEY, operation
from waypost.store import audit, organizations, usage
from waypost.store.errors import Unknown
from waypost.store.usage import DAY_MS

USUAL_DAYS, MOST_DAYS = 30, usage.RETENTION_DAYS
_DAY_ONE = date(1970, 1, 1)
_ID = "5b0a6f0e-6f5e-4a53-9d8e-0f3a4c1f2b6d"


def _event() -> dict[str, Any]:
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
    return audit.to_dict(event) | {"hash": audit.hash_of(event)}


@operation(
    "GET /v1/organization",
    id="readOrganization",
    title="Get the organization of a key",
    tag="Keys",
    scope=ANY_KEY,
    limit="reading",
    answer="The organization.",
    example={"id": _ID, "name": "Acme Works", "created_at": "2026-11-20T09:00:00.000Z"},
)
async def organization(context: ServiceContext) -> Organization:
    """A key belongs to one organization, and has no access to any other."""
    found = await context.fetch(lambda db: organizations.find(db, context.key.organization))
    if found is None:
        raise Unknown("organization")
    return Organization(id=found.id, name=found.name, created_at=timestamp(found.created_at))


class UsageQuery(Closed, frozen=True, kw_only=True):
    """Days of usage."""

    days: (
        Annotated[
            int,
            Meta(ge=1, le=MOST_DAYS, description=f"How many days back, today included; {USUAL_DAYS} without it."),
        ]
        | None
    ) = None


@operation(
    "GET /v1/usage",
    id="readUsage",
    title="Get the usage of a key",
    tag="Keys",
    scope=ANY_KEY,
    limit="reading",
    answer="The quotas and the days.",
    example={
        "policies": [{"name": "checks", "quota": 60, "window_s": 60, "remaining": 59, "reset_s": 60}],
        "days": [{"day": "2026-11-20", "name": "checks-day", "used": 1}],
    },
)
async def used(query: UsageQuery, context: ServiceContext) -> Usage:
    """How much of each limit the key has used at this moment, and its use by day (UTC). Requests with other keys of the
    organization are not included.
    """
    key, today = context.key, context.now() // DAY_MS
    first = today - (query.days or USUAL_DAYS) + 1
    days = await context.fetch(lambda db: usage.days(db, key.id, first, today))
    standings = await context.standings()
    return Usage(
        policies=tuple(
            QuotaUse(
                name=each.policy,
                quota=each.quota,
                window_s=each.window_s,
                remaining=each.remaining,
                reset_s=each.reset_s,
            )
            for each in standings
        ),
        days=tuple(
            DayOfUse(day=(_DAY_ONE + timedelta(days=day)).isoformat(), name=name, used=count)
            for day, name, count in days
        ),
    )


@operation(
    "GET /v1/audit-events",
    id="listAuditEvents",
    title="List audit events",
    tag="Keys",
    scope="audit",
    limit="reading",
    answer="The events.",
    example={"items": [_event()]},
    problems=("invalid-cursor",),
)
async def audit_events(query: PageQuery, context: ServiceContext) -> Result[AuditList]:
    """The organization's own events, oldest first, as one chain of hashes: the last hash proves later that no event
    before it was changed or removed. Continue from the last `next_cursor`, or read again from the start; nothing is
    ever deleted.
    """
    owner, limit = context.owner, query.limit or USUAL
    events, cursor = await context.page(
        query.cursor,
        (),
        lambda after: context.read(lambda db: audit.events(db, owner, limit=limit, after=after)),
    )
    return Result({"items": [audit.to_dict(each) for each in events]} | ({"next_cursor": cursor} if cursor else {}))
