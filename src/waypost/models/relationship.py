"""Relationships between domains and entities: claims, reviews and history. Times are milliseconds since 1970, UTC."""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

RelationshipState = Literal["unreviewed", "in_review", "accepted", "rejected", "disputed", "revoked", "expired"]
Relation = Literal["official", "affiliate"]
Scope = Literal["registrable", "host"]
RelationshipType = Literal[
    "official_site", "official_login", "official_payment", "official_support", "official_app", "affiliate"
]
ReviewStatus = Literal["reviewed", "unreviewed"]
Act = Literal[
    "submitted", "claimed_again", "taken_up", "approved", "accepted", "sent_back", "rejected", "disputed", "reinstated",
    "revoked", "expired",
]  # fmt: skip

STATES: tuple[RelationshipState, ...] = get_args(RelationshipState)
RELATIONSHIP_TYPES: tuple[RelationshipType, ...] = get_args(RelationshipType)


class OwnershipSnapshot(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Facts about a domain's registration and certificate on the day of a review; empty where not known."""

    registered_at: int | None = None
    registrar: str = ""
    name_servers: tuple[str, ...] = ()
    certificate_issuer: str = ""
    certificate_organization: str = ""


class OwnershipDoubt(msgspec.Struct, frozen=True, kw_only=True):
    """Changes of a reviewed domain that may mean another owner.

    relationship  id of the review; `registry:...` ships with waypost
    organization  owner of the review; empty: for all
    changes       facts that differ, or the code for the end of the review
    reviewed      facts on the day of the review, None if none were recorded
    observed      facts of today, None for a domain unknown to its registry
    """

    relationship: str
    organization: str
    domain: str
    entity: str
    changes: tuple[str, ...]
    reviewed: OwnershipSnapshot | None = None
    observed: OwnershipSnapshot | None = None


class Relationship(msgspec.Struct, frozen=True, kw_only=True):
    """Domain and the entity behind the domain: input of a decision.

    domain            registrable domain; a host where third parties share the registrable domain (`scope`)
    entity            slug of a registered brand, or another name
    relation          official: the entity's own; affiliate: acts for the entity, such as a hosted checkout
    review_source     reviewer and date: `registry 2026-11-20`, `operator 2026-11-20`, `organization 2026-11-20`
    organization      valid for keys of this organization alone; empty: valid for every key
    grave             enough for irreversible actions: two different people reviewed the relationship, or the
                      relationship ships with the registry or belongs to the organization
    snapshot          facts about the domain on the day of the review, None if none were recorded
    """

    id: str
    domain: str
    entity: str
    relation: Relation = "official"
    scope: Scope = "registrable"
    state: RelationshipState = "unreviewed"
    review_source: str = ""
    reviewed_at: int | None = None
    review_expires_at: int | None = None
    organization: str = ""
    grave: bool = False
    snapshot: OwnershipSnapshot | None = None


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """Statement that a domain belongs to an entity. A claim verifies nothing before a review.

    domain, scope  exact subject of the claim
    entity         slug of a registered brand, or another name in the form of a slug
    submitter      person or key that submitted the claim, and that may not review it
    origin         publisher: the publishing domain, or a name; claims of one origin count once
    source         format: `form`, `csv`, `related-website-sets`, `assetlinks`, `structured-data`
    evidence       URLs for the reviewer; never fetched
    snapshot       SHA-256 of the file as read, in hex, or empty
    """

    domain: str
    scope: Scope
    entity: str
    entity_name: str
    type: RelationshipType
    submitter: str
    origin: str
    source: str
    url: str = ""
    statement: str = ""
    evidence: tuple[str, ...] = ()
    snapshot: str = ""
    organization: str = ""


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """Relationship as reviewers see it.

    claims      number of claims
    origins     number of independent origins of the claims
    approvals   reviewers who approved since the last change of state
    needed      number of different reviewers required
    """

    id: str
    organization: str
    domain: str
    scope: Scope
    entity: str
    entity_name: str
    type: RelationshipType
    url: str
    statement: str
    submitter: str
    created_at: int
    state: RelationshipState
    changed_at: int
    reviewed_at: int | None
    review_expires_at: int | None
    review_source: str
    claims: int
    origins: int
    approvals: tuple[str, ...]
    needed: int


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """Entry in the history of a relationship. `actor` is a name, or `clock` for an expiry."""

    at: int
    act: Act
    actor: str
    before: RelationshipState | None
    after: RelationshipState
    reason: str


class RelationshipMatch(msgspec.Struct, frozen=True, kw_only=True):
    """Relationship found by a search. Status `unreviewed`: no valid review at the moment."""

    id: str
    name: str
    domain: str
    type: RelationshipType
    review_status: ReviewStatus
    state: RelationshipState
    matched_on: Literal["name", "domain"]
    url: str = ""
