"""Relationships of domains: claims, and the reviews that accept them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
from litestar import get, post
from litestar.di import NamedDependency
from msgspec.structs import replace

from waypost.api.endpoint import KIB, Answer, Body, Contract, Parameter
from waypost.api.idempotency import idempotent
from waypost.api.pagination import CURSOR, LIMIT, cursor_page
from waypost.api.request import Call, Reply, json_reply
from waypost.errors import InvalidUrl
from waypost.formats.text import display_name, display_url, timestamp, without_hidden
from waypost.models.relationship import Claim, OwnershipSnapshot, Record
from waypost.models.wire.relationships import RelationshipRequest
from waypost.safety.review_subject import entity_of, is_url_of, subject_of
from waypost.service.problems import ProblemError
from waypost.service.shipped_reviews import shipped_behind
from waypost.store import disputes, relationships, reviews
from waypost.store.disputes import Dispute
from waypost.store.doubts import Doubt
from waypost.store.review_steps import STEPS, Review, take
from waypost.store.reviews import ReviewItem

T = TypeVar("T")

_ID = "rel_0123456789abcdef0123"
_ENTITY = {"id": "acme", "name": "Acme", "type": "organization"}
ORGANIZATION = "organization"
"""Entity type; organizations are the only entities so far."""


_EVENT = ("act", "actor", "before", "after", "reason")
_EXAMPLE: dict[str, Any] = {
    "relationship_id": _ID,
    "scope": "organization",
    "domain": "pay.example.com",
    "entity": _ENTITY,
    "relationship_type": "official_payment",
    "state": "unreviewed",
    "review_status": "unreviewed",
    "created_at": "2026-11-20T09:00:00.000Z",
    "changed_at": "2026-11-20T09:00:00.000Z",
}
_ITEM: dict[str, Any] = {
    "id": _ID,
    "kind": "relationship",
    "created_at": "2026-11-20T09:00:00.000Z",
    "relationship": _EXAMPLE | {"submitter": "ann", "claims": 1, "origins": 1, "approvals": [], "needed": 1},
}
_MEMBERS = (
    Parameter(
        "id", "The id of the relationship, dispute or doubt.", {"type": "string", "maxLength": 300}, place="path"
    ),
)


@post(
    "/v1/relationships",
    operation_id="submitRelationship",
    summary="Claim a domain",
    description="The claim waits for a review, and verifies nothing until then. Your organization reviews claims for "
    "its own keys; the operator reviews claims that apply to everyone. Submitting the same claim again adds to the one "
    "that is waiting.",
    tags=["Relationships"],
    opt=Contract(
        scopes=("relationships",),
        limit="submissions",
        live=True,
        body=Body(
            "relationship-request",
            limit=16 * KIB,
            examples={
                "a payment page": {
                    "entity": {"name": "Acme"},
                    "domain": "pay.example.com",
                    "relationship_type": "official_payment",
                    "url": "https://pay.example.com/",
                    "statement": "Linked from the imprint.",
                    "evidence": ["https://www.example.com/imprint"],
                }
            },
        ),
        answers={
            202: Answer(
                "It waits for a review.",
                "relationship-submitted",
                example={"relationship_id": _ID, "review_status": "unreviewed"},
                headers={"Location": "The relationship's address."},
            )
        },
    ),
)
@idempotent
async def submit(call: NamedDependency[Call]) -> Reply:
    params = await call.struct(RelationshipRequest)
    state, key, now = call.state, call.key, call.state.now()
    domain, scope = _read(subject_of, params.domain, "#/domain", "this is not a domain that can be owned")
    entity, entity_name = _read(
        lambda name: entity_of(name, state.service.world), params.entity.name, "#/entity/name", "this is not a name"
    )
    if params.url and not is_url_of(params.url, domain):
        place = {"pointer": "#/url", "code": "value", "detail": "this is not a URL of the domain, without credentials"}
        raise ProblemError("invalid-request", errors=[place])
    claim = Claim(
        domain=domain,
        scope=scope,
        entity=entity,
        entity_name=entity_name,
        type=params.relationship_type,
        submitter=key.holder,
        origin=key.holder,
        source="form",
        url=params.url,
        statement=params.statement,
        evidence=params.evidence,
        # A claim for all belongs to no organization, and is reviewed by the operator.
        organization="" if params.scope == "global" else key.organization,
    )
    filed = await state.write(lambda db: reviews.submit(db, key.organization, claim, now))
    relationship_to_dict = {"relationship_id": filed.id, "review_status": "unreviewed"}
    return json_reply(relationship_to_dict, 202, {"location": f"/v1/relationships/{filed.id}"})


def _read(how: Callable[[str], T], text: str, pointer: str, otherwise: str) -> T:
    try:
        return how(text)
    except InvalidUrl:
        raise ProblemError(
            "invalid-request", errors=[{"pointer": pointer, "code": "value", "detail": otherwise}]
        ) from None


@get(
    "/v1/relationships/{id:str}",
    operation_id="readRelationship",
    summary="Get a claim",
    description="A relationship that applies to the organization's own keys, or one for everyone that it submitted.",
    tags=["Relationships"],
    opt=Contract(
        scopes=("relationships",),
        limit="reading",
        parameters=(*_MEMBERS,),
        answers={200: Answer("The relationship.", "relationship", example=_EXAMPLE)},
    ),
)
async def read(call: NamedDependency[Call]) -> Reply:
    name, owner = call.members["id"], call.owner
    record = await call.state.fetch(lambda db: relationships.own(db, owner, name))
    return json_reply(relationship_to_dict(record, call.state.now()))


def relationship_to_dict(record: Record, now: int) -> dict[str, Any]:
    """JSON data of a relationship for its submitter."""
    # Expiry is checked when read: no job changes the state in the store.
    reviewed = record.state == "accepted" and (record.review_expires_at or 0) > now
    members = {
        "relationship_id": record.id,
        "scope": "organization" if record.organization else "global",
        "domain": record.domain,
        "entity": {"id": record.entity, "name": display_name(record.entity_name), "type": ORGANIZATION},
        "relationship_type": record.type,
        "url": display_url(record.url),
        "statement": without_hidden(record.statement),
        "state": "expired" if record.state == "accepted" and not reviewed else record.state,
        "review_status": "reviewed" if reviewed else "unreviewed",
        "created_at": timestamp(record.created_at),
        "changed_at": timestamp(record.changed_at),
        "reviewed_at": timestamp(record.reviewed_at) if record.reviewed_at is not None else "",
        "expires_at": timestamp(record.review_expires_at) if record.review_expires_at is not None else "",
    }
    return {name: value for name, value in members.items() if value != ""}


@get(
    "/v1/review-queue",
    operation_id="listReviewQueue",
    summary="List the review queue",
    description="Claims, disputes and doubts about ownership that need a reviewer of your organization, oldest first. "
    "The operator's organization also sees those that apply to everyone. Statements and names come from third parties. "
    "A doubt is raised when a reviewed domain has changed since its review: its registrar, name servers or certificate "
    "issuer, or its registration has ended.",
    tags=["Relationships"],
    opt=Contract(
        scopes=("review",),
        limit="reviews",
        parameters=(
            LIMIT,
            CURSOR,
        ),
        answers={200: Answer("The open items.", "review-queue", example={"items": [_ITEM]})},
        problems=("invalid-cursor",),
    ),
)
async def queue(call: NamedDependency[Call]) -> Reply:
    owner, now = call.owner, call.state.now()
    return json_reply(
        await cursor_page(
            call,
            lambda limit, after: call.state.read(lambda db: reviews.queue(db, owner, limit=limit, after=after)),
            lambda item: item_to_dict(item, now),
        )
    )


@get(
    "/v1/review-queue/{id:str}",
    operation_id="readReviewItem",
    summary="Get a review item",
    description="A claim, dispute or doubt, open or decided.",
    tags=["Relationships"],
    opt=Contract(
        scopes=("review",),
        limit="reviews",
        parameters=(*_MEMBERS,),
        answers={200: Answer("The item.", "review-item", example=_ITEM)},
    ),
)
async def show_item(call: NamedDependency[Call]) -> Reply:
    """Review item with its history and evidence."""
    state, owner, name = call.state, call.owner, call.members["id"]
    item = await state.fetch(lambda db: reviews.find(db, owner, name))
    members = item_to_dict(item, state.now())
    events: list[Any]
    if item.doubt:
        return json_reply(members)
    if item.dispute:
        events = list(await state.fetch(lambda db: disputes.history(db, owner, name)))
    else:
        events = list(await state.fetch(lambda db: relationships.history(db, name)))
        found = await state.fetch(lambda db: relationships.evidence(db, name))
        members["relationship"]["evidence"] = [display_url(url) for url in found]
    return json_reply(members | {"history": [_event(event) for event in events]})


async def act(call: NamedDependency[Call]) -> Reply:
    """Take the review step that ends the endpoint's path: approve, reject, request-changes, uphold."""
    params = await call.document()
    step, name, key = call.endpoint.path.rpartition("/")[2], call.members["id"], call.key
    now = call.state.now()
    done = await take_step(call, step, key.organization, name, key.holder, now, str(params["reason"]))
    return json_reply(item_to_dict(done, now))


async def take_step(
    call: Call, step: str, organization: str, name: str, reviewer: str, now: int, reason: str
) -> ReviewItem:
    """Result of a review step. Raises Unknown and ReviewError."""
    state = call.state
    item = await state.fetch(lambda db: reviews.find(db, organization, name))
    review = Review(reviewer, now, reason)
    # Only an acceptance records what the domain looked like; later observations are compared with it.
    if step == "approve" and item.relationship:
        review = replace(review, snapshot=await state.service.snapshot(item.relationship.domain))
    elif item.doubt or item.dispute:  # shipped reviews have no row to change
        review = replace(review, shipped=shipped_behind(item.domain, state.service.world, now))
    return await state.write(lambda db: take(db, step, organization, name, review))


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


def _step(name: str) -> Any:
    """Route handler of a review step."""
    endpoint = STEPS[name].endpoint
    assert endpoint is not None
    return post(
        f"/v1/review-queue/{{id:str}}/{name}",
        operation_id=endpoint.operation_id,
        summary=endpoint.summary,
        description=f"{endpoint.description} No one can review their own submission, with any key.",
        tags=["Relationships"],
        opt=Contract(
            scopes=("review",),
            limit="reviews",
            live=True,
            body=Body(
                "review-request",
                examples={"a reason": {"reason": "linked from the imprint of the entity's own site"}},
            ),
            parameters=_MEMBERS,
            answers={200: Answer("The item as it stands now.", "review-item", example=_ITEM)},
            problems=("conflict",),
        ),
    )(act)


approve, reject, request_changes, uphold = map(_step, ("approve", "reject", "request-changes", "uphold"))
