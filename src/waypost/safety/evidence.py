"""Evidence for a decision from observations, names and the URL, and its status by type."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from waypost.models.decision import EVIDENCE_TYPES, Evidence, EvidenceStatus, EvidenceType, Target
from waypost.registry.world import World
from waypost.safety import network_evidence, url_evidence
from waypost.safety.brand_index import brand_index_of
from waypost.safety.catalogue import signals_taking
from waypost.safety.decision_input import DecisionInput
from waypost.safety.host_reading import HostReading
from waypost.safety.policy import Tier

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
_NOT_ATTEMPTED: dict[EvidenceType, EvidenceStatus] = dict.fromkeys(EVIDENCE_TYPES, "not_attempted")
_READ_AS_A_NAME = Evidence(type="lexical_check", status="observed", id="lex")


def gather_evidence(case: DecisionInput, world: World) -> list[Evidence]:
    """Evidence of the signals, and a piece of evidence per check, made or not.

    Evidence from outside counts only with a type of `_FROM_OUTSIDE`, never with the type of a check made here.
    """
    found = [_READ_AS_A_NAME]
    found += [piece for piece in case.further if piece.type in _FROM_OUTSIDE]
    found += case.remembered
    found += network_evidence.checks(case.target, case.seen, case.now)
    found += _by_name(case.target, world)
    if not case.reading.is_plain:
        found += url_evidence.evidence_of(case.target, case.reading)
    if case.seen is not None:
        found += network_evidence.signals(
            case.target, case.seen, world, brand_index_of(world), case.now, trusted=case.trust_shipped_reviews
        )
    return found


@lru_cache(maxsize=4096)
def _by_name(target: Target, world: World) -> tuple[Evidence, ...]:
    """Evidence of the signals about host and URL. Cached, because these signals depend on no clock."""
    found: list[Evidence] = []
    for signal in signals_taking("target"):
        found += signal.observe(target)
    reading = HostReading(target, brand_index_of(world))
    # A signal about names has nothing to look at where no name was found, as in most hosts.
    if reading.matches:
        for signal in signals_taking("reading"):
            found += signal.observe(reading)
    return tuple(found)


def statuses_of(evidence: Sequence[Evidence]) -> dict[EvidenceType, EvidenceStatus]:
    """Status by evidence type: the worst of the pieces, so that a good answer never hides a bad one."""
    # Most decisions have a single piece of evidence per type: then the loop is not needed.
    tried = {piece.type: piece.status for piece in evidence}
    if len(tried) < len(evidence):
        for piece in evidence:
            if _WORST[piece.status] < _WORST[tried[piece.type]]:
                tried[piece.type] = piece.status
    return _NOT_ATTEMPTED | tried


def in_time(
    statuses: dict[EvidenceType, EvidenceStatus], evidence: Sequence[Evidence], tier: Tier, now: int
) -> dict[EvidenceType, EvidenceStatus]:
    """Statuses with `stale` for evidence too old for the tier, or from the future.

    Reviews have an expiry of their own and are exempt from the tier's maximum age.
    """
    current = statuses
    oldest = now - tier.max_evidence_age_s * 1000
    for piece in evidence:
        at, until = piece.observed_at, piece.valid_until
        if at is None or piece.status != "observed":
            continue
        # Evidence from the future means a wrong clock somewhere, so its age is unknown: fail closed.
        if at <= now and (until is None or now < until) and (oldest <= at or piece.type == "registry_review"):
            continue
        current = current | {piece.type: "stale"}
    return current


def statuses_for(tier: Tier, evidence: Sequence[Evidence], now: int) -> dict[EvidenceType, EvidenceStatus]:
    """Status by evidence type for the policy: the worst of the pieces, and stale where evidence has expired."""
    return in_time(statuses_of(evidence), evidence, tier, now)
