"""Bodies and answers for claims of ownership, and items of the review queue."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from waypost.models.relationship import RelationshipState, RelationshipType, ReviewStatus
from waypost.models.wire.common import (
    UNIQUE,
    Closed,
    NextCursor,
    PlainText,
    Prose,
    Time,
    WebAddress,
    defined,
    published,
)


class ClaimedEntity(Closed, frozen=True, kw_only=True):
    name: Annotated[
        PlainText,
        Meta(min_length=1, max_length=120, description="The claimed owner: a name, or the domain of a listed brand."),
    ]
    type: Annotated[
        Literal["organization"],
        Meta(
            description="What it is. Only organizations can be claimed for now.",
            extra_json_schema={"enum": ["organization"]},
        ),
    ] = "organization"


@published("relationship-request")
class RelationshipRequest(Closed, frozen=True, kw_only=True):
    """A claim about who owns a domain. It verifies nothing until someone else has reviewed it."""

    entity: ClaimedEntity
    domain: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=253,
            pattern=r"^[^\u0000-\u0020\u007f-\u009f/?#@:\\%]+$",
            description="A registered domain, or one host.",
        ),
    ]
    relationship_type: Annotated[RelationshipType, Meta(description="The relationship of the domain to the entity.")]
    url: Annotated[
        WebAddress,
        Meta(
            min_length=8,
            max_length=2000,
            description="A URL where it is used, such as the login page.",
        ),
    ] = ""
    statement: Annotated[
        Prose,
        Meta(
            max_length=2000,
            description="The evidence for the claim, in words.",
        ),
    ] = ""
    evidence: Annotated[
        tuple[
            Annotated[
                WebAddress,
                Meta(min_length=8, max_length=2000, description=""),
            ],
            ...,
        ],
        Meta(max_length=5, description="URLs for the reviewer; they are never fetched."),
        UNIQUE,
    ] = ()
    scope: Annotated[
        Literal["organization", "global"],
        Meta(description="Whether it applies to the organization's own keys (the default) or to everyone."),
    ] = "organization"


@published("relationship-submitted", title="Submitted relationship")
class RelationshipSubmitted(Closed, frozen=True, kw_only=True):
    """The claim waits for a review."""

    relationship_id: Annotated[str, Meta(description="The relationship's id, also in the review queue.")]
    review_status: Literal["unreviewed"]


class NamedEntity(Closed, frozen=True, kw_only=True):
    id: Annotated[str, Meta(description="The entity's id.")]
    name: Annotated[str, Meta(description="Its name.")]
    type: Annotated[
        Literal["organization"], Meta(description="What it is.", extra_json_schema={"enum": ["organization"]})
    ]


@published("relationship")
class Relationship(Closed, frozen=True, kw_only=True):
    """A claim and its review."""

    relationship_id: Annotated[str, Meta(description="The relationship's id.")]
    scope: Annotated[
        Literal["organization", "global"], Meta(description="Whose keys it applies to once it is accepted.")
    ]
    domain: Annotated[str, Meta(description="The registered domain, or the host.")]
    entity: NamedEntity
    relationship_type: Annotated[RelationshipType, Meta(description="The relationship of the domain to the entity.")]
    url: Annotated[str | None, Meta(description="A URL where it is used.")] = None
    statement: Annotated[str | None, Meta(description="The statement of the submitter. Untrusted text.")] = None
    state: Annotated[RelationshipState, Meta(description="State of the review.")]
    review_status: Annotated[ReviewStatus, Meta(description="Whether a review that is valid now confirms it.")]
    created_at: Annotated[Time, Meta(description="When it was submitted.")]
    changed_at: Annotated[Time, Meta(description="When its state last changed.")]
    reviewed_at: Annotated[Time | None, Meta(description="When it was accepted.")] = None
    expires_at: Annotated[Time | None, Meta(description="When the review expires.")] = None


@published("review-request", title="Review")
class ReviewRequest(Closed, frozen=True, kw_only=True):
    """A reviewer's reason."""

    reason: Annotated[
        Prose,
        Meta(
            min_length=1,
            max_length=2000,
            description="The reason, for the history.",
        ),
    ]


@defined("relationship")
class RelationshipUnderReview(Relationship, frozen=True, kw_only=True):
    submitter: Annotated[str, Meta(description="The submitter, who may not review it.")]
    claims: Annotated[int, Meta(description="Number of times it was claimed.")]
    origins: Annotated[int, Meta(description="Number of independent submitters.")]
    approvals: Annotated[tuple[str, ...], Meta(description="Reviewers who have approved it.")]
    needed: Annotated[int, Meta(description="Number of reviewers required.")]
    evidence: Annotated[
        tuple[str, ...] | None,
        Meta(description="URLs given as evidence; they were never fetched. In the item itself, not in the list."),
    ] = None


@defined("dispute")
class DisputeUnderReview(Closed, frozen=True, kw_only=True):
    dispute_id: Annotated[str, Meta(description="The dispute's id.")]
    status: Annotated[
        Literal["open", "in_review", "upheld", "rejected", "withdrawn"], Meta(description="Its current state.")
    ]
    created_at: Annotated[Time, Meta(description="When it was opened.")]
    changed_at: Annotated[Time, Meta(description="When its status last changed.")]
    decision_id: Annotated[str, Meta(description="The decision it is about.")]
    claim: Annotated[
        Literal["wrong_relationship", "wrong_risk", "wrong_domain", "outdated", "other"],
        Meta(description="What is reported to be wrong."),
    ]
    statement: Annotated[str, Meta(description="The reason given. Untrusted text.")]
    contact: Annotated[str | None, Meta(description="How to reach the person who opened it.")] = None
    evidence: Annotated[tuple[str, ...] | None, Meta(description="URLs; they were never fetched.")] = None
    opened_by: Annotated[str | None, Meta(description="The person who opened it, who may not review it.")] = None
    decision: Annotated[dict[str, Any], Meta(description="The decision as it was returned.")]
    environment: Annotated[
        Literal["Live", "Test"] | None,
        Meta(
            description="The environment of the key that the decision was made for. A dispute about a "
            "decision for a test key is not reviewed."
        ),
    ] = None
    effect: Annotated[
        Literal["none", "relationship_disputed", "destination_disputed", "ended"] | None,
        Meta(
            description="What the dispute changed: nothing, the reviews behind the decision, or the host "
            "itself; or that a reviewer has ended the latter."
        ),
    ] = None
    effect_detail: Annotated[str | None, Meta(description="The same in a sentence.")] = None


@defined("ownership")
class FactsAboutOwnership(Closed, frozen=True, kw_only=True):
    registered_at: Annotated[Time | None, Meta(description="When the domain was registered.")] = None
    registrar: Annotated[str | None, Meta(description="The registrar of the domain.")] = None
    name_servers: Annotated[tuple[str, ...] | None, Meta(description="Name servers of the domain.")] = None
    certificate_issuer: Annotated[str | None, Meta(description="Who issued its certificate.")] = None
    certificate_organization: Annotated[
        str | None, Meta(description="The organization that its certificate names.")
    ] = None


@defined("doubt")
class DoubtAboutOwnership(Closed, frozen=True, kw_only=True):
    doubt_id: Annotated[str, Meta(description="The doubt's id.")]
    relationship_id: Annotated[str, Meta(description="The review in doubt; `registry:...` ships with waypost.")]
    scope: Annotated[Literal["organization", "global"], Meta(description="Whose keys the review applies to.")]
    domain: Annotated[str, Meta(description="The reviewed domain or host.")]
    entity: Annotated[str, Meta(description="The owner that the review found.")]
    changes: Annotated[
        tuple[
            Literal[
                "registration_date",
                "registrar",
                "name_servers",
                "certificate_issuer",
                "certificate_organization",
                "not_registered",
                "registration_ending",
                "registered_after_review",
            ],
            ...,
        ],
        Meta(description="What has changed since the review, or why it has ended."),
    ]
    reviewed: Annotated[
        FactsAboutOwnership | None, Meta(description="The facts on the day of the review, where recorded.")
    ] = None
    observed: Annotated[
        FactsAboutOwnership | None, Meta(description="The facts when the doubt was raised, where observed.")
    ] = None
    state: Annotated[Literal["open", "upheld", "rejected"], Meta(description="Its current state.")]
    created_at: Annotated[Time, Meta(description="When it was raised.")]
    changed_at: Annotated[Time, Meta(description="When it last changed.")]
    actor: Annotated[str | None, Meta(description="The reviewer who decided it.")] = None
    reason: Annotated[str | None, Meta(description="The reason.")] = None


class HistoryEvent(Closed, frozen=True, kw_only=True):
    at: Annotated[Time, Meta(description="When it happened.")]
    act: Annotated[str | None, Meta(description="What was done.")] = None
    actor: Annotated[str | None, Meta(description="Who caused it.")] = None
    before: Annotated[
        Literal[RelationshipState, "open", "upheld", "withdrawn"] | None, Meta(description="The state before.")
    ] = None
    after: Annotated[Literal[RelationshipState, "open", "upheld", "withdrawn"], Meta(description="The state after.")]
    reason: Annotated[str | None, Meta(description="The reason.")] = None


@published("review-item", title="Item of the review queue")
class ReviewItem(Closed, frozen=True, kw_only=True):
    """A claim, a dispute or a doubt about ownership as its reviewers see it."""

    id: Annotated[str, Meta(description="Id of the relationship, dispute or doubt.")]
    kind: Annotated[Literal["relationship", "dispute", "doubt"], Meta(description="The kind of item.")]
    created_at: Annotated[Time, Meta(description="When it was created.")]
    relationship: RelationshipUnderReview | None = None
    dispute: DisputeUnderReview | None = None
    doubt: DoubtAboutOwnership | None = None
    history: Annotated[tuple[HistoryEvent, ...] | None, Meta(description="Its history, in order.")] = None


@published("review-queue")
class ReviewQueue(Closed, frozen=True, kw_only=True):
    """Items that wait for a review, oldest first."""

    items: Annotated[tuple[ReviewItem, ...], Meta(description="Claims, disputes and doubts about ownership.")]
    next_cursor: NextCursor = None
