"""Effect of each check on a decision: the decision made again without the check, or with a good result.

Every effect is a decision by the same engine, policy and clock. Nothing is weighed or added up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from waypost.models.decision import EVIDENCE_TYPES, Decision, EvidenceStatus, EvidenceType
from waypost.models.observation import (
    DnsObservation,
    Hop,
    HttpObservation,
    Observation,
    Observations,
    RegistrationObservation,
    TlsObservation,
)
from waypost.models.relationship import Relationship
from waypost.registry.world import World
from waypost.safety.decide import decide, policy_for
from waypost.safety.decision_input import DecisionInput
from waypost.safety.evidence import statuses_for

_DAY_MS = 86_400_000
Change: TypeAlias = Literal["without", "with"]
_Variant: TypeAlias = Callable[[DecisionInput], DecisionInput | None]


class Effect(NamedTuple):
    """Check of a decision, and the decision that comes of the one change.

    status   worst result of the check, as the policy reads it
    change   "without": the check is left out; "with": the check is made and finds nothing against the destination
    allowed  whether the action is allowed after the change
    unmet    rows of the policy that are not met after the change
    """

    type: EvidenceType
    status: EvidenceStatus
    change: Change
    allowed: bool
    unmet: tuple[str, ...]


def effects(case: DecisionInput, decision: Decision, world: World) -> list[Effect]:
    """Effects of the checks of a decision: first the turning ones, then the checks that the policy requires.

    The host name is always read: no decision exists without that check, so that the check has no effect here.
    """
    tier = policy_for(world, case.policy, case.policy_file).tier(case.action)
    statuses = statuses_for(tier, decision.evidence, case.now)
    found = [effect for kind in _VARIANTS if (effect := _effect(kind, case, statuses[kind], world))]
    required = {kind: place for place, kind in enumerate(tier.evidence)}

    def rank(effect: Effect) -> tuple[bool, int]:
        return effect.allowed == decision.action_allowed, required.get(effect.type, len(required))

    return sorted(found, key=rank)


def effect_text(effect: Effect, *, allowed: bool) -> str:
    """Effect in a sentence. `allowed`: whether the decision allows the action."""
    if effect.change == "without":
        start = "Without it"
    elif effect.type == "registry_review":
        start = "With a valid review of the owner"
    else:
        start = "With a good result"
    if effect.allowed:
        return f"{start}: {'still allowed' if allowed else 'allowed'}."
    unmet = f", not met: {', '.join(effect.unmet)}" if effect.unmet else ""
    return f"{start}: {'a stop' if allowed else 'still a stop'}{unmet}."


def _effect(kind: EvidenceType, case: DecisionInput, status: EvidenceStatus, world: World) -> Effect | None:
    """Effect of one check; None with nothing to leave out and nothing to add."""
    change: Change = "without" if status == "observed" else "with"
    without, with_it = _VARIANTS[kind]
    changed = (without if change == "without" else with_it)(case)
    if changed is None:
        return None
    made = decide(changed, world)
    return Effect(kind, status, change, made.action_allowed, made.deciding)


def _without_review(case: DecisionInput) -> DecisionInput:
    return msgspec.structs.replace(case, relationships=(), trust_shipped_reviews=False)


def _with_review(case: DecisionInput) -> DecisionInput:
    owners = case.counterparties or ("reviewed-owner",)
    review = Relationship(
        id="effect:review",
        domain=case.target.host,
        scope="host",
        entity=owners[0],
        state="accepted",
        review_source="a review",
        reviewed_at=case.now - _DAY_MS,
        review_expires_at=case.now + _DAY_MS,
        grave=True,
    )
    # Other reviews would stay beside a new one.
    return msgspec.structs.replace(case, relationships=(review,))


def _seen(case: DecisionInput) -> Observations:
    """Observations of a case; of nothing where no check of the network was made."""
    if case.seen is not None:
        return case.seen
    now = case.now
    return Observations(
        host=case.target.host,
        observed_at=now,
        dns=DnsObservation(status="not_attempted", observed_at=now, valid_until=now),
        tls=TlsObservation(status="not_attempted", observed_at=now, valid_until=now),
        http=HttpObservation(status="not_attempted", observed_at=now, valid_until=now),
        registration=RegistrationObservation(status="not_attempted", observed_at=now, valid_until=now),
    )


def _replaced(case: DecisionInput, **parts: Observation) -> DecisionInput:
    return msgspec.structs.replace(case, seen=msgspec.structs.replace(_seen(case), **parts))


def _without_network(case: DecisionInput) -> DecisionInput:
    # Certificate and page come over the connection.
    return msgspec.structs.replace(case, seen=None)


def _with_network(case: DecisionInput) -> DecisionInput:
    now, target = case.now, case.target
    until = now + _DAY_MS
    hop = Hop(scheme=target.scheme, host=target.host, port=target.port, status=200)
    return _replaced(
        case,
        dns=DnsObservation(status="observed", addresses=("198.51.100.1",), observed_at=now, valid_until=until),
        http=HttpObservation(
            status="observed", hops=(hop,), answer=200, media_type="text/html", observed_at=now, valid_until=until
        ),
        **_certificate(case),
    )


def _certificate(case: DecisionInput) -> dict[str, Observation]:
    until = case.now + _DAY_MS
    return {"tls": TlsObservation(status="observed", valid=True, observed_at=case.now, valid_until=until)}


def _without_certificate(case: DecisionInput) -> DecisionInput:
    now = case.now
    unknown = TlsObservation(
        status="not_attempted",
        unknowns=("tls_not_checked", "certificate_history_unavailable"),
        observed_at=now,
        valid_until=now + _DAY_MS,
    )
    return _replaced(case, tls=unknown)


def _with_certificate(case: DecisionInput) -> DecisionInput | None:
    return None if case.seen is None else _replaced(case, **_certificate(case))


def _without_registration(case: DecisionInput) -> DecisionInput:
    now = case.now
    unknown = RegistrationObservation(
        status="not_attempted", unknowns=("registration_age_unavailable",), observed_at=now, valid_until=now + _DAY_MS
    )
    return _replaced(case, registration=unknown)


def _with_registration(case: DecisionInput) -> DecisionInput | None:
    if case.seen is None:
        return None
    now = case.now
    known = RegistrationObservation(
        status="observed", registered_at=now - 1000 * _DAY_MS, observed_at=now, valid_until=now + _DAY_MS
    )
    return _replaced(case, registration=known)


def _without(kind: EvidenceType) -> _Variant:
    def without(case: DecisionInput) -> DecisionInput | None:
        left = tuple(piece for piece in case.further if piece.type != kind)
        return msgspec.structs.replace(case, further=left) if len(left) < len(case.further) else None

    return without


def _nothing(_case: DecisionInput) -> None:
    return None


def _without_statement(case: DecisionInput) -> DecisionInput | None:
    stated = bool(case.counterparties or case.payment or case.referrer)
    return msgspec.structs.replace(case, counterparties=(), payment=None, referrer=None) if stated else None


def _variants() -> Iterator[tuple[EvidenceType, tuple[_Variant, _Variant]]]:
    made: dict[EvidenceType, tuple[_Variant, _Variant]] = {
        "registry_review": (_without_review, _with_review),
        "automated_network_check": (_without_network, _with_network),
        "certificate_check": (_without_certificate, _with_certificate),
        "registration_data_check": (_without_registration, _with_registration),
        "caller_supplied": (_without_statement, _nothing),
    }
    for kind in EVIDENCE_TYPES:
        if kind in made:
            yield kind, made[kind]
        elif kind not in {"lexical_check", "url_structure_check"}:
            # Evidence from outside is never added: an absent claim would be an invention.
            yield kind, (_without(kind), _nothing)


_VARIANTS: dict[EvidenceType, tuple[_Variant, _Variant]] = dict(_variants())
