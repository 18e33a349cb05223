"""Policies: lines to be met in full before an action may go ahead. Policies are data, read by a fixed engine.

The engine fixes the rest: the default is stop, a line fails closed where the input is missing, and a sensitive action
always takes a reviewed relationship, the absence of risk and the evidence of a review.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache

import msgspec

from waypost.errors import PolicyError, UnknownPolicy
from waypost.formats.text import near
from waypost.models.decision import (
    ACTIONS,
    CONFIDENCE_CLASSES,
    UNSPECIFIED,
    Action,
    ConfidenceClass,
    EvidenceStatus,
    EvidenceType,
    ReasonCode,
    RelationshipStatus,
    RiskStatus,
    Unknown,
)
from waypost.models.explanation import Line
from waypost.registry.world import World

DEFAULT = "baseline-2026-11-29"
VERIFIED: frozenset[RelationshipStatus] = frozenset({"verified_official", "verified_affiliate"})
HARMLESS: frozenset[Action] = frozenset({"visit"})
"""Actions that give nothing away; the rest are sensitive, whatever a policy says."""
GRAVE: frozenset[str] = frozenset({"payment", "checkout", "login", "identity_file_transfer", UNSPECIFIED})
"""Irreversible actions: the review of a single person is not evidence for them."""

LONGEST_ALLOW_S = 3600
"""Longest lifetime of an approval of a sensitive action, and of the evidence behind it, in seconds."""
LONGEST_S = 86_400
"""Longest lifetime of every other decision, in seconds."""


class Tier(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Lines required for some actions. Times are in seconds.

    evidence   types required to be `observed` and not out of date
    consults   types checked and reported, but not required; their unknowns are listed and do not weigh
    further_unknowns      unknowns about the whole URL, the owner since the review, and the intended owner
    withholding_unknowns  unknowns among them with which the relationship is not confirmed
    """

    tier: int
    actions: tuple[Action, ...]
    relationship: frozenset[RelationshipStatus]
    risk: frozenset[RiskStatus]
    evidence: tuple[EvidenceType, ...]
    consults: tuple[EvidenceType, ...] = ()
    min_confidence: ConfidenceClass
    blocking_unknowns: frozenset[Unknown] = frozenset()
    further_unknowns: frozenset[Unknown] = frozenset()
    withholding_unknowns: frozenset[Unknown] = frozenset()
    max_evidence_age_s: int
    allow_s: int
    because: str

    @property
    def sensitive(self) -> bool:
        return not set(self.actions) <= HARMLESS


class StopTimes(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Lifetime of a stop in seconds, by cause."""

    missing_evidence: int
    failed_network: int
    suspected_impersonation: int
    threat_list_match: int
    network_check_not_made: int = 5


class DeclaredMerchants(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Shops outside the registry that an operator's own policy permits to pay at.

    domains  registrable domains of the shops; `*` for any shop
    amounts  most that may be paid, by currency, in its minor unit
    min_domain_age_days   age of the registration
    min_certificate_days  time since the first valid certificate that the service has seen at the host
    """

    actions: frozenset[Action]
    domains: frozenset[str]
    amounts: Mapping[str, int]
    min_domain_age_days: int = 365
    min_certificate_days: int = 90
    allow_s: int = 300
    because: str


class Policy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Policy as released.

    date             day of release, an ISO date: never later than the decisions
    replaces         versions that a bare id no longer means, whatever their dates
    until            last day of use, an ISO date; None for no end
    further_reasons  reason codes later than the first policy, which decisions by this policy may list
    second_fact      a name that is not decisive accuses only with a fact of another kind
    accusation_by_names  confidence of an imitation that names alone suggest, without a decisive signal
    all_unknowns     unknowns of a host without a connection by intention are listed too
    follows_referrers  a checkout at a reviewed shop leads to payment pages of the providers in the shop's file
    receiver_may_be_intended  the intended owner may be the reviewed receiver of a sign-in
    front_page_may_hang  name and certificate are the network evidence of a reviewed host without an answer over HTTP
    never                actions that an operator's own policy never allows
    declared_merchants   shops outside the registry that an operator's own policy permits
    """

    policy_id: str
    date: str
    about: str
    tiers: tuple[Tier, ...]
    stop_s: StopTimes
    replaces: tuple[str, ...] = ()
    until: str | None = None
    further_reasons: frozenset[ReasonCode] = frozenset()
    accusation_by_names: ConfidenceClass = "high"
    all_unknowns: bool = False
    front_page_may_hang: bool = False
    receiver_may_be_intended: bool = False
    follows_referrers: bool = False
    second_fact: bool = False
    never: frozenset[Action] = frozenset()
    declared_merchants: DeclaredMerchants | None = None

    @property
    def version(self) -> str:
        return f"{self.policy_id}-{self.date}"

    @property
    def ends_at(self) -> int | None:
        """End of use, exclusive, in milliseconds since 1970."""
        if self.until is None:
            return None
        return int((datetime.fromisoformat(self.until).replace(tzinfo=UTC) + timedelta(days=1)).timestamp() * 1000)

    def tier(self, action: str) -> Tier:
        """Tier of an action; the strictest for an unspecified action. Raises KeyError."""
        if action == UNSPECIFIED:
            # An action that the caller left open could be any: the strictest tier covers them all.
            return max(self.tiers, key=lambda tier: tier.tier)
        for tier in self.tiers:
            if action in tier.actions:
                return tier
        raise KeyError(action)


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """Complete input of a policy. An absent evidence type was not attempted.

    withheld  the relationship is not with the intended owner, or not confirmed for this URL
    """

    relationship: RelationshipStatus
    risk: RiskStatus
    confidence: ConfidenceClass
    evidence: Mapping[EvidenceType, EvidenceStatus]
    unknowns: frozenset[Unknown]
    withheld: bool = False


def failed_lines(tier: Tier, action: str, facts: Facts) -> tuple[Line, ...]:
    """Lines of the tier not met. The action may go ahead only if the result is empty."""
    missing: list[Line] = []
    # Only `unspecified` is in no tier, so that it never goes ahead.
    if action not in tier.actions:
        missing.append("action")
    if facts.withheld or facts.relationship not in tier.relationship:
        missing.append("relationship")
    if facts.risk not in tier.risk:
        missing.append("risk")
    if [kind for kind in tier.evidence if facts.evidence.get(kind) != "observed"]:
        missing.append("evidence")
    if not facts.unknowns.isdisjoint(tier.blocking_unknowns):
        missing.append("unknowns")
    if _RANK[facts.confidence] > _RANK[tier.min_confidence]:
        missing.append("confidence")
    return tuple(missing)


_RANK = {name: rank for rank, name in enumerate(CONFIDENCE_CLASSES)}


def at_least(confidence: ConfidenceClass, least: ConfidenceClass) -> bool:
    return _RANK[confidence] <= _RANK[least]


def read(data: bytes, file: str) -> Policy:
    """Policy of a file. Raises PolicyError, also for a policy allowing a sensitive action on too little evidence."""
    try:
        policy = msgspec.json.decode(data, type=Policy)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise PolicyError(file, str(error)) from None
    # The name is what decisions and records cite: it must not point to other rules.
    if file != policy.version:
        raise PolicyError(file, f"the file says it is {policy.version}")
    if policy.never or policy.declared_merchants:
        raise PolicyError(file, "`never` and `declared_merchants` are for operators' own policies")
    if reason := refusal(policy):
        raise PolicyError(file, reason)
    return policy


def refusal(policy: Policy) -> str:
    """Reason to reject a policy, which would let a sensitive action through on too little; empty for a safe one."""
    try:
        _ = policy.ends_at
    except (ValueError, OverflowError):
        return "`until` is not a day as in 2026-11-20"
    named = [action for tier in policy.tiers for action in tier.actions]
    if sorted(named) != sorted(ACTIONS):
        return "every action must stand in exactly one tier"
    for tier in policy.tiers:
        if tier.sensitive and (reason := _unsafe(tier)):
            return f"tier {tier.tier} {reason}"
    if reason := _unreasonable(policy):
        return reason
    return "" if policy.tier(UNSPECIFIED).sensitive else "the strictest tier must be a sensitive one"


_WHERE_IT_LEADS: frozenset[Unknown] = frozenset(
    {"redirect_target_not_checked", "claimed_brand_unknown", "sign_in_receiver_not_checked", "page_publisher_unknown"}
)
"""Unknowns with which no one can know whose page an action is about, or who gets its result."""


def _unsafe(tier: Tier) -> str:
    """Reason to reject a tier of sensitive actions; empty for a safe tier."""
    if not tier.relationship <= VERIFIED:
        return "accepts a relationship that no review has verified"
    if tier.risk != {"no_high_risk_signal_observed"}:
        return "accepts a destination on which a risk was seen, or none was searched for"
    if not {"registry_review", "lexical_check"} <= set(tier.evidence):
        return "does not require registry_review and lexical_check"
    if not at_least(tier.min_confidence, "medium"):
        return "is content with less than medium confidence"
    if not GRAVE.isdisjoint(tier.actions):
        if "automated_network_check" not in tier.evidence:
            return "lets an irreversible action through without automated_network_check"
        if not at_least(tier.min_confidence, "high"):
            return "lets an irreversible action through with less than high confidence"
        if "tls_not_checked" not in tier.blocking_unknowns:
            return "lets an irreversible action through over a connection whose encryption was not checked"
    if tier.further_unknowns & _WHERE_IT_LEADS - tier.withholding_unknowns:
        return "lists an unknown destination or an unknown brand, and allows the action all the same"
    if not tier.because.strip():
        return "does not say why in `because`"
    return ""


def _unreasonable(policy: Policy) -> str:
    """Reason to reject the times of a policy; empty for times that a reviewer would sign."""
    for tier in policy.tiers:
        longest = LONGEST_ALLOW_S if tier.sensitive else LONGEST_S
        for name in ("allow_s", "max_evidence_age_s"):
            if not 1 <= getattr(tier, name) <= longest:
                return f"tier {tier.tier}: {name} is not between 1 and {longest} seconds"
    for name in StopTimes.__struct_fields__:
        if not 1 <= getattr(policy.stop_s, name) <= LONGEST_S:
            return f"stop_s: {name} is not between 1 and {LONGEST_S} seconds"
    return ""


@lru_cache(maxsize=4)
def policies(world: World) -> dict[str, Policy]:
    """Policies of the world by version. Raises PolicyError for any rejected file, so an operator notices."""
    found = {}
    for path in world.files:
        if path.startswith("policies/"):
            name = path.removeprefix("policies/").removesuffix(".json")
            found[name] = read(world.files[path], name)
    return found


def find(world: World, name: str = DEFAULT) -> Policy:
    """Policy by version, or the newest policy of a bare id. Raises UnknownPolicy."""
    known = policies(world)
    if name in known:
        return known[name]
    replaced = {version for policy in known.values() for version in policy.replaces}
    # Dates are ISO, so that the order of the names is the order of the days.
    dated = sorted(version for version, policy in known.items() if policy.policy_id == name and version not in replaced)
    if not dated:
        raise UnknownPolicy(name, near(name, known))
    return known[dated[-1]]
