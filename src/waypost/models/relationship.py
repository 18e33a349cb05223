"""Whose a destination is, as somebody claims and as a review found it. Times are milliseconds since 1970, UTC."""

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


class Relationship(msgspec.Struct, frozen=True, kw_only=True):
    """A domain and who is behind it: all that a decision needs of it.

    domain            a registrable domain, or a host where strangers are its neighbours (`scope`)
    entity            the slug of a listed brand, or another name
    relation          official: the entity's own; affiliate: somebody who acts for it, such as a hosted checkout
    review_source     who found it so: `registry 2026-11-20`, `operator 2026-11-20`, `organization 2026-11-20`
    organization      empty when it holds for all, otherwise whose keys alone it holds for
    grave             it carries what cannot be called back: two different people reviewed it, or it ships with the
                      registry, or it is an organization's own
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


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody's word that a domain is an entity's. It is never more than that until it is reviewed.

    domain, scope  the exact place it is about
    entity         the slug of a listed brand, or another name in the form of a slug
    submitter      who brought it here; may not review it
    origin         who says so: the domain that published it, or a name; claims of one origin count once
    source         in which form: `form`, `csv`, `related-website-sets`, `assetlinks`, `structured-data`
    evidence       addresses at which a reviewer may look; they are never fetched
    snapshot       the SHA-256 of what was read, in hex, or empty
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
    """A relationship as reviewers see it.

    claims      how often it was claimed
    origins     by how many that do not depend on each other
    approvals   whose word for it stands since it last changed its state
    needed      how many different reviewers it takes
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
    """One line of a relationship's history. `actor` is a name, or `clock` where only time passed."""

    at: int
    act: Act
    actor: str
    before: RelationshipState | None
    after: RelationshipState
    reason: str


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A relationship that a search found; `unreviewed` is everything that no review stands behind at the moment."""

    id: str
    name: str
    domain: str
    type: RelationshipType
    review_status: ReviewStatus
    state: RelationshipState
    matched_on: Literal["name", "domain"]
    url: str = ""
