"""Reviews of claims, disputes and doubts about ownership."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec
from msgspec.structs import replace

from waypost.formats.text import display_name, display_url, timestamp, without_hidden
from waypost.models.relationship import OwnershipSnapshot
from waypost.models.wire import relationships as wire
from waypost.models.wire.relationships import ReviewQueue, ReviewRequest
from waypost.operations.context import Result, ServiceContext
from waypost.operations.lists import USUAL, PageQuery
from waypost.operations.relationships import EXAMPLE, ID, ItemId, relationship_to_dict
from waypost.operations.table import operation
from waypost.service.body import Body
from waypost.service.shipped_reviews import shipped_behind
from waypost.store import disputes, relationships, reviews
from waypost.store.disputes import Dispute
from waypost.store.doubts import Doubt
from waypost.store.engines import Connection
from waypost.store.review_steps import STEPS, Review, take
from waypost.store.reviews import ReviewItem

if TYPE_CHECKING:
    from waypost.service import Service

T = TypeVar("T")

_EVENT = ("act", "actor", "before", "after", "reason")
_ITEM: dict[str, Any] = {
    "id": ID,
    "kind": "relationship",
    "created_at": "2026-11-20T09:00:00.000Z",
    "relationship": EXAMPLE | {"submitter": "ann", "claims": 1, "origins": 1, "approvals": [], "needed": 1},
}


@operation(
    "GET /v1/review-queue",
    id="listReviewQueue",
    title="List the review queue",
    tag="Relationships",
    scope="review",
    limit="reviews",
    answer="The open items.",
    example={"items": [_ITEM]},
    problems=("invalid-cursor",),
)
async def review_queue(query: PageQuery, context: ServiceContext) -> Result[ReviewQueue]:
    """Claims, disputes and doubts about ownership that need a reviewer of your organization, oldest first. The
    operator's organization also sees those that apply to everyone. Statements and names come from third parties. A
    doubt is raised when a reviewed domain has changed since its review: its registrar, name servers or certificate
    issuer, or its registration has ended.
    """
    owner, now, limit = context.owner, context.now(), query.limit or USUAL
    items, cursor = await context.page(
        query.cursor, (), lambda after: context.read(lambda db: reviews.queue(db, owner, limit=limit, after=after))
    )
    entries = [item_to_dict(item, now) for item in items]
    return Result({"items": entries} | ({"next_cursor": cursor} if cursor else {}))


@operation(
    "GET /v1/review-queue/{id}",
    id="readReviewItem",
    title="Get a review item",
    tag="Relationships",
    scope="review",
    limit="reviews",
    answer="The item.",
    example=_ITEM,
)
async def review_item(id: ItemId, context: ServiceContext) -> Result[wire.ReviewItem]:  # noqa: A002
    """A claim, dispute or doubt, open or decided."""
    owner = context.owner
    item = await context.fetch(lambda db: reviews.find(db, owner, id))
    members = item_to_dict(item, context.now())
    events: list[Any]
    if item.doubt:
        return Result(members)
    if item.dispute:
        events = list(await context.fetch(lambda db: disputes.history(db, owner, id)))
    else:
        events = list(await context.fetch(lambda db: relationships.history(db, id)))
        found = await context.fetch(lambda db: relationships.evidence(db, id))
        members["relationship"]["evidence"] = [display_url(url) for url in found]
    return Result(members | {"history": [_event(event) for event in events]})


class Records(Protocol):
    """Store of a service, and its facts about destinations."""

    @property
    def service(self) -> Service: ...

    async def fetch(self, work: Callable[[Connection], T]) -> T: ...

    async def write(self, work: Callable[[Connection], T]) -> T: ...


async def take_step(records: Records, step: str, organization: str, name: str, review: Review) -> ReviewItem:
    """Result of a review step. Raises Unknown and ReviewError."""
    item = await records.fetch(lambda db: reviews.find(db, organization, name))
    # Only an acceptance records what the domain looked like; later observations are compared with it.
    if step == "approve" and item.relationship:
        review = replace(review, snapshot=await records.service.snapshot(item.relationship.domain))
    elif item.doubt or item.dispute:  # shipped reviews have no row to change
        review = replace(review, shipped=shipped_behind(item.domain, records.service.world, review.now))
    return await records.write(lambda db: take(db, step, organization, name, review))


def _step(name: str) -> Callable[[str, ReviewRequest, ServiceContext], Awaitable[Result[wire.ReviewItem]]]:
    """Operation of a review step."""
    endpoint = STEPS[name].endpoint
    assert endpoint is not None

    async def act(id: ItemId, request: ReviewRequest, context: ServiceContext) -> Result[wire.ReviewItem]:  # noqa: A002
        key, now = context.key, context.now()
        done = await take_step(context, name, key.organization, id, Review(key.holder, now, request.reason))
        return Result(item_to_dict(done, now))

    act.__name__ = name.replace("-", "_")
    return operation(
        f"POST /v1/review-queue/{{id}}/{name}",
        id=endpoint.operation_id,
        title=endpoint.summary,
        about=f"{endpoint.description} No one can review their own submission, with any key.",
        tag="Relationships",
        scope="review",
        limit="reviews",
        live=True,
        body=Body(
            "review-request", examples={"a reason": {"reason": "linked from the imprint of the entity's own site"}}
        ),
        answer="The item as it stands now.",
        example=_ITEM,
        problems=("conflict",),
    )(act)


approve, reject, request_changes, uphold = map(_step, ("approve", "reject", "request-changes", "uphold"))


def item_to_dict(item: ReviewItem, now: int) -> dict[str, Any]:
    """JSON data of a review item for reviewers."""
    members: dict[str, Any] = {"id": item.id, "kind": item.kind, "created_at": timestamp(item.created_at)}
    if item.relationship:
        record = item.relationship
        members["relationship"] = relationship_to_dict(record, now) | {
            "submitter": record.submitter,
            "claims": record.claims,
            "origins": record.origins,
            "approvals": list(record.approvals),
            "needed": record.needed,
        }
    if item.doubt:
        members["doubt"] = doubt_to_dict(item.doubt)
    if item.dispute:
        members["dispute"] = dispute_to_dict(item.dispute) | {
            "opened_by": item.dispute.opened_by,
            "decision": dict(item.dispute.decision),
        }
    return members


def doubt_to_dict(doubt: Doubt) -> dict[str, Any]:
    """JSON data of a doubt for reviewers."""
    about = doubt.about
    members = {
        "doubt_id": doubt.id,
        "relationship_id": about.relationship,
        "scope": "organization" if about.organization else "global",
        "domain": about.domain,
        "entity": about.entity,
        "changes": list(about.changes),
        "reviewed": _ownership(about.reviewed),
        "observed": _ownership(about.observed),
        "state": doubt.state,
        "created_at": timestamp(doubt.created_at),
        "changed_at": timestamp(doubt.changed_at),
        "actor": doubt.actor,
        "reason": without_hidden(doubt.reason),
    }
    return {name: value for name, value in members.items() if value not in ("", {})}


def _ownership(facts: OwnershipSnapshot | None) -> dict[str, Any]:
    if facts is None:
        return {}
    members: dict[str, Any] = msgspec.to_builtins(facts)
    if facts.registered_at is not None:
        members["registered_at"] = timestamp(facts.registered_at)
    return members


def dispute_to_dict(dispute: Dispute) -> dict[str, Any]:
    """JSON data of a dispute for its submitter."""
    members = {
        "dispute_id": dispute.id,
        "status": dispute.status,
        "created_at": timestamp(dispute.created_at),
        "changed_at": timestamp(dispute.changed_at),
        "decision_id": dispute.decision_id,
        "claim": dispute.claim,
        "statement": without_hidden(dispute.statement),
        "contact": display_name(dispute.contact),
        "evidence": [display_url(url) for url in dispute.evidence],
        "environment": dispute.environment.capitalize(),
        "effect": dispute.effect,
        "effect_detail": dispute.effect_detail,
    }
    return {name: value for name, value in members.items() if value not in ("", [])}


def _event(event: Any) -> dict[str, Any]:
    members = {"at": timestamp(event.at), **{name: getattr(event, name, None) for name in _EVENT}}
    if members["reason"]:
        members["reason"] = without_hidden(members["reason"])
    return {name: value for name, value in members.items() if value}
