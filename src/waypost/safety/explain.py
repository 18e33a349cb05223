"""Explanations of decisions: the lines of the policy tier and the signals that fired, derived from the decision."""

from __future__ import annotations

from typing import Any

from waypost.models.decision import Decision, Evidence, EvidenceStatus, EvidenceType
from waypost.models.explanation import Consequence, Explanation, Line, SignalMatch, TierRow
from waypost.registry.world import World
from waypost.safety.catalogue import catalogue
from waypost.safety.decide import policy_for
from waypost.safety.declared import ID, tier_of
from waypost.safety.evidence import statuses_for
from waypost.safety.policy import Tier


def explain(decision: Decision, world: World, now: int, policy_file: str = "") -> Explanation:
    """Explanation of a decision.

    now          clock of the decision, in milliseconds since 1970
    policy_file  text of the operator's own policy that decided
    """
    policy = policy_for(world, decision.policy_version, policy_file)
    tier = policy.tier(decision.action)
    if policy.declared_merchants is not None and decision.relationship_status == "declared_merchant":
        tier = tier_of(policy.declared_merchants, tier)
    sentences = world.document("codes.json")["summary_codes"]
    return Explanation(
        policy.version,
        tier.tier,
        tier.actions,
        tier.because,
        tuple(_rows(decision, tier, statuses_for(tier, decision.evidence, now))),
        tuple(_fired(piece, sentences) for piece in decision.evidence if piece.strength != "context"),
    )


def _rows(decision: Decision, tier: Tier, statuses: dict[EvidenceType, EvidenceStatus]) -> list[TierRow]:
    def row(line: Line, required: list[str], found: list[str], consequence: Consequence) -> TierRow:
        return TierRow(line, line not in decision.deciding, tuple(required), tuple(found), consequence)

    blocking: list[str] = [unknown for unknown in decision.unknowns if unknown in tier.blocking_unknowns]
    consequence: Consequence = (
        "action_requires_verified_relationship" if tier.sensitive else "relationship_not_accepted_for_action"
    )
    frozen = [code for code in ("actions_frozen", "action_not_permitted") if code in decision.reason_codes]
    return [
        row("action", list(tier.actions), [decision.action, *frozen], "policy_does_not_name_action"),
        row("relationship", sorted(tier.relationship), _relationship(decision, tier), consequence),
        row("risk", sorted(tier.risk), [decision.risk_status], "risk_signal_blocks_action"),
        row(
            "evidence",
            [f"{kind} observed" for kind in tier.evidence],
            [f"{kind} {statuses[kind]}" for kind in tier.evidence],
            "action_requires_evidence",
        ),
        row(
            "unknowns",
            [f"no {unknown}" for unknown in sorted(tier.blocking_unknowns)],
            blocking,
            "unknown_blocks_action",
        ),
        row(
            "confidence",
            [f"{tier.min_confidence} or more"],
            [decision.confidence_class],
            "action_requires_confidence",
        ),
    ]


def _relationship(decision: Decision, tier: Tier) -> list[str]:
    other = ["of another owner than intended"] if "counterparty_mismatch" in decision.reason_codes else []
    withholding = [unknown for unknown in decision.unknowns if unknown in tier.withholding_unknowns]
    # Facts that a shop outside the registry lacks, under a policy that permits declared merchants.
    lacking = [f"{each.id} {each.status}" for each in decision.evidence if each.id.startswith(ID)]
    lacking = [each for each in lacking if not each.endswith(" observed")]
    return [decision.relationship_status, *other, *withholding, *lacking]


def _fired(evidence: Evidence, sentences: dict[str, str]) -> SignalMatch:
    code = evidence.summary_code
    doc = next((signal.doc for signal in catalogue().values() if signal.summary_code == code), "")
    about = " ".join(doc.partition("\nSource:")[0].split()) or sentences.get(code or "", "")
    return SignalMatch(code, evidence.strength, evidence.type, evidence.brand, evidence.detail, about)


def explanation_to_dict(explanation: Explanation) -> dict[str, Any]:
    """Explanation as JSON members; empty members are left out."""
    rows = [
        {"line": row.line, "holds": row.holds, "required": list(row.required), "found": list(row.found)}
        | ({} if row.holds else {"consequence": row.consequence})
        for row in explanation.rows
    ]
    signals = [{name: value for name, value in piece._asdict().items() if value} for piece in explanation.signals]
    return {
        "policy_version": explanation.policy_version,
        "tier": explanation.tier,
        "actions": list(explanation.actions),
        "because": explanation.because,
        "lines": rows,
        "signals": signals,
    }
