"""Declared merchants: shops outside the registry, as an operator's own policy permits.

The facts of such a shop: a checkout signed with the keys of the shop's own host, a domain older than a year, valid
certificates seen by the service for months, and every check made without a risk. With a fact missing the relationship
stays unverified, and the action stops.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from waypost.models.decision import (
    Evidence,
    EvidenceStatus,
    EvidenceType,
    ReasonCode,
    RiskStatus,
    Target,
    Unknown,
    UrlReading,
)
from waypost.models.observation import Observations
from waypost.models.payment import Amount, Payment
from waypost.models.relationship import Relationship
from waypost.registry.world import World
from waypost.safety.policy import DeclaredMerchants, Tier
from waypost.safety.relationship import Standing, is_run_by_owner
from waypost.safety.target import USUAL_PORTS

ID = "declared."
"""Beginning of the ids of the evidence about declared merchants."""
_DAY_MS = 86_400_000
_ANY = "*"
_EVIDENCE: tuple[EvidenceType, ...] = (
    "lexical_check",
    "automated_network_check",
    "certificate_check",
    "registration_data_check",
    "threat_list_check",
    "caller_supplied",
)
_BLOCKING: frozenset[Unknown] = frozenset(
    {
        "dns_not_resolved",
        "dns_timeout",
        "tls_not_checked",
        "tls_handshake_failed",
        "http_not_fetched",
        "redirect_target_not_checked",
        "registration_age_unavailable",
        "registry_rdap_unsupported",
        "rdap_rate_limited",
        "certificate_history_unavailable",
        "threat_list_not_configured",
        "threat_list_stale",
        "structured_data_not_inspected",
        "shared_hosting_tenant_not_attributable",
        "policy_input_incomplete",
        "claimed_brand_unknown",
        "network_check_not_made",
        "payee_not_verified",
        "merchant_evidence_not_read",
    }
)
_READ = frozenset({"observed", "not_observed"})


class Candidate(NamedTuple):
    """Input about a destination that may be a declared merchant.

    tie               tie of the endpoint that takes the money to the destination; None without an endpoint
    certificate_since first start of a valid certificate seen at the host in earlier checks, in milliseconds, or None
    """

    target: Target
    reading: UrlReading
    relationships: Iterable[Relationship]
    payment: Payment | None
    tie: str | None
    seen: Observations | None
    certificate_since: int | None


def tier_of(merchants: DeclaredMerchants, tier: Tier) -> Tier:
    """Tier of an action at a declared merchant: the operator's tier without the review, and every fact."""
    return msgspec.structs.replace(
        tier,
        relationship=frozenset({"declared_merchant"}),
        evidence=(*_EVIDENCE, *(kind for kind in tier.evidence if kind not in {*_EVIDENCE, "registry_review"})),
        min_confidence="medium",
        blocking_unknowns=tier.blocking_unknowns - {"official_relationship_not_confirmed"} | _BLOCKING,
        allow_s=min(tier.allow_s, merchants.allow_s),
        because=merchants.because,
    )


def declared(
    found: Standing,
    candidate: Candidate,
    merchants: DeclaredMerchants,
    risk: RiskStatus,
    statuses: Mapping[EvidenceType, EvidenceStatus],
    world: World,
    now: int,
) -> tuple[Standing, list[Evidence]]:
    """Relationship of a destination under a policy with declared merchants, and the evidence of its facts."""
    if not _is_unlisted(found, candidate, world):
        return found, []
    evidence = list(_facts(candidate, merchants, now))
    complete = all(piece.status == "observed" for piece in evidence) and statuses["structured_data_claim"] in _READ
    if not complete or risk != "no_high_risk_signal_observed" or not _is_permitted(candidate.target, merchants):
        return found, evidence
    amount = candidate.payment.amount if candidate.payment else None
    permitted = _permits(merchants, amount)
    evidence.append(_piece("amount", "caller_supplied", is_observed=permitted, otherwise="conflicting"))
    reason: ReasonCode = "merchant_declared" if permitted else "amount_not_permitted"
    standing = Standing(
        status="declared_merchant", reasons=(reason,), unknowns=found.unknowns, contradicted=not permitted
    )
    return standing, evidence


def _is_unlisted(found: Standing, candidate: Candidate, world: World) -> bool:
    """Whether nothing is known about the destination: no review, no claim of the registry, no imitation, no dispute."""
    target, reading = candidate.target, candidate.reading
    nothing_known = found.status == "unverified" and not found.reasons
    # A page that names its owner makes a claim, which neither helps nor harms the shop.
    claims_itself = found.status == "claimed_unreviewed" and found.reasons == ("relationship_claim_unreviewed",)
    if not (nothing_known or claims_itself) or found.contradicted or found.resembles or found.imitated:
        return False
    if any(entry.state != "unreviewed" or entry.id.startswith("registry:") for entry in candidate.relationships):
        return False
    if world.brand_at(target.registrable) or world.brand_at(target.host) or not is_run_by_owner(world, target):
        return False
    if target.scheme != "https" or target.port not in USUAL_PORTS or target.userinfo:
        return False
    return reading.is_plain and not (reading.nested or reading.sign_in or reading.receivers)


def _is_permitted(target: Target, merchants: DeclaredMerchants) -> bool:
    return _ANY in merchants.domains or target.registrable in merchants.domains


def _permits(merchants: DeclaredMerchants, amount: Amount | None) -> bool:
    """Whether an amount is within the policy's bound and within the caller's own cap. Without a cap it is not."""
    if amount is None or amount.cap is None or amount.value > amount.cap:
        return False
    return amount.value <= merchants.amounts.get(amount.currency.upper(), -1)


def _facts(candidate: Candidate, merchants: DeclaredMerchants, now: int) -> Sequence[Evidence]:
    """Evidence of the facts that a declared merchant takes, each observed or not."""
    seen = candidate.seen
    registered = seen.registration.registered_at if seen and seen.registration.status == "observed" else None
    is_old = registered is not None and now - registered >= merchants.min_domain_age_days * _DAY_MS
    since = candidate.certificate_since
    if seen is not None and seen.tls.status == "observed" and seen.tls.valid and seen.tls.not_before is not None:
        since = min(seen.tls.not_before, since or seen.tls.not_before)
    is_known = since is not None and now - since >= merchants.min_certificate_days * _DAY_MS
    return (
        _piece("keys", "caller_supplied", is_observed=_signs(candidate)),
        _piece("domain_age", "registration_data_check", is_observed=is_old),
        _piece("certificate_history", "certificate_check", is_observed=is_known),
    )


def _signs(candidate: Candidate) -> bool:
    """Whether the host's own keys signed the checkout, and endpoint and payee are the host's.

    The caller has to name endpoint and payee: an omission must not pass where the named value would stop.
    """
    payment, target = candidate.payment, candidate.target
    merchant = payment.merchant if payment else None
    if payment is None or merchant is None or payment.endpoint is None:
        return False
    own = {endpoint for endpoint in merchant.endpoints if endpoint.registrable == target.registrable}
    at_home = candidate.tie == "own" or payment.endpoint in own
    stays = all(host.registrable == target.registrable for host in (*merchant.names, *merchant.leads_to))
    agrees = merchant.has_keys and merchant.signature == merchant.payee == "agrees"
    return agrees and at_home and stays


def _piece(name: str, kind: EvidenceType, *, is_observed: bool, otherwise: EvidenceStatus = "not_observed") -> Evidence:
    return Evidence(type=kind, status="observed" if is_observed else otherwise, id=f"{ID}{name}")
