"""Explanation of a decision: conditions of the policy tier with their outcomes, and the signals that matched."""

from __future__ import annotations

from typing import Literal, NamedTuple

from waypost.models.decision import EvidenceType, Strength, SummaryCode

Line = Literal["action", "relationship", "risk", "evidence", "unknowns", "confidence"]
"""Conditions of a policy tier; an action may go ahead only if all hold."""
Consequence = Literal[
    "policy_does_not_name_action",
    "action_requires_verified_relationship",
    "relationship_not_accepted_for_action",
    "risk_signal_blocks_action",
    "action_requires_evidence",
    "unknown_blocks_action",
    "action_requires_confidence",
]


class TierRow(NamedTuple):
    """Condition of a policy tier: required values, found values, and the consequence where the condition fails."""

    line: Line
    holds: bool
    required: tuple[str, ...]
    found: tuple[str, ...]
    consequence: Consequence


class SignalMatch(NamedTuple):
    """Signal that matched. `detail` describes the match, `about` the signal in general, `brand` is a slug."""

    summary_code: SummaryCode | None
    strength: Strength
    type: EvidenceType
    brand: str
    detail: str
    about: str


class Explanation(NamedTuple):
    """Rows and signals behind a decision. `actions`: scope of the tier; `because`: the policy's reason for the tier."""

    policy_version: str
    tier: int
    actions: tuple[str, ...]
    because: str
    rows: tuple[TierRow, ...]
    signals: tuple[SignalMatch, ...]
