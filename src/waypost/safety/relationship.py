"""Relationship of a destination, from reviews and signals. Only a review verifies, and reviews expire."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import cache, lru_cache

import msgspec

from waypost.models.decision import Evidence, ReasonCode, RelationshipStatus, Target, Unknown
from waypost.models.relationship import OwnershipSnapshot, Relationship, Scope
from waypost.registry.world import Brand, DomainSnapshot, OfficialDomain, World

REVIEW_HOLDS_MS = 365 * 86_400_000
"""Lifetime of a shipped review, and the longest allowed for any review."""
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
    """Relationship of a destination: status, reasons, the review behind the status, and the imitated brand.

    unknowns      unknowns about the relationship
    contradicted  the owner is another than `intended`, the brand in the caller's request
    resembles     brand to which a single fact points: an elevated risk, and not an accusation
    decisive      the imitation follows from the name alone
    """

    status: RelationshipStatus
    reasons: tuple[ReasonCode, ...] = ()
    review: Relationship | None = None
    imitated: Brand | None = None
    unknowns: tuple[Unknown, ...] = ()
    contradicted: bool = False
    intended: Brand | None = None
    resembles: Brand | None = None
    decisive: bool = False


def shipped(world: World, target: Target) -> tuple[Relationship, ...]:
    """Reviews and claims of the shipped registry about a destination."""
    # Most hosts are of no brand: they take no place in the cache.
    if world.brand_at(target.registrable) is None and world.brand_at(target.host) is None:
        return ()
    return _shipped(world, target)


@lru_cache(maxsize=4096)
def _shipped(world: World, target: Target) -> tuple[Relationship, ...]:
    return tuple(
        _relationship(world, brand, domain, "registrable" if domain == target.registrable else "host")
        for domain in dict.fromkeys((target.host, target.registrable))
        if (brand := world.brand_at(domain))
    )


def _relationship(world: World, brand: Brand, domain: str, scope: Scope) -> Relationship:
    """Relationship of a listed domain: accepted where a review is shipped too, else an unreviewed claim."""
    review = next((review for review in brand.official_domains if review.domain == domain), None)
    return Relationship(
        id=f"registry:{brand.slug}:{domain}",
        domain=domain,
        entity=brand.slug,
        scope=scope,
        state="accepted" if review else "unreviewed",
        review_source=f"registry {review.reviewed}" if review else "",
        reviewed_at=_midnight(review.reviewed) if review else None,
        review_expires_at=lapses(world, brand, review) if review else None,
        # Shipped reviews count for irreversible actions too.
        grave=review is not None,
        snapshot=_snapshot(review.snapshot) if review and review.snapshot else None,
    )


def _snapshot(shipped: DomainSnapshot) -> OwnershipSnapshot:
    return OwnershipSnapshot(
        registered_at=_midnight(shipped.registered) if shipped.registered else None,
        registrar=shipped.registrar,
        name_servers=shipped.name_servers,
        certificate_issuer=shipped.certificate_issuer,
        certificate_organization=shipped.certificate_organization,
    )


def lapses(world: World, brand: Brand, review: OfficialDomain) -> int:
    """Expiry of a shipped review, in milliseconds since 1970; at the latest with the release."""
    ends = _midnight(review.reviewed) + REVIEW_HOLDS_MS
    if brand.review_ends:
        ends = min(ends, _midnight(brand.review_ends))
    return ends if world.release is None else min(ends, world.release.expires_at)


def is_stale(world: World, now: int) -> bool:
    """Whether the release with the brands has expired, and every review in the release."""
    return world.release is not None and world.release.expires_at <= now


@cache
def _midnight(day: str) -> int:
    return int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp() * 1000)


def applies(relationship: Relationship, target: Target) -> bool:
    """Whether a relationship's scope covers the destination: a registrable domain, or a single host."""
    if relationship.scope == "host":
        return relationship.domain == target.host
    return relationship.domain == target.registrable


def holds(review: Relationship, now: int) -> bool:
    """Whether a review is in force now; never for a lifetime longer than REVIEW_HOLDS_MS."""
    # The last comparison is the limit: an entry of the store with a longer lifetime is never in force.
    begins, ends = review.reviewed_at, review.review_expires_at
    return begins is not None and ends is not None and begins <= now < ends <= begins + REVIEW_HOLDS_MS


@lru_cache(maxsize=4096)
def is_run_by_owner(world: World, target: Target) -> bool:
    """Whether the domain's owner publishes at a host.

    False on shared hosting, below a place for user content, and at an IP address.
    """
    # The host itself and every domain above: user content may be listed at any level.
    above = {".".join(target.labels[at:]) for at in range(len(target.labels))}
    return not (target.hosted or above & world.user_content or target.address)


def standing(
    target: Target, relationships: Iterable[Relationship], evidence: Sequence[Evidence], world: World, now: int
) -> Standing:
    """Relationship by the first applicable case: a dispute, a review in force, a claim, none."""
    relationships = tuple(relationships)
    if not relationships:
        return _without_review((), evidence, has_review=False)
    about = [relationship for relationship in relationships if applies(relationship, target)]
    if _is_disputed(relationships, about, target):
        return Standing(status="disputed", reasons=("relationship_disputed",))
    holding = [relationship for relationship in about if relationship.state == "accepted" and holds(relationship, now)]
    if holding and (review := _covering_review(holding, target, world)):
        return _verified(review)
    return _without_review(about, evidence, has_review=bool(holding))


def _is_disputed(relationships: Sequence[Relationship], about: Sequence[Relationship], target: Target) -> bool:
    """Whether a dispute applies to the destination, or is about the very host."""
    # The scope of a dispute may follow an older public suffix list, so the same host always counts.
    for relationship in relationships:
        if relationship.state == "disputed" and (relationship in about or relationship.domain == target.host):
            return True
    return False


def _verified(review: Relationship) -> Standing:
    if review.relation == "affiliate":
        return Standing(status="verified_affiliate", reasons=("affiliate_relationship_verified",), review=review)
    return Standing(status="verified_official", reasons=("official_relationship_verified",), review=review)


def _without_review(about: Sequence[Relationship], evidence: Iterable[Evidence], *, has_review: bool) -> Standing:
    """Relationship of a destination that no review covers.

    has_review  a review is in force, though of a domain whose hosts are let to tenants
    """
    if about and not has_review and [entry for entry in about if entry.state in {"accepted", "expired"}]:
        return Standing(status="unverified", reasons=("relationship_review_expired",))
    similar: tuple[ReasonCode, ...] = ("brand_name_similarity",) if _is_similar(evidence) else ()
    if about:
        return Standing(status="claimed_unreviewed", reasons=("relationship_claim_unreviewed", *similar))
    return Standing(status="unverified", reasons=similar)


def _is_similar(evidence: Iterable[Evidence]) -> bool:
    """Whether the host resembles a brand's name without imitating the brand."""
    return bool([e for e in evidence if e.brand and e.type == "lexical_check" and e.strength == "medium"])


def _covering_review(holding: Sequence[Relationship], target: Target, world: World) -> Relationship | None:
    """Review in force that verifies the destination: of several the strongest, which the decision names."""
    named: Relationship | None = None
    for review in holding:
        # The review of a whole domain does not vouch for hosts let to tenants: those take a review of the host.
        if review.scope != "host" and not is_run_by_owner(world, target):
            continue
        if named is None or _precedence(review) > _precedence(named):
            named = review
    return named


def _precedence(review: Relationship) -> tuple[bool, bool, int]:
    """Sort key of reviews in force; a decision names the review with the greatest key."""
    return review.grave, review.scope == "host", review.review_expires_at or 0


def imitation(evidence: Iterable[Evidence], world: World) -> Brand | None:
    """Brand imitated by the destination, from strong and decisive signals, or None.

    Only a brand with a reviewed domain is imitated: without one there is no official site to point to.
    """
    precise = [e for e in evidence if e.brand and e.type in _SUSPICIOUS and e.strength in {"decisive", "strong"}]
    if not precise:
        return None
    brands = (world.brands.get(e.brand or "") for e in sorted(precise, key=_precision, reverse=True))
    return next((brand for brand in brands if brand and brand.official_domains), None)


def _precision(evidence: Evidence) -> tuple[int, int, int]:
    """Sort key of signals: strength, then size of the token, then kind of the signal."""
    # Ids of signals about names contain the size of the token, see `match_evidence`.
    size = next((rank for rank, word in enumerate(_SIZES) if f".{word}-" in evidence.id), 0)
    return _WEIGHT[evidence.strength], size, _KIND.get(evidence.summary_code or "", 1)
