"""JSON form of a decision, after `schemas/api/decision.schema.json`; absent members are left out."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from waypost.formats.text import timestamp
from waypost.models.decision import Decision, Evidence, Inclusion

CHECK_URL: frozenset[Inclusion] = frozenset({"evidence_summary", "policy_version"})
"""Members that check-url includes; agent-safety includes only those that the request names."""


def decision_to_dict(
    decision: Decision, include: Collection[str] = (), dispute_path: str | None = None
) -> dict[str, Any]:
    """Decision as JSON members. `include` names the optional members to add."""
    members: dict[str, Any] = {
        "decision_id": decision.decision_id,
        "normalized_domain": decision.normalized_domain,
        "relationship_status": decision.relationship_status,
        "risk_status": decision.risk_status,
        "action": decision.action,
        "action_allowed": decision.action_allowed,
        "reason_codes": list(decision.reason_codes),
    }
    if decision.official_alternative is not None:
        members["official_alternative"] = decision.official_alternative
    if "evidence_summary" in include:
        members["evidence_summary"] = [_piece_to_dict(piece) for piece in decision.evidence]
    if "policy_version" in include:
        members["policy_version"] = decision.policy_version
    members["confidence_class"] = decision.confidence_class
    members["unknowns"] = list(decision.unknowns)
    members["expires_at"] = timestamp(decision.expires_at)
    if dispute_path is not None:
        members["dispute_path"] = dispute_path
    return members


def _piece_to_dict(evidence: Evidence) -> dict[str, Any]:
    """Evidence with times. Brand and strength are left to the explanation."""
    piece: dict[str, Any] = {"type": evidence.type, "status": evidence.status}
    if name := evidence.id:
        piece["id"] = name
    if (at := evidence.observed_at) is not None:
        piece["observed_at"] = timestamp(at)
    if (until := evidence.valid_until) is not None:
        piece["valid_until"] = timestamp(until)
    if code := evidence.summary_code:
        piece["summary_code"] = code
    return piece
