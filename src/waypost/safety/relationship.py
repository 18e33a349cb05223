"""From reviews and signals to the relationship of a destination. Only a review verifies, and it expires."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import cache, lru_cache

import msgspec

from waypost.models.decision import Evidence, ReasonCode, RelationshipStatus, Target
from waypost.models.relationship import Relationship, Scope
from waypost.registry.world import Brand, OfficialDomain, World

REVIEW_HOLDS_MS = 365 * 86_400_000
"""How long a shipped review holds, and the longest that any may."""
_WEIGHT = {"decisive": 3, "strong": 2, "medium": 1, "weak": 0, "context": -1}
_SIZES = ("common", "middling", "long")
_KIND = {
    "brand_typo": 0,
    "homoglyph_of_brand": 3,
    "official_domain_embedded": 2,
    "structured_data_claims_other_domain": 4,
}
_SUSPICIOUS = frozenset({"lexical_check", "structured_data_claim"})


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """The relationship of a destination, why, whose review it rests on and whom it seems to imitate."""

    status: RelationshipStatus
    reasons: tuple[ReasonCode, ...] = ()
    review: Relationship | None = None
    imitated: Brand | None = None


@lru_cache(maxsize=4096)
def shipped(world: World, target: Target) -> tuple[Relationship, ...]:
    """The reviews that ship with the registry, as far as they are about this destination."""
    return tuple(
        _relationship(brand, domain, "registrable" if domain == target.registrable else "host")
        for domain in dict.fromkeys((target.host, target.registrable))
        if (brand := world.said_to_be(domain))
    )


def _relationship(brand: Brand, domain: str, scope: Scope) -> Relationship:
    """Accepted where a review ships, else a claim of ours like anybody's."""
    review = next((each for each in brand.official_domains if each.domain == domain), None)
    return Relationship(
        id=f"registry:{brand.slug}:{domain}",
        domain=domain,
        entity=brand.slug,
        scope=scope,
        state="accepted" if review else "unreviewed",
        review_source=f"registry {review.reviewed}" if review else "",
        reviewed_at=_midnight(review.reviewed) if review else None,
        review_expires_at=lapses(review) if review else None,
        grave=review is not None,
    )


def lapses(review: OfficialDomain) -> int:
    """When a shipped review holds no longer."""
    return _midnight(review.reviewed) + REVIEW_HOLDS_MS


@cache
def _midnight(day: str) -> int:
    return int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp() * 1000)


def applies(relationship: Relationship, target: Target) -> bool:
    """Whether a relationship's scope holds the destination: the whole registrable domain, or one host alone."""
    if relationship.scope == "host":
        return relationship.domain == target.host
    return relationship.domain == target.registrable


def holds(review: Relationship, now: int) -> bool:
    """Whether a review has begun, has not lapsed, and claims no longer life than any may have."""
    begins, ends = review.reviewed_at, review.review_expires_at
    return begins is not None and ends is not None and begins <= now < ends <= begins + REVIEW_HOLDS_MS


@lru_cache(maxsize=4096)
def speaks_for_itself(world: World, target: Target) -> bool:
    """Whether the domain's owner is who speaks there: not where strangers publish, or an address leads elsewhere."""
    above = {".".join(target.labels[at:]) for at in range(len(target.labels))}
    return not (target.hosted or above & world.user_content or target.address)


def standing(
    target: Target, relationships: Iterable[Relationship], evidence: Sequence[Evidence], world: World, now: int
) -> Standing:
    """The relationship, judged in this order: a dispute, a review that holds, an imitation, a claim, nothing."""
    relationships = tuple(relationships)
    about = [each for each in relationships if applies(each, target)]
    # A doubt about this very host counts whatever the scope it was filed in meant by the suffixes of that day.
    doubted = [each for each in relationships if each.state == "disputed"]
    if doubted and any(each in about or each.domain == target.host for each in doubted):
        return Standing(status="disputed", reasons=("relationship_disputed",))
    holding = [each for each in about if each.state == "accepted" and holds(each, now)]
    covering = [each for each in holding if each.scope == "host" or speaks_for_itself(world, target)]
    if covering:
        review = covering[0] if len(covering) == 1 else max(covering, key=_covering)
        if review.relation == "affiliate":
            return Standing(status="verified_affiliate", reasons=("affiliate_relationship_verified",), review=review)
        return Standing(status="verified_official", reasons=("official_relationship_verified",), review=review)
    if imitated := imitation(evidence, world):
        return Standing(status="suspected_impersonation", reasons=("brand_impersonation_signal",), imitated=imitated)
    if not holding and [each for each in about if each.state in {"accepted", "expired"}]:
        return Standing(status="unverified", reasons=("relationship_review_expired",))
    lexical = (each for each in evidence if each.type == "lexical_check")
    similar: tuple[ReasonCode, ...] = ()
    if any(each.brand and each.strength == "medium" for each in lexical):
        similar = ("brand_name_similarity",)
    if about:
        return Standing(status="claimed_unreviewed", reasons=("relationship_claim_unreviewed", *similar))
    return Standing(status="unverified", reasons=similar)


def _covering(review: Relationship) -> tuple[bool, bool, int]:
    """Which of several reviews a destination's relationship rests on: the greatest."""
    return review.grave, review.scope == "host", review.review_expires_at or 0


def imitation(evidence: Iterable[Evidence], world: World) -> Brand | None:
    """The brand that is imitated, where the signals are precise enough to say so."""
    telling = [e for e in evidence if e.type in _SUSPICIOUS and e.brand and e.strength in {"decisive", "strong"}]
    if not telling:
        return None
    return world.brands.get(max(telling, key=_telling).brand)


def _telling(evidence: Evidence) -> tuple[int, int, int]:
    """What names the brand best: the strongest, then the kind of it, then a long name before a short one."""
    size = next((rank for rank, word in enumerate(_SIZES) if f".{word}-" in evidence.id), 0)
    return _WEIGHT[evidence.strength], size, _KIND.get(evidence.summary_code or "", 1)
