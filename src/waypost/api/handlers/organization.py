"""Whom a key belongs to, what it used, and what was done."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

from waypost.api.endpoint import ANY_KEY, Answer, Endpoint, Query
from waypost.api.pagination import CURSOR, LIMIT, listed
from waypost.api.request import Call, Reply, reply
from waypost.store import audit, organizations, usage
from waypost.store.errors import Unknown
from waypost.store.usage import DAY_MS

USUAL_DAYS, MOST_DAYS = 30, usage.RETENTION_DAYS
_DAY_ONE = date(1970, 1, 1)
_ID = "5b0a6f0e-6f5e-4a53-9d8e-0f3a4c1f2b6d"


async def organization(call: Call) -> Reply:
    found = call.running.read(lambda db: organizations.find(db, call.key.organization))
    if found is None:
        raise Unknown("organization")
    return reply({"id": found.id, "name": found.name, "created_at": call.running.written(found.created_at)})


async def used(call: Call) -> Reply:
    running, key = call.running, call.key
    now = running.now()
    today = now // DAY_MS
    first = today - call.number("days", USUAL_DAYS) + 1
    days = running.read(lambda db: usage.days(db, key.id, first, today))
    return reply(
        {
            "policies": [
                {
                    "name": each.policy,
                    "quota": each.quota,
                    "window_s": each.window_s,
                    "remaining": each.remaining,
                    "reset_s": each.reset_s,
                }
                for each in running.limits.standings(key, now)
            ],
            "days": [
                {"day": (_DAY_ONE + timedelta(days=day)).isoformat(), "name": name, "used": count}
                for day, name, count in days
            ],
        }
    )


async def events(call: Call) -> Reply:
    whose = call.key.organization
    return reply(
        listed(
            call,
            lambda limit, after: call.running.read(lambda db: audit.events(db, whose, limit=limit, after=after)),
            audit.to_dict,
        )
    )


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


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/v1/organization",
        name="readOrganization",
        summary="Whom this key belongs to",
        about="A key belongs to one organization, and reaches nothing of any other.",
        needs=(ANY_KEY,),
        policy="reading",
        handle=organization,
        answers={
            200: Answer(
                "The organization.",
                "organization",
                example={"id": _ID, "name": "Acme Works", "created_at": "2026-11-20T09:00:00.000Z"},
            )
        },
        tag="Keys",
    ),
    Endpoint(
        method="GET",
        path="/v1/usage",
        name="readUsage",
        summary="What this key used, and what is left",
        about="Where the key stands with every limit at this moment, and what it used by day (UTC). What other keys of "
        "the organization use does not count here.",
        needs=(ANY_KEY,),
        policy="reading",
        handle=used,
        query=(
            Query(
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
        tag="Keys",
    ),
    Endpoint(
        method="GET",
        path="/v1/audit-events",
        name="listAuditEvents",
        summary="What was done, by whom and when",
        about="The organization's own events, oldest first, as one chain of hashes: whoever keeps the last one can "
        "later prove that nothing before it was changed or taken out. Ask from the last `next_cursor` on, or read "
        "again from the start; nothing is ever deleted.",
        needs=("audit",),
        policy="reading",
        handle=events,
        query=(LIMIT, CURSOR),
        answers={200: Answer("The events.", "audit-list", example=_example())},
        problems=("invalid-cursor",),
        tag="Keys",
    ),
)
