"""Payment of a caller, compared with the owner of the destination: who takes the money, and for whom.

An endpoint agrees by a review in force: the destination's own domain, one of the owner's group, or a payment provider
that the brand's file names; or by the profile of a reviewed destination. A signed checkout has to agree in every part.
No outcome makes a decision milder.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Literal

import msgspec

from waypost.errors import InvalidUrl
from waypost.models.decision import Evidence, EvidenceStatus, ReasonCode, Target, Unknown
from waypost.models.payment import DECLARED, MerchantReading, Outcome, Payment, PaymentRequest, payee_hash
from waypost.models.relationship import Relationship
from waypost.registry.world import World
from waypost.safety.policy import VERIFIED
from waypost.safety.relationship import Standing, is_run_by_owner, shipped, standing
from waypost.safety.target import USUAL_PORTS, check_host, split

Tie = Literal["own", "group", "provider", "declared", "other", "unknown"]
"""Tie of a host to the owner of the destination; `declared` by the destination's own profile or signed checkout."""
_STATUS: dict[Outcome, EvidenceStatus] = {
    "agrees": "observed",
    "contradicts": "conflicting",
    "unseen": "not_observed",
    "failed": "failed",
    "": "not_attempted",
}


def payment_of(request: PaymentRequest, key: bytes, merchant: MerchantReading | None = None) -> Payment:
    """Payment without the caller's own texts. `key` is secret, and of one process."""
    kind, identifier = request.payee_type or "other", request.payee_id
    payment = Payment(
        payee_type=kind if identifier else "",
        payee_hash=payee_hash(kind, identifier.reveal(), key) if identifier else "",
        amount=request.amount,
        merchant=merchant,
    )
    if request.endpoint is None:
        return payment
    try:
        target = split(request.endpoint).target
        check_host(target.host)
    except InvalidUrl:
        return msgspec.structs.replace(payment, unreadable=True)
    return msgspec.structs.replace(payment, endpoint=target)


class Ties:
    """Ties of hosts to the owner of a destination.

    found    relationship of the destination
    known    relationships of the store
    trusted  shipped reviews count
    """

    def __init__(
        self, found: Standing, target: Target, known: Iterable[Relationship], world: World, now: int, *, trusted: bool
    ) -> None:
        self._found, self._target, self._known = found, target, tuple(known)
        self._world, self._now, self._trusted = world, now, trusted

    def of(self, host: Target) -> Tie:
        """Tie of a host by the reviews in force."""
        found, target, world = self._found, self._target, self._world
        if not _is_plain(host):
            return "other"
        if host.host == target.host:
            return "own"
        if found.status not in VERIFIED or found.review is None:
            return "unknown"
        other = self._reviewed_owner(host)
        if not other:
            return "other"
        entity = found.review.entity
        if entity == other:
            return "own" if is_run_by_owner(world, host) or host.registrable != target.registrable else "other"
        owner, receiver = world.brands.get(entity), world.brands.get(other)
        if owner and receiver and owner.owner == receiver.owner:
            return "group"
        return "provider" if owner and other in {each.brand for each in owner.payment_providers} else "other"

    def _reviewed_owner(self, host: Target) -> str:
        """Entity of a host that two people reviewed; empty for any other host."""
        ours = shipped(self._world, host) if self._trusted else ()
        theirs = standing(host, (*self._known, *ours), (), self._world, self._now)
        is_grave = theirs.status in VERIFIED and theirs.review is not None and theirs.review.grave
        return theirs.review.entity if is_grave and theirs.review else ""

    @property
    def _is_grave(self) -> bool:
        """Whether two people reviewed the destination."""
        return self._found.status in VERIFIED and self._found.review is not None and self._found.review.grave

    def _is_signed_provider(self, host: Target, merchant: MerchantReading) -> bool:
        """Whether the signed checkout of a reviewed destination continues at a host of a reviewed payment provider."""
        is_signed = merchant.signature == "agrees" and host.host in {each.host for each in merchant.leads_to}
        if not (is_signed and self._is_grave and _is_plain(host)):
            return False
        return self._reviewed_owner(host) in payment_providers(self._world)

    def of_endpoint(self, payment: Payment) -> Tie | None:
        """Tie of the host that takes the money; None without one."""
        if payment.unreadable:
            return "other"
        if payment.endpoint is None:
            return None
        tie = self.of(payment.endpoint)
        entries = payment.merchant.endpoints if payment.merchant else ()
        if tie == "other" and self._is_grave and payment.endpoint in entries and _is_plain(payment.endpoint):
            # A destination that two people reviewed says over its own connection where it takes orders.
            return "declared"
        if tie == "other" and payment.merchant and self._is_signed_provider(payment.endpoint, payment.merchant):
            return "declared"
        return tie

    def _is_owner(self, host: Target) -> bool:
        """Whether a host is the destination's owner's; without a review, of the destination's domain."""
        tie = self.of(host)
        return tie in {"own", "group"} or (tie == "unknown" and host.registrable == self._target.registrable)

    def contradictions(self, merchant: MerchantReading) -> Iterator[str]:
        """Ids of the contradictions between the payment and the merchant's host or signature."""
        if merchant.signature == "contradicts":
            yield f"merchant.signature.{merchant.because}"
        if merchant.payee == "contradicts":
            yield "merchant.payee"
        # A checkout of another merchant is relayed, whatever key signed it.
        if not all(self._is_owner(host) for host in merchant.names):
            yield "merchant.signature.other_merchant"
        if any(self.of(host) == "other" and not self._is_signed_provider(host, merchant) for host in merchant.leads_to):
            yield "merchant.signature.leads_away"


@lru_cache(maxsize=4)
def payment_providers(world: World) -> frozenset[str]:
    """Slugs of the brands that the file of some brand names as a payment provider."""
    return frozenset(each.brand for brand in world.brands.values() for each in brand.payment_providers)


def _is_plain(host: Target) -> bool:
    """Whether a host is encrypted, at the usual port, and neither an address nor behind a user name."""
    return host.scheme == "https" and not host.userinfo and host.port in USUAL_PORTS and not host.address


def evidence_of(payment: Payment, tie: Tie | None, contradictions: Iterable[str]) -> Iterator[Evidence]:
    """Evidence of the comparisons. No detail holds the caller's endpoint, payee or checkout."""
    if tie is not None:
        yield Evidence(
            type="caller_supplied",
            status="conflicting" if tie == "other" else "not_observed" if tie == "unknown" else "observed",
            id=f"caller.payment_endpoint.{tie}",
        )
    merchant = payment.merchant
    if payment.payee_hash:
        is_compared = merchant is not None and merchant.payee not in {"", "unseen"}
        yield _piece(
            f"caller.payee.{payment.payee_type}",
            _STATUS[merchant.payee] if is_compared and merchant else "not_attempted",
            merchant if is_compared else None,
        )
    if merchant is None:
        return
    if merchant.profile != "not_attempted":
        status: EvidenceStatus = {"read": "observed", "absent": "not_observed"}.get(merchant.profile, "failed")  # type: ignore[assignment]
        yield _piece("merchant.profile", status, merchant)
    if merchant.signature and merchant.signature != "contradicts":
        suffix = f".{merchant.because}" if merchant.because else ""
        yield _piece(f"merchant.signature{suffix}", _STATUS[merchant.signature], merchant)
    for identity in contradictions:
        yield _piece(identity, "conflicting", merchant)


def _piece(identity: str, status: EvidenceStatus, merchant: MerchantReading | None) -> Evidence:
    times = (merchant.observed_at, merchant.valid_until) if merchant and merchant.observed_at else (None, None)
    return Evidence(type="caller_supplied", status=status, id=identity, observed_at=times[0], valid_until=times[1])


def unknowns_of(payment: Payment, tie: Tie | None) -> Iterator[Unknown]:
    """Unknowns about the payee: not confirmed, or the host's files were not read."""
    merchant = payment.merchant
    is_signed = merchant is not None and merchant.signature == "agrees"
    confirmed = merchant is not None and merchant.payee == "agrees"
    if (payment.payee_hash and not confirmed) or (tie == "unknown" and not is_signed):
        yield "payee_not_verified"
    is_declarable = payment.payee_hash and payment.payee_type in DECLARED
    if merchant is None:
        if is_declarable:
            yield "merchant_evidence_not_read"
    elif merchant.signature in {"unseen", "failed"} or merchant.payee == "failed":
        yield "merchant_evidence_not_read"


def bound(
    found: Standing, payment: Payment, tie: Tie | None, contradictions: Iterable[str], reason: ReasonCode
) -> Standing:
    """Relationship of a destination, bound to the payment: another payee contradicts, an unseen one is an unknown."""
    found = msgspec.structs.replace(found, unknowns=(*found.unknowns, *unknowns_of(payment, tie)))
    if tie != "other" and not list(contradictions):
        return found
    return msgspec.structs.replace(found, reasons=(*found.reasons, reason), contradicted=True)
