"""Unknowns of a decision: of the checks that its tier requires or consults, of the owner and of the registry."""

from __future__ import annotations

from waypost.models.decision import UNKNOWNS, EvidenceStatus, EvidenceType, Target, Unknown
from waypost.registry.world import Brand, World
from waypost.safety import network_evidence, url_evidence
from waypost.safety.decision_input import DecisionInput
from waypost.safety.policy import Policy, Tier
from waypost.safety.relationship import Standing, is_stale, lapses

_READ = frozenset({"observed", "not_observed"})
_PLACE_OF_UNKNOWN: dict[Unknown, int] = {code: place for place, code in enumerate(UNKNOWNS)}


def unknowns_of(
    case: DecisionInput,
    policy: Policy,
    tier: Tier,
    found: Standing,
    statuses: dict[EvidenceType, EvidenceStatus],
    *,
    is_receiver_reviewed: bool,
) -> tuple[Unknown, ...]:
    """Unknowns of the checks required or consulted by the tier, in the order of UNKNOWNS."""
    relevant = tier.evidence + tier.consults
    unknown: set[Unknown] = set()
    if found.unknowns:
        unknown.update(tier.further_unknowns.intersection(found.unknowns))
    # Older policies list nothing of a host that was not connected to by intention.
    if policy.all_unknowns or "non_public_address" not in found.reasons:
        for kind, piece in network_evidence.unknowns_of(case.target, case.seen):
            if kind in relevant:
                unknown.update(piece)
        if "structured_data_claim" in relevant and statuses["structured_data_claim"] not in _READ:
            unknown.update(_unknowns_of_page(case))
    if "threat_list_check" in relevant and statuses["threat_list_check"] != "observed":
        stale = statuses["threat_list_check"] == "stale"
        unknown.add("threat_list_stale" if stale else "threat_list_not_configured")
    reading = case.reading
    if (
        reading.beyond_functions
        or reading.deeper
        or reading.nested
        or reading.unresolved
        or reading.hands_over
        or not is_receiver_reviewed
    ):
        unknown.update(
            url_evidence.unknowns_of(found, reading, tier, case.action, is_receiver_reviewed=is_receiver_reviewed)
        )
    if "registry_review" in relevant:
        unknown.update(_unknowns_of_owner(case.target, found, statuses))
    return tuple(sorted(unknown & _PLACE_OF_UNKNOWN.keys(), key=_PLACE_OF_UNKNOWN.__getitem__)) if unknown else ()


def _unknowns_of_page(case: DecisionInput) -> tuple[Unknown, ...]:
    """Unknowns about a front page whose structured data was not read."""
    if case.seen is None or case.seen.http.status != "observed":
        return "structured_data_not_inspected", "page_content_not_inspected"
    # Without any evidence of the type, the caller's observations leave the page out.
    is_reported = any(piece.type == "structured_data_claim" for piece in (*case.further, *case.remembered))
    return ("structured_data_not_inspected",) if is_reported else ()


def _unknowns_of_owner(
    target: Target, found: Standing, statuses: dict[EvidenceType, EvidenceStatus]
) -> tuple[Unknown, ...]:
    """Unknowns about the owner, where no review stands behind the destination or the action takes more than one."""
    if found.status not in {"unverified", "claimed_unreviewed"}:
        insufficient = found.review and statuses["registry_review"] != "observed"
        return ("official_relationship_not_confirmed",) if insufficient else ()
    # A review of the hosting service says nothing about a tenant.
    if target.hosted:
        return "official_relationship_not_confirmed", "shared_hosting_tenant_not_attributable"
    return ("official_relationship_not_confirmed",)


def is_home_expired(brand: Brand, world: World, now: int) -> bool:
    return lapses(world, brand, brand.official_domains[0]) <= now


def with_registry(
    unknowns: tuple[Unknown, ...], found: Standing, world: World, policy: Policy, now: int
) -> tuple[Unknown, ...]:
    """Unknowns with those about the age of the registry: an expired release, or an alternative without a review."""
    further: set[Unknown] = {"brand_registry_stale"} if is_stale(world, now) else set()
    brand = found.imitated or found.intended
    if policy.all_unknowns and brand is not None and brand.official_domains and is_home_expired(brand, world, now):
        further.add("alternative_review_expired")
    return tuple(sorted({*unknowns, *further}, key=_PLACE_OF_UNKNOWN.__getitem__)) if further else unknowns
