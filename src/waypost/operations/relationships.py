"""Claims that a domain belongs to an organization."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from msgspec import Meta

from waypost.errors import InvalidUrl
from waypost.formats.text import display_name, display_url, timestamp, without_hidden
from waypost.models.relationship import Claim, Record
from waypost.models.wire.relationships import Relationship, RelationshipRequest, RelationshipSubmitted
from waypost.operations.context import Result, ServiceContext
from waypost.operations.table import Answer, operation
from waypost.safety.review_subject import entity_of, is_url_of, subject_of
from waypost.service.body import KIB, Body
from waypost.service.problems import ProblemError
from waypost.store import relationships, reviews

T = TypeVar("T")

ID = "rel_0123456789abcdef0123"
EXAMPLE: dict[str, Any] = {
    "relationship_id": ID,
    "scope": "organization",
    "domain": "pay.example.com",
    "entity": {"id": "acme", "name": "Acme", "type": "organization"},
    "relationship_type": "official_payment",
    "state": "unreviewed",
    "review_status": "unreviewed",
    "created_at": "2026-11-20T09:00:00.000Z",
    "changed_at": "2026-11-20T09:00:00.000Z",
}
ORGANIZATION = "organization"
"""Entity type; organizations are the only entities so far."""
ItemId = Annotated[str, Meta(max_length=300, description="The id of the relationship, dispute or doubt.")]


@operation(
    "POST /v1/relationships",
    id="submitRelationship",
    title="Claim a domain",
    tag="Relationships",
    scope="relationships",
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
    answer={
        202: Answer(
            "It waits for a review.",
            "relationship-submitted",
            example={"relationship_id": ID, "review_status": "unreviewed"},
            headers={"Location": "The relationship's address."},
        )
    },
    idempotent=True,
)
async def submit_relationship(claimed: RelationshipRequest, context: ServiceContext) -> Result[RelationshipSubmitted]:
    """The claim waits for a review, and verifies nothing until then. Your organization reviews claims for its own keys;
    the operator reviews claims that apply to everyone. Submitting the same claim again adds to the one that is waiting.
    """
    key, now = context.key, context.now()
    domain, scope = _read(subject_of, claimed.domain, "#/domain", "this is not a domain that can be owned")
    entity, entity_name = _read(
        lambda name: entity_of(name, context.service.world), claimed.entity.name, "#/entity/name", "this is not a name"
    )
    if claimed.url and not is_url_of(claimed.url, domain):
        place = {"pointer": "#/url", "code": "value", "detail": "this is not a URL of the domain, without credentials"}
        raise ProblemError("invalid-request", errors=[place])
    claim = Claim(
        domain=domain,
        scope=scope,
        entity=entity,
        entity_name=entity_name,
        type=claimed.relationship_type,
        submitter=key.holder,
        origin=key.holder,
        source="form",
        url=claimed.url,
        statement=claimed.statement,
        evidence=claimed.evidence,
        # A claim for all belongs to no organization, and is reviewed by the operator.
        organization="" if claimed.scope == "global" else key.organization,
    )
    filed = await context.write(lambda db: reviews.submit(db, key.organization, claim, now))
    submitted = RelationshipSubmitted(relationship_id=filed.id, review_status="unreviewed")
    return Result(submitted, headers={"location": f"/v1/relationships/{filed.id}"})


def _read(how: Callable[[str], T], text: str, pointer: str, otherwise: str) -> T:
    try:
        return how(text)
    except InvalidUrl:
        raise ProblemError(
            "invalid-request", errors=[{"pointer": pointer, "code": "value", "detail": otherwise}]
        ) from None


@operation(
    "GET /v1/relationships/{id}",
    id="readRelationship",
    title="Get a claim",
    tag="Relationships",
    scope="relationships",
    limit="reading",
    answer="The relationship.",
    example=EXAMPLE,
)
async def read_relationship(id: ItemId, context: ServiceContext) -> Result[Relationship]:  # noqa: A002
    """A relationship that applies to the organization's own keys, or one for everyone that it submitted."""
    owner = context.owner
    record = await context.fetch(lambda db: relationships.own(db, owner, id))
    return Result(relationship_to_dict(record, context.now()))


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
