"""Put together what is known and seen of a destination and judge it once. Pure: the clock is an argument."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import msgspec

from waypost.models.decision import (
    EVIDENCE_TYPES,
    UNKNOWNS,
    ConfidenceClass,
    Decision,
    Evidence,
    EvidenceStatus,
    EvidenceType,
    ReasonCode,
    RiskStatus,
    Target,
    Unknown,
)
from waypost.models.explanation import Line
from waypost.models.observation import Observations
from waypost.models.relationship import Relationship
from waypost.registry.world import Brand, World
from waypost.safety import network
from waypost.safety.catalogue import taking
from waypost.safety.names import names_of
from waypost.safety.policy import DEFAULT, GRAVE, VERIFIED, Facts, Policy, Tier, find, unheld
from waypost.safety.reading import Reading
from waypost.safety.relationship import Standing, lapses, shipped, standing

_FROM_OUTSIDE: tuple[EvidenceType, ...] = (
    "threat_list_check",
    "structured_data_claim",
    "reciprocal_link_check",
    "human_review",
    "caller_supplied",
)
_WORST: dict[EvidenceStatus, int] = {
    "conflicting": 0,
    "failed": 1,
    "stale": 2,
    "not_observed": 3,
    "not_attempted": 4,
    "observed": 5,
}
_NOTHING_TRIED: dict[EvidenceType, EvidenceStatus] = dict.fromkeys(EVIDENCE_TYPES, "not_attempted")
_NO_RISK = frozenset({"lexical_check", "registry_review"})
"""What is weighed elsewhere: as a relationship."""
_READ_AS_A_NAME = Evidence(type="lexical_check", status="observed", id="lex")
_NETWORK: tuple[EvidenceType, ...] = ("automated_network_check", "certificate_check", "registration_data_check")
_WEIGHTY = frozenset({"decisive", "strong"})
_READ = frozenset({"observed", "not_observed"})
_WHY: dict[str, ReasonCode] = {
    "insecure_scheme": "insecure_transport",
    "tls_invalid": "insecure_transport",
    "tls_name_mismatch": "insecure_transport",
    "non_public_host": "non_public_address",
}
_WHY_BY_ID: dict[str, ReasonCode] = {
    "net.http.redirect": "redirect_to_other_domain",
    "net.rdap": "recently_registered",
    "list.match": "threat_list_match",
}


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a decision rests on besides the world: enough to make it again, to the letter.

    action         an action, or `unspecified`
    seen           what the network showed; none when it was not asked
    relationships  reviews and claims from the store that may be about the destination
    further        evidence of other kinds: threat lists, the page's own claims, reciprocal links
    now            milliseconds since 1970, UTC
    """

    decision_id: str
    target: Target
    action: str
    now: int
    seen: Observations | None = None
    relationships: tuple[Relationship, ...] = ()
    further: tuple[Evidence, ...] = ()
    policy: str = DEFAULT
    trust_shipped_reviews: bool = True


def decide(case: Case, world: World) -> Decision:
    """The decision. Raises UnknownPolicy; whatever else goes wrong on the way is a stop."""
    policy = find(world, case.policy)
    try:
        if policy.ends_at is not None and policy.ends_at <= case.now:
            return _undecided(case, policy)
        own = _own(case)
        return _decide(case if own is case.seen else msgspec.structs.replace(case, seen=own), world, policy)
    except Exception:  # noqa: BLE001  an error that nobody foresaw must never look like an approval
        return _undecided(case, policy)


def _own(case: Case) -> Observations | None:
    """What was seen, if it was this destination that was looked at: another port may be another's service."""
    seen, target = case.seen, case.target
    if seen is None or seen.host != target.host:
        return None
    hops = seen.http.hops
    if not hops:
        return seen
    first = hops[0]
    own = first.host == target.host and first.scheme == target.scheme and first.port == target.port
    return seen if own else None


def _undecided(case: Case, policy: Policy) -> Decision:
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


def _decide(case: Case, world: World, policy: Policy) -> Decision:
    tier = policy.tier(case.action)
    evidence = look(case, world)
    found = standing(case.target, _relationships(case, world), evidence, world, case.now)
    evidence.append(_review(found, case.action))
    telling = [each for each in evidence if each.summary_code or each.strength != "context"]  # the rest are mere checks
    if "non_public_host" in [each.summary_code for each in telling]:
        found = Standing(status="unverified", reasons=("non_public_address",))
    statuses = _statuses(evidence)
    risk = _risk(found, telling)
    confidence = _confidence(found, risk, tier, statuses)
    unknowns = _unknowns(case, tier, found, statuses)
    facts = Facts(
        relationship=found.status,
        risk=risk,
        confidence=confidence,
        evidence=_in_time(statuses, evidence, tier, case.now),
        unknowns=frozenset(unknowns),
    )
    deciding = unheld(tier, case.action, facts)
    return Decision(
        decision_id=case.decision_id,
        normalized_domain=case.target.host,
        relationship_status=found.status,
        risk_status=risk,
        action=case.action,
        action_allowed=not deciding,
        reason_codes=_reasons(found, telling, deciding),
        confidence_class=confidence,
        unknowns=unknowns,
        expires_at=_expires_at(case, policy, tier, found, evidence, deciding),
        policy_version=policy.version,
        evidence=tuple(evidence),
        official_alternative=_alternative(found.imitated, case.now),
        deciding=deciding,
    )


def look(case: Case, world: World) -> list[Evidence]:
    """Every signal's evidence and one piece for each check that was made, or was not.

    What comes from outside may only be of a type that no check of ours makes.
    """
    found = [_READ_AS_A_NAME]
    found += [each for each in case.further if each.type in _FROM_OUTSIDE]
    found += network.checks(case.target, case.seen, case.now)
    found += _by_name(case.target, world)
    if case.seen is not None:
        found += network.signals(
            case.target, case.seen, world, names_of(world), case.now, trusted=case.trust_shipped_reviews
        )
    return found


@lru_cache(maxsize=4096)
def _by_name(target: Target, world: World) -> tuple[Evidence, ...]:
    """What the destination's name and address say, whenever they are looked at: no clock is asked."""
    found: list[Evidence] = []
    for signal in taking("target"):
        found += signal.observe(target)
    reading = Reading(target, names_of(world))
    for signal in taking("reading"):
        found += signal.observe(reading)
    return tuple(found)


def _relationships(case: Case, world: World) -> Iterable[Relationship]:
    ours = shipped(world, case.target) if case.trust_shipped_reviews else ()
    return (*case.relationships, *ours)


def _alternative(imitated: Brand | None, now: int) -> str | None:
    """Where the imitated brand is at home, if a review that has not lapsed found it there: else nobody is sent on."""
    if imitated is None or imitated.official_home is None:
        return None
    return f"https://{imitated.official_home}/" if lapses(imitated.official_domains[0]) > now else None


def _review(found: Standing, action: str) -> Evidence:
    """One reviewer's word for all is none for what cannot be called back."""
    review = found.review
    alone = review is not None and action in GRAVE and not review.grave
    return Evidence(
        type="registry_review",
        status="observed" if review and not alone else "not_observed",
        id="reg.official",
        brand=review.entity if review else "",
        observed_at=review.reviewed_at if review else None,
        valid_until=review.review_expires_at if review else None,
        detail=_reviewers(review, alone=alone) if review else "",
    )


def _reviewers(review: Relationship, *, alone: bool) -> str:
    whose = f"reviewed by {review.review_source}"
    return f"{whose}, by one person; this action takes the review of two" if alone else whose


def _statuses(evidence: Sequence[Evidence]) -> dict[EvidenceType, EvidenceStatus]:
    """Each type's status: the worst of its pieces, so that one good answer never hides a bad one."""
    tried = {each.type: each.status for each in evidence}
    if len(tried) < len(evidence):
        for each in evidence:
            if _WORST[each.status] < _WORST[tried[each.type]]:
                tried[each.type] = each.status
    return _NOTHING_TRIED | tried


def _in_time(
    statuses: dict[EvidenceType, EvidenceStatus], evidence: Sequence[Evidence], tier: Tier, now: int
) -> dict[EvidenceType, EvidenceStatus]:
    """The same, with what is too old for the tier, or from the future, called stale. A review has its own end."""
    judged = statuses.copy()
    oldest = now - tier.max_evidence_age_s * 1000
    for each in evidence:
        at, until = each.observed_at, each.valid_until
        if at is None or each.status != "observed":
            continue
        old = at < oldest and each.type != "registry_review"
        if old or at > now or (until is not None and until <= now):
            judged[each.type] = "stale"
    return judged


def statuses_for(tier: Tier, evidence: Sequence[Evidence], now: int) -> dict[EvidenceType, EvidenceStatus]:
    """Each type's status as the policy judges it: the worst of its pieces, and stale where its time is over."""
    return _in_time(_statuses(evidence), evidence, tier, now)


def _risk(found: Standing, evidence: Sequence[Evidence]) -> RiskStatus:
    """Apart from the relationship: a look-alike of a verified domain's own brand is no risk to it."""
    if "non_public_address" in found.reasons:
        return "risk_not_assessed"
    if found.status == "suspected_impersonation":
        return "high_risk_signal_observed"
    elevated = False
    for each in evidence:
        if each.summary_code == "mixed_script_host":
            elevated = True
        if each.status != "observed" or each.type in _NO_RISK:
            continue
        if found.review is not None and each.type == "structured_data_claim" and each.brand == found.review.entity:
            continue  # that a page names its reviewed owner and the owner's other domain is what a page of theirs does
        if each.strength in _WEIGHTY:
            return "high_risk_signal_observed"
        elevated = elevated or each.strength == "medium"
    return "elevated_risk_signal_observed" if elevated else "no_high_risk_signal_observed"


def _confidence(
    found: Standing, risk: RiskStatus, tier: Tier, statuses: dict[EvidenceType, EvidenceStatus]
) -> ConfidenceClass:
    """From coverage alone: how much of what would have to be seen was seen."""
    if risk == "risk_not_assessed":
        return "insufficient"
    if risk == "high_risk_signal_observed" or found.status == "disputed":
        return "high"
    if found.status in VERIFIED and not [each for each in tier.evidence if statuses[each] != "observed"]:
        return "high"
    return "medium" if "observed" in [statuses[kind] for kind in _NETWORK] else "low"


def _unknowns(
    case: Case, tier: Tier, found: Standing, statuses: dict[EvidenceType, EvidenceStatus]
) -> tuple[Unknown, ...]:
    """What a check that the tier requires or consults could not tell, in the order of the list of unknowns."""
    asked = {*tier.evidence, *tier.consults}
    unknown: set[Unknown] = set()
    for kind, each in network.unknowns_of(case.target, case.seen).items():
        if each and kind in asked and "non_public_address" not in found.reasons:
            unknown.update(each)
    if "threat_list_check" in asked and statuses["threat_list_check"] != "observed":
        stale = statuses["threat_list_check"] == "stale"
        unknown.add("threat_list_stale" if stale else "threat_list_not_configured")
    if "structured_data_claim" in asked and statuses["structured_data_claim"] not in _READ:
        unknown.add("structured_data_not_inspected")
        if case.seen is None or case.seen.http.status != "observed":
            unknown.add("page_content_not_inspected")
    unconfirmed = found.status in {"unverified", "claimed_unreviewed"}
    if "registry_review" in asked and (unconfirmed or (found.review and statuses["registry_review"] != "observed")):
        unknown.add("official_relationship_not_confirmed")
        if unconfirmed and case.target.hosted:
            unknown.add("shared_hosting_tenant_not_attributable")
    return tuple(each for each in UNKNOWNS if each in unknown) if unknown else ()


def _reasons(found: Standing, evidence: Sequence[Evidence], deciding: tuple[Line, ...]) -> tuple[ReasonCode, ...]:
    """Why the decision is what it is: the relationship's reasons, then what else weighed, never an empty list."""
    reasons: list[ReasonCode] = list(found.reasons)
    if "non_public_address" in reasons:
        return ("non_public_address",)
    for each in evidence:
        if each.strength == "context":
            continue
        if why := _WHY_BY_ID.get(each.id) or _WHY.get(each.summary_code or ""):
            reasons.append(why)
    if deciding and found.status in VERIFIED and {"evidence", "unknowns", "confidence"} & set(deciding):
        reasons.append("required_evidence_missing")
    if len(reasons) > 1:
        reasons = list(dict.fromkeys(reasons))
    return tuple(reasons) or ("no_decisive_signal",)


def _expires_at(
    case: Case,
    policy: Policy,
    tier: Tier,
    found: Standing,
    evidence: Sequence[Evidence],
    deciding: tuple[Line, ...],
) -> int:
    """The earliest of all bounds: the outcome's own, the evidence it rests on, the review, the policy's end."""
    now = case.now
    ends = now + _holds_s(case, policy, tier, found, evidence, deciding) * 1000
    for each in evidence:
        until = each.valid_until
        if until is None or not now < until < ends:
            continue
        if not deciding or each.strength in _WEIGHTY or each.type == "registry_review":
            ends = until
    if policy.ends_at is not None:
        ends = min(ends, policy.ends_at)
    return max(ends, now)


def _holds_s(
    case: Case, policy: Policy, tier: Tier, found: Standing, evidence: Sequence[Evidence], deciding: tuple[Line, ...]
) -> int:
    if not deciding:
        return tier.allow_s
    if any(each.id == "list.match" for each in evidence):
        return policy.stop_s.threat_list_match
    if found.status == "suspected_impersonation":
        return policy.stop_s.suspected_impersonation
    if case.seen is not None and any(part.status == "failed" for part in case.seen.parts):
        return policy.stop_s.failed_network
    return policy.stop_s.missing_evidence
