"""Decision about a destination from its evidence and a policy. Pure: the clock is an argument."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from waypost.models.decision import (
    ConfidenceClass,
    Decision,
    Evidence,
    EvidenceStatus,
    EvidenceType,
    ReasonCode,
    RiskStatus,
    Target,
    UrlReading,
)
from waypost.models.explanation import Line
from waypost.models.observation import Observations
from waypost.models.relationship import Relationship
from waypost.registry.world import Brand, World
from waypost.safety import counterparty, network_evidence, ownership, payment, url_evidence
from waypost.safety.accusation import weigh
from waypost.safety.decision_input import DecisionInput
from waypost.safety.evidence import gather_evidence, in_time, statuses_for, statuses_of
from waypost.safety.policy import (
    GRAVE,
    VERIFIED,
    DeclaredMerchants,
    Facts,
    Policy,
    Tier,
    failed_lines,
    find,
)
from waypost.safety.reasons import reasons_of
from waypost.safety.relationship import Standing, imitation, is_stale, shipped, standing
from waypost.safety.unknowns import is_home_expired, unknowns_of, with_registry

_NO_RISK = frozenset({"lexical_check", "registry_review"})
"""Types left out of the risk: they count in the relationship."""
_NETWORK: tuple[EvidenceType, ...] = ("automated_network_check", "certificate_check", "registration_data_check")
_WEIGHTY = frozenset({"decisive", "strong"})


def decide(case: DecisionInput, world: World) -> Decision:
    """Decision for an input. Raises UnknownPolicy; any other error becomes a stop."""
    # Outside the try: an unknown policy is the caller's mistake, and no decision.
    policy = policy_for(world, case.policy, case.policy_file)
    try:
        # A policy past its end decides nothing any more: every action stops.
        if policy.ends_at is not None and policy.ends_at <= case.now:
            return _undecided(case, policy)
        if case.seen is not None and (own := _of_destination(case.seen, case.target)) is not case.seen:
            case = msgspec.structs.replace(case, seen=own)
        decision = _decide(case, world, policy)
        return _frozen(decision, policy, case.now) if case.frozen and policy.tier(case.action).sensitive else decision
    except Exception:  # noqa: BLE001  an unforeseen error must never look like an approval
        return _undecided(case, policy)


def policy_for(world: World, name: str, file: str = "") -> Policy:
    """Policy of a name, or of the text of an operator's own policy. Raises UnknownPolicy and PolicyError."""
    if not file:
        return find(world, name)
    from waypost.safety.own_policy import policy_of

    return policy_of(world, file)


def _frozen(decision: Decision, policy: Policy, now: int) -> Decision:
    """Decision of an organization that has frozen its sensitive actions: a stop, whatever the evidence."""
    # A released policy answers with the codes of its day.
    why: ReasonCode = "actions_frozen" if "actions_frozen" in policy.further_reasons else "required_evidence_missing"
    return msgspec.structs.replace(
        decision,
        action_allowed=False,
        reason_codes=tuple(dict.fromkeys((*decision.reason_codes, why))),
        expires_at=min(decision.expires_at, now + policy.stop_s.missing_evidence * 1000),
        deciding=tuple(dict.fromkeys(("action", *decision.deciding))),
    )


def _of_destination(seen: Observations, target: Target) -> Observations | None:
    """Observations made of the destination, or None: another port may be another owner's service."""
    if seen.host != target.host:
        return None
    hops = seen.http.hops
    # Without a hop no port was opened: DNS and registration data are about the host alone.
    if not hops:
        return seen
    first = hops[0]
    own = first.host == target.host and first.scheme == target.scheme and first.port == target.port
    return seen if own else None


def _undecided(case: DecisionInput, policy: Policy) -> Decision:
    return Decision(
        decision_id=case.decision_id,
        normalized_domain=case.target.host,
        relationship_status="unverified",
        risk_status="risk_not_assessed",
        action=case.action,
        action_allowed=False,
        reason_codes=("required_evidence_missing",),
        confidence_class="insufficient",
        unknowns=("official_relationship_not_confirmed", "policy_input_incomplete"),
        expires_at=case.now + policy.stop_s.missing_evidence * 1000,
        policy_version=policy.version,
        deciding=("evidence",),
    )


def _decide(case: DecisionInput, world: World, policy: Policy) -> Decision:
    tier = policy.tier(case.action)
    shop = _shop_behind(case, world) if policy.follows_referrers and case.referrer is not None else ""
    if shop:
        # The provider's page of one payment: the shop's own step there shows whose payment it is.
        reading = msgspec.structs.replace(case.reading, publishers="", beyond_functions=False)
        case = msgspec.structs.replace(case, reading=reading)
    evidence = gather_evidence(case, world)
    if shop:
        evidence.append(Evidence(type="caller_supplied", status="observed", id="caller.referrer", brand=shop))
    found = _standing(case, world, policy, tier, evidence, shop)
    if policy.front_page_may_hang and found.status in VERIFIED and case.seen is not None:
        reached = network_evidence.without_page(case.target, case.seen, case.now)
        evidence = [reached if reached and piece.id == reached.id else piece for piece in evidence]
    evidence.append(_review(found, case.action, world, case.now))
    # Evidence without a code and of strength "context" only records a check: no reason, no risk.
    signals = [piece for piece in evidence if piece.summary_code or piece.strength != "context"]
    # A private address is not the public site of any owner: a review of the domain does not cover the host.
    if "non_public_host" in [piece.summary_code for piece in signals]:
        found = Standing(status="unverified", reasons=("non_public_address",))
    statuses = statuses_of(evidence)
    risk = _risk(found, signals, policy)
    if policy.declared_merchants is not None and case.action in policy.declared_merchants.actions:
        found, tier, evidence = _declared(case, world, policy.declared_merchants, tier, found, risk, evidence)
        statuses = statuses_of(evidence)
    confidence = _confidence(found, risk, tier, statuses)
    if found.status == "suspected_impersonation" and not found.decisive and _is_by_names_alone(signals, policy):
        confidence = policy.accusation_by_names
    is_receiver_reviewed = _reviewed_receivers(case, world) is not None
    unknowns = unknowns_of(case, policy, tier, found, statuses, is_receiver_reviewed=is_receiver_reviewed)
    unknowns = with_registry(unknowns, found, world, policy, case.now)
    facts = Facts(
        relationship=found.status,
        risk=risk,
        confidence=confidence,
        evidence=in_time(statuses, evidence, tier, case.now),
        unknowns=frozenset(unknowns),
        withheld=found.contradicted or not tier.withholding_unknowns.isdisjoint(unknowns),
    )
    deciding = failed_lines(tier, case.action, facts)
    if case.action in policy.never:
        deciding = tuple(dict.fromkeys(("action", *deciding)))
    return Decision(
        decision_id=case.decision_id,
        normalized_domain=case.target.host,
        relationship_status=found.status,
        risk_status=risk,
        action=case.action,
        action_allowed=not deciding,
        reason_codes=reasons_of(
            found, signals, deciding, policy, tier.withholding_unknowns.intersection(unknowns), case.action
        ),
        confidence_class=confidence,
        unknowns=unknowns,
        expires_at=_expires_at(case, policy, tier, found, evidence, deciding),
        policy_version=policy.version,
        evidence=tuple(evidence),
        official_alternative=_home_of(found.imitated or found.intended, world, policy, case.now),
        deciding=deciding,
    )


def _declared(
    case: DecisionInput,
    world: World,
    merchants: DeclaredMerchants,
    tier: Tier,
    found: Standing,
    risk: RiskStatus,
    evidence: list[Evidence],
) -> tuple[Standing, Tier, list[Evidence]]:
    """Relationship, tier and evidence under an operator's own policy that permits declared merchants."""
    from waypost.safety import declared

    ties = payment.Ties(found, case.target, case.relationships, world, case.now, trusted=case.trust_shipped_reviews)
    tie = ties.of_endpoint(case.payment) if case.payment else None
    candidate = declared.Candidate(
        case.target, case.reading, case.relationships, case.payment, tie, case.seen, case.certificate_since
    )
    statuses = statuses_for(tier, evidence, case.now)
    found, pieces = declared.declared(found, candidate, merchants, risk, statuses, world, case.now)
    if found.status == "declared_merchant":
        tier = declared.tier_of(merchants, tier)
    return found, tier, [*evidence, *pieces]


def _standing(
    case: DecisionInput, world: World, policy: Policy, tier: Tier, evidence: list[Evidence], shop: str
) -> Standing:
    """Relationship of the destination to its owner. Evidence of narrowing changes and comparisons is added.

    shop  entity of the shop whose payment page the destination is, or empty
    """
    found = standing(case.target, relationships_of(case, world), evidence, world, case.now)
    # Before claims and expired reviews: neither may hide an imitation.
    if found.status in {"unverified", "claimed_unreviewed"}:
        found = _accused(found, case, world, policy, evidence)
    # URL, ownership and intended owner come after the relationship: none of them can widen it.
    found = url_evidence.limited(found, case.target, case.reading)
    # Older policies do not know the unknown that a newer one stops for.
    is_new = "page_publisher_unknown" in tier.further_unknowns
    if case.reading.beyond_functions and found.status in VERIFIED and not is_new:
        found = Standing(status="unverified", reasons=("published_by_strangers",))
    # Policies older than these two comparisons name none of their codes, and decide as on the day of their release.
    if found.review is not None and case.seen is not None and "ownership_changed" in policy.further_reasons:
        continued = ownership.continuity(found.review, case.seen, case.now)
        if not continued.is_plain:
            evidence += ownership.evidence_of(continued, case.target, case.seen)
            found = ownership.limited(found, continued)
    if policy.all_unknowns and found.review is not None and not ownership.is_compared(found.review, case.seen):
        found = msgspec.structs.replace(found, unknowns=(*found.unknowns, "ownership_continuity_unknown"))
    if case.counterparties and "claimed_brand_unknown" in tier.further_unknowns:
        receivers = (_reviewed_receivers(case, world) or ()) if policy.receiver_may_be_intended else ()
        receivers = (*receivers, shop) if shop else receivers
        compared = counterparty.comparisons(case.counterparties, found, case.target, world, receivers)
        evidence += counterparty.evidence_of(compared)
        # A visit gives nothing away, whoever the caller means: another owner is evidence alone.
        binding = compared if tier.sensitive else [each for each in compared if each.outcome == "unknown"]
        found = counterparty.bound(found, binding)
    if case.payment is not None:
        ties = payment.Ties(found, case.target, case.relationships, world, case.now, trusted=case.trust_shipped_reviews)
        tie = ties.of_endpoint(case.payment)
        contradictions = tuple(ties.contradictions(case.payment.merchant)) if case.payment.merchant else ()
        evidence += payment.evidence_of(case.payment, tie, contradictions)
        if tier.sensitive:
            reason: ReasonCode = (
                "payee_mismatch" if "payee_mismatch" in policy.further_reasons else "counterparty_mismatch"
            )
            found = payment.bound(found, case.payment, tie, contradictions, reason)
    return found


def _shop_behind(case: DecisionInput, world: World) -> str:
    """Entity of a reviewed shop that leads to a payment page of a provider in its file; empty for any other page."""
    if case.referrer is None or case.reading.publishers != "payment_link" or case.reading.through:
        return ""

    def entity_at(target: Target) -> str:
        ours = shipped(world, target) if case.trust_shipped_reviews else ()
        found = standing(target, (*case.relationships, *ours), (), world, case.now)
        return found.review.entity if found.status in VERIFIED and found.review and found.review.grave else ""

    shop, provider = world.brands.get(entity_at(case.referrer)), entity_at(case.target)
    return shop.slug if shop and provider in {each.brand for each in shop.payment_providers} else ""


def _accused(found: Standing, case: DecisionInput, world: World, policy: Policy, evidence: list[Evidence]) -> Standing:
    """Relationship of a destination without a review, after the search for an imitation. Evidence is replaced."""
    if not policy.second_fact:
        evidence[:] = [piece for piece in evidence if piece.id not in _NEXT_TO_A_NAME]
        imitated = imitation(evidence, world)
        return _imitating(imitated) if imitated else found
    weighed = weigh(case.target, evidence, case.seen, world, case.now)
    evidence[:] = weighed.evidence
    if weighed.accused:
        return _imitating(weighed.accused, decisive=weighed.decisive)
    if weighed.resembles is None or weighed.named is None:
        return found
    suggested = msgspec.structs.replace(
        weighed.named, suggested_alternative=_home_of(weighed.resembles, world, policy, case.now) or ""
    )
    evidence[evidence.index(weighed.named)] = suggested
    similar: tuple[ReasonCode, ...] = ("brand_name_similarity",) if weighed.named.type == "lexical_check" else ()
    reasons = tuple(dict.fromkeys((*found.reasons, *similar)))
    return msgspec.structs.replace(found, reasons=reasons, resembles=weighed.resembles)


def _imitating(brand: Brand, *, decisive: bool = False) -> Standing:
    return Standing(
        status="suspected_impersonation",
        reasons=("brand_impersonation_signal",),
        imitated=brand,
        decisive=decisive,
    )


def relationships_of(case: DecisionInput, world: World) -> Iterable[Relationship]:
    """Relationships of the store and, where they count, of the shipped registry."""
    ours = shipped(world, case.target) if case.trust_shipped_reviews else ()
    return (*case.relationships, *ours)


def _home_of(brand: Brand | None, world: World, policy: Policy, now: int) -> str | None:
    """Reviewed home URL of a brand, or None.

    Policies with `all_unknowns` list an expired review of the home as an unknown; older policies leave out the URL.
    """
    if brand is None or brand.official_home is None:
        return None
    if not policy.all_unknowns and is_home_expired(brand, world, now):
        return None
    return f"https://{brand.official_home}/"


def _review(found: Standing, action: str, world: World, now: int) -> Evidence:
    """Evidence of the review. The review of a single person is `not_observed` for an irreversible action."""
    review = found.review
    alone = review is not None and action in GRAVE and not review.grave
    detail = _reviewers(review, alone=alone) if review else ""
    if review is None and "relationship_review_expired" in found.reasons and is_stale(world, now):
        detail = f"release {world.release.version if world.release else 0} of the registry has expired; update it"
    return Evidence(
        type="registry_review",
        status="observed" if review and not alone else "not_observed",
        id="reg.official",
        brand=review.entity if review else "",
        observed_at=review.reviewed_at if review else None,
        valid_until=review.review_expires_at if review else None,
        detail=detail,
    )


def _reviewers(review: Relationship, *, alone: bool) -> str:
    source = f"reviewed by {review.review_source}"
    return f"{source}, by one person; this action takes the review of two" if alone else source


def _risk(found: Standing, evidence: Sequence[Evidence], policy: Policy) -> RiskStatus:
    """Risk without the relationship: a verified domain never imitates its own brand."""
    # A signal counts also where the check is stale or failed: an unknown where a doubt stood.
    in_any_status = bool(policy.further_reasons)
    if "non_public_address" in found.reasons:
        return "risk_not_assessed"
    if found.status == "suspected_impersonation":
        return "high_risk_signal_observed"
    elevated = found.resembles is not None
    for piece in evidence:
        # Lexical evidence counts in the relationship, by its brand: this signal has none and counts here.
        if piece.summary_code == "mixed_script_host":
            elevated = True
        if piece.type in _NO_RISK or (piece.status != "observed" and not in_any_status):
            continue
        if found.review is not None and piece.type == "structured_data_claim" and piece.brand == found.review.entity:
            continue  # a reviewed page naturally names its owner and the owner's other domains
        # With the second fact that an accusation takes, the relationship says so; a claim alone is a resemblance.
        is_single = policy.second_fact and piece.type == "structured_data_claim"
        if piece.strength in _WEIGHTY and not is_single:
            return "high_risk_signal_observed"
        elevated = elevated or piece.strength == "medium" or piece.strength in _WEIGHTY
    return "elevated_risk_signal_observed" if elevated else "no_high_risk_signal_observed"


def _confidence(
    found: Standing, risk: RiskStatus, tier: Tier, statuses: dict[EvidenceType, EvidenceStatus]
) -> ConfidenceClass:
    """Confidence by coverage alone: the observed part of the required evidence."""
    if risk == "risk_not_assessed":
        return "insufficient"
    # A stop for a signal or a dispute is certain, however few checks were made.
    if risk == "high_risk_signal_observed" or found.status == "disputed":
        return "high"
    if found.status in VERIFIED and not [piece for piece in tier.evidence if statuses[piece] != "observed"]:
        return "high"
    return "medium" if "observed" in [statuses[kind] for kind in _NETWORK] else "low"


def _is_by_names_alone(signals: Sequence[Evidence], policy: Policy) -> bool:
    """Whether names are all that weighs in an imitation, and by the policy's own measure none of them decides."""
    weighty = [piece for piece in signals if piece.strength in _WEIGHTY and piece.status == "observed"]
    if policy.second_fact:
        return all(piece.type == "lexical_check" for piece in weighty)
    return all(piece.type == "lexical_check" and not _DECISIVE_NAME.match(piece.id) for piece in weighty)


def _reviewed_receivers(case: DecisionInput, world: World) -> tuple[str, ...] | None:
    """Entities of the receivers of a sign-in's result; None for a receiver without a review in force.

    The host itself needs no further review; another reviewed owner is as good as the host's, since the user signs in
    for that owner. The review of a single person is not evidence for an irreversible action here either, nor for a
    receiver with access to more than the user's identity.
    """
    reading = case.reading
    if reading.app_receives:
        return None
    entities: list[str] = []
    is_grave = case.action in GRAVE or bool(reading.grants)
    for receiver in reading.sign_in:
        if (receiver.host, receiver.port) == (case.target.host, case.target.port):
            continue
        ours = shipped(world, receiver) if case.trust_shipped_reviews else ()
        found = standing(receiver, (*case.relationships, *ours), (), world, case.now)
        found = url_evidence.limited(found, receiver, _PLAIN)
        if found.status not in VERIFIED or found.review is None or (is_grave and not found.review.grave):
            return None
        entities.append(found.review.entity)
    return tuple(entities)


_PLAIN = UrlReading()
_DECISIVE_NAME = re.compile(
    r"lex\.embedded\.|lex\.homoglyph\.\w+-(?:label|word-(?:urgent|urging|echo))|host\.shared\.\w+-label"
)
"""Ids of decisive signals about names: an official domain within the host, a homoglyph of a complete label or word, a
tenant with exactly the name of the brand. With `second_fact` the measure is narrower: `Accusation.decisive`."""
_NEXT_TO_A_NAME = frozenset({url_evidence.POSES, "sd.requests-secrets"})
"""Ids of evidence that policies without `second_fact` do not know."""


def _expires_at(
    case: DecisionInput,
    policy: Policy,
    tier: Tier,
    found: Standing,
    evidence: Sequence[Evidence],
    deciding: tuple[Line, ...],
) -> int:
    """Expiry of the decision: the earliest of the outcome's lifetime, evidence, review and end of the policy."""
    now = case.now
    ends = now + _lifetime_s(case, policy, tier, found, evidence, deciding) * 1000
    for piece in evidence:
        until = piece.valid_until
        if until is None or not now < until < ends:
            continue
        # An approval ends with the first evidence. A stop ends early only with evidence behind the stop.
        if not deciding or piece.strength in _WEIGHTY or piece.type == "registry_review":
            ends = until
    if policy.ends_at is not None:
        ends = min(ends, policy.ends_at)
    # A policy or review that ended before now must not give an expiry in the past.
    return max(ends, now)


def _lifetime_s(
    case: DecisionInput,
    policy: Policy,
    tier: Tier,
    found: Standing,
    evidence: Sequence[Evidence],
    deciding: tuple[Line, ...],
) -> int:
    if not deciding:
        return tier.allow_s
    if "list.match" in [piece.id for piece in evidence]:
        return policy.stop_s.threat_list_match
    if found.status == "suspected_impersonation":
        return policy.stop_s.suspected_impersonation
    if case.seen is not None:
        parts = case.seen.parts
        if [part for part in parts if "network_check_not_made" in part.unknowns]:
            return policy.stop_s.network_check_not_made
        if "failed" in [part.status for part in parts]:
            return policy.stop_s.failed_network
    return policy.stop_s.missing_evidence
