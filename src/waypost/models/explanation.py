"""Why a decision is what it is: the row of the policy that applied, line by line, and what each signal saw."""

from __future__ import annotations

from typing import Literal, NamedTuple

from waypost.models.decision import EvidenceType, Strength, SummaryCode

Line = Literal["action", "relationship", "risk", "evidence", "unknowns", "confidence"]
"""The lines of a policy's tier; an action may go ahead only if all of them hold."""
Consequence = Literal[
    "policy_does_not_name_action",
    "action_requires_verified_relationship",
    "relationship_not_accepted_for_action",
    "risk_signal_blocks_action",
    "action_requires_evidence",
    "unknown_blocks_action",
    "action_requires_confidence",
]


class Row(NamedTuple):
    """One line of the policy's tier: what it asks for, what there was, and what follows where it does not hold."""

    line: Line
    holds: bool
    required: tuple[str, ...]
    found: tuple[str, ...]
    consequence: Consequence


class Fired(NamedTuple):
    """A signal that spoke: how strongly, of which brand, what it saw, and what it looks for in general."""

    summary_code: SummaryCode | None
    strength: Strength
    type: EvidenceType
    brand: str
    detail: str
    about: str


class Explanation(NamedTuple):
    """`actions` are all that the tier applies to, `because` is the policy's own reason for it."""

    policy_version: str
    tier: int
    actions: tuple[str, ...]
    because: str
    rows: tuple[Row, ...]
    signals: tuple[Fired, ...]
