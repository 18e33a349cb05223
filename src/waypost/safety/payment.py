"""Payment of a caller, compared with the owner of the destination: who takes the money, and for whom.

An endpoint agrees by a review in force: the destination's own domain, one of the owner's group, or a payment provider
that the brand's file names. Nothing here makes a decision milder.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from waypost.errors import InvalidUrl
from waypost.models.decision import Evidence, ReasonCode, Target
from waypost.models.payment import Payment, PaymentRequest, payee_hash
from waypost.models.relationship import Relationship
from waypost.registry.world import World
from waypost.safety.policy import VERIFIED
from waypost.safety.relationship import Standing, is_run_by_owner, shipped, standing
from waypost.safety.target import USUAL_PORTS, check_host, split

Outcome = Literal["own", "group", "provider", "other", "unknown"]


def payment_of(request: PaymentRequest, key: bytes) -> Payment:
    """Payment without the caller's own texts. `key` is secret, and of one process."""
    kind, identifier = request.payee_type or "other", request.payee_id
    payment = Payment(
        payee_type=kind if identifier else "",
        payee_hash=payee_hash(kind, identifier.reveal(), key) if identifier else "",
    )
    if request.endpoint is None:
        return payment
    try:
        target = split(request.endpoint).target
        check_host(target.host)
    except InvalidUrl:
        return msgspec.structs.replace(payment, unreadable=True)
    return msgspec.structs.replace(payment, endpoint=target)


def endpoint_outcome(
    payment: Payment,
    found: Standing,
    target: Target,
    known: Iterable[Relationship],
    world: World,
    now: int,
    *,
    trusted: bool = True,
) -> Outcome | None:
    """Comparison of the endpoint with the destination's owner; None without an endpoint.

    known    relationships of the store
    trusted  shipped reviews count
    """
    endpoint = payment.endpoint
    if payment.unreadable:
        return "other"
    if endpoint is None:
        return None
    # Unencrypted, anyone on the way changes the payee; user names and other ports pose as a host or are another's.
    if endpoint.scheme != "https" or endpoint.userinfo or endpoint.port not in USUAL_PORTS or endpoint.address:
        return "other"
    if endpoint.host == target.host:
        return "own"
    if found.status not in VERIFIED or found.review is None:
        return "unknown"
    ours = shipped(world, endpoint) if trusted else ()
    theirs = standing(endpoint, (*known, *ours), (), world, now)
    if theirs.status not in VERIFIED or theirs.review is None or not theirs.review.grave:
        return "other"
    entity, other = found.review.entity, theirs.review.entity
    if entity == other:
        return "own" if is_run_by_owner(world, endpoint) or endpoint.registrable != target.registrable else "other"
    owner, receiver = world.brands.get(entity), world.brands.get(other)
    if owner and receiver and owner.owner == receiver.owner:
        return "group"
    return "provider" if owner and other in {each.brand for each in owner.payment_providers} else "other"


def evidence_of(payment: Payment, outcome: Outcome | None) -> Iterator[Evidence]:
    """Evidence of the comparison. No detail holds the caller's endpoint or payee."""
    if outcome is not None:
        yield Evidence(
            type="caller_supplied",
            status="conflicting" if outcome == "other" else "not_observed" if outcome == "unknown" else "observed",
            id=f"caller.payment_endpoint.{outcome}",
        )
    if payment.payee_hash:
        # Nothing that the merchant signed has been read: no check has been made of the identifier.
        yield Evidence(type="caller_supplied", status="not_attempted", id=f"caller.payee.{payment.payee_type}")


def bound(found: Standing, payment: Payment, outcome: Outcome | None, reason: ReasonCode) -> Standing:
    """Relationship of a destination, bound to the payment: another payee contradicts, an unseen one is an unknown."""
    if payment.payee_hash or outcome == "unknown":
        found = msgspec.structs.replace(found, unknowns=(*found.unknowns, "payee_not_verified"))
    if outcome != "other":
        return found
    return msgspec.structs.replace(found, reasons=(*found.reasons, reason), contradicted=True)
