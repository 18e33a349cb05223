"""Whose a destination is, as a review found it."""

from __future__ import annotations

from typing import Literal

import msgspec

RelationshipState = Literal["unreviewed", "in_review", "accepted", "rejected", "disputed", "revoked", "expired"]
Relation = Literal["official", "affiliate"]
Scope = Literal["registrable", "host"]


class Relationship(msgspec.Struct, frozen=True, kw_only=True):
    """A domain and who is behind it. Times are milliseconds since 1970, UTC.

    domain            a registrable domain, or a host where strangers are its neighbours (`scope`)
    entity            the slug of a listed brand, or another name
    relation          official: the entity's own; affiliate: somebody who acts for it, such as a hosted checkout
    review_source     who found it so: `registry 2026-11-20`, or a reviewer
    organization      empty when it holds for all, otherwise whose keys alone it holds for
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
