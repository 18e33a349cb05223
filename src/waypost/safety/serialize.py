"""JSON form of a decision, after `schemas/api/decision.schema.json`; absent members are left out."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import Any

import msgspec

from waypost.formats.text import timestamp
from waypost.models.decision import Decision, Inclusion, Target
from waypost.models.wire.evidence import Evidence

CHECK_URL: frozenset[Inclusion] = frozenset({"evidence_summary", "policy_version"})
"""Members that check-url includes; agent-safety includes only those that the request names."""


def decision_to_dict(
    decision: Decision, include: Collection[str] = (), dispute_path: str | None = None
) -> dict[str, Any]:
    """Decision as JSON members. `include` names the optional members to add."""
    members: dict[str, Any] = msgspec.to_builtins(decision_members(decision, include, dispute_path))
    return members


def decision_members(
    decision: Decision, include: Collection[str] = (), dispute_path: str | None = None
) -> dict[str, Any]:
    """Members as in `decision_to_dict`, for the JSON encoder: evidence are structs."""
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
        members["evidence_summary"] = evidence_summary(decision)
    if "policy_version" in include:
        members["policy_version"] = decision.policy_version
    members["confidence_class"] = decision.confidence_class
    members["unknowns"] = list(decision.unknowns)
    members["expires_at"] = timestamp(decision.expires_at)
    if dispute_path is not None:
        members["dispute_path"] = dispute_path
    return members


def evidence_summary(decision: Decision) -> tuple[Evidence, ...]:
    """Evidence of a decision as in an answer. Brand and strength are left to the explanation."""
    return tuple(
        Evidence(
            piece.type,
            piece.status,
            piece.id,
            _written(piece.observed_at),
            _written(piece.valid_until),
            piece.summary_code,
            piece.suggested_alternative or None,
        )
        for piece in decision.evidence
    )


@lru_cache(maxsize=4096)
def _written(at: int | None) -> str | None:
    return None if at is None else timestamp(at)


def host_members(target: Target) -> dict[str, Any]:
    """Members of a domain's profile from the name alone."""
    return {
        "normalized_domain": target.host,
        "unicode_domain": target.unicode_host,
        "registrable_domain": target.registrable,
        "public_suffix": target.suffix,
        "is_idn": not target.unicode_host.isascii(),
        "scripts": list(target.scripts),
    }
