"""Continuity of ownership since a review: registration data, DNS and certificate of today, compared with the review's.

A review ends at once with a registration after the review, and with an expired registration, a registration about to
be deleted, or a domain unknown to the registry. Further changes are an unknown for the caller.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

import msgspec

from waypost.models.decision import Evidence, SummaryCode, Target
from waypost.models.observation import Observations, RegistrationObservation
from waypost.models.relationship import OwnershipDoubt, OwnershipSnapshot, Relationship
from waypost.safety.relationship import Standing, applies, holds
from waypost.safety.suffixes import suffixes_of

Change = Literal["registration_date", "registrar", "name_servers", "certificate_issuer", "certificate_organization"]
_ENDING = frozenset({"pendingdelete", "redemptionperiod", "pendingrestore"})
"""Statuses of a registration that ends, without spaces (RFC 8056; icann.org/epp)."""
_DAY_MS = 86_400_000
EVIDENCE_ID = "net.ownership."
"""Beginning of the ids of evidence of a change."""


class Continuity(NamedTuple):
    """Comparison of a review with the observations of today.

    ended      code for the end of the review
    unchecked  a fact of the review's snapshot could not be observed today, so that it may have changed
    """

    ended: SummaryCode | None = None
    changes: tuple[Change, ...] = ()
    unchecked: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether nothing has changed, as far as the review has facts to compare."""
        return not (self.ended or self.changes or self.unchecked)


_NOTHING_TO_COMPARE = Continuity()


def continuity(review: Relationship, seen: Observations, now: int) -> Continuity:
    """Continuity of the ownership that a review found."""
    today, reviewed = seen.registration, review.reviewed_at
    if today.status == "not_observed" and today.reason == "not_registered":
        return Continuity("not_registered")
    if today.status == "observed" and _ends(today, now):
        return Continuity("registration_ending")
    # The review was about the owner before: whoever registered the domain afterwards was never reviewed.
    if today.registered_at is not None and reviewed is not None and today.registered_at > reviewed:
        return Continuity("registered_after_review")
    then = review.snapshot
    if then is None:
        return _NOTHING_TO_COMPARE
    now_seen = snapshot_of(seen) or OwnershipSnapshot()
    unchecked = any(getattr(then, fact) and not getattr(now_seen, fact) for fact in then.__struct_fields__)
    return Continuity(changes=_changes(then, now_seen), unchecked=unchecked)


def is_compared(review: Relationship, seen: Observations | None) -> bool:
    """Whether a fact of today could be compared: the day of registration, or another fact of the review's snapshot."""
    if seen is None:
        return False
    if seen.registration.registered_at is not None:
        return True
    then, today = review.snapshot, snapshot_of(seen)
    return bool(then and today and any(getattr(then, fact) and getattr(today, fact) for fact in then.__struct_fields__))


def _ends(today: RegistrationObservation, now: int) -> bool:
    expired = today.expires_at is not None and today.expires_at <= now
    return expired or (bool(today.states) and any("".join(state.split()) in _ENDING for state in today.states))


def _changes(then: OwnershipSnapshot, today: OwnershipSnapshot) -> tuple[Change, ...]:
    """Differences between two snapshots, where both have the fact."""
    changes: list[Change] = []
    # Shipped snapshots have the day alone: less than a day apart is not a change.
    if then.registered_at and today.registered_at and abs(then.registered_at - today.registered_at) >= _DAY_MS:
        changes.append("registration_date")
    if _differ(then.registrar, today.registrar):
        changes.append("registrar")
    servers = _providers(then.name_servers), _providers(today.name_servers)
    if all(servers) and servers[0].isdisjoint(servers[1]):
        changes.append("name_servers")
    if _differ(then.certificate_issuer, today.certificate_issuer):
        changes.append("certificate_issuer")
    if _differ(then.certificate_organization, today.certificate_organization):
        changes.append("certificate_organization")
    return tuple(changes)


def _differ(then: str, today: str) -> bool:
    return bool(then and today and _plain(then) != _plain(today))


def _plain(name: str) -> str:
    return "".join(char for char in name.casefold() if char.isalnum())


def _providers(servers: tuple[str, ...]) -> set[str]:
    """Registrable domains of name servers: a provider's servers change, the provider seldom."""
    return {".".join(name.split(".")[-1 - suffixes_of(name).registry.count(".") - 1 :]) for name in servers}


def snapshot_of(seen: Observations) -> OwnershipSnapshot | None:
    """Snapshot for a review made now, or None where nothing was observed."""
    today = seen.registration
    found = OwnershipSnapshot(
        registered_at=today.registered_at,
        registrar=today.registrar,
        # The registry's own list comes first: a resolver's answer may lag behind.
        name_servers=today.name_servers or seen.dns.name_servers,
        certificate_issuer=seen.tls.issuer,
        certificate_organization=seen.tls.organization,
    )
    return found if found != OwnershipSnapshot() else None


def doubts(
    relationships: Iterable[Relationship], target: Target, seen: Observations, now: int
) -> Iterator[OwnershipDoubt]:
    """Doubts about the reviews in force of a destination."""
    for review in relationships:
        if review.state != "accepted" or not applies(review, target) or not holds(review, now):
            continue
        found = continuity(review, seen, now)
        if changes := (found.ended,) if found.ended else found.changes:
            yield OwnershipDoubt(
                relationship=review.id,
                organization=review.organization,
                domain=review.domain,
                entity=review.entity,
                changes=changes,
                reviewed=review.snapshot,
                observed=snapshot_of(seen),
            )


def evidence_of(found: Continuity, target: Target, seen: Observations) -> Iterator[Evidence]:
    """Evidence of a change."""
    code: SummaryCode | None = found.ended or ("ownership_differs" if found.changes else None)
    if code is None:
        return
    texts: dict[str, str] = {
        "not_registered": "is not registered",
        "registration_ending": "has a registration that has ended or is ending",
        "registered_after_review": "was registered after its review",
        "ownership_differs": f"differs from its review: {', '.join(found.changes).replace('_', ' ')}",
    }
    # Without registration data it was DNS or the certificate that differs.
    part = seen.registration if seen.registration.status in {"observed", "not_observed"} else seen.dns
    yield Evidence(
        type="registration_data_check",
        status="observed",
        id=f"{EVIDENCE_ID}{code}",
        summary_code=code,
        strength="weak" if found.ended is None else "medium",
        detail=f"{target.registrable} {texts[code]}",
        observed_at=part.observed_at,
        valid_until=part.valid_until,
    )


def limited(found: Standing, continued: Continuity) -> Standing:
    """Relationship after the comparison: a review that has ended verifies no one."""
    if continued.ended:
        return Standing(status="unverified", reasons=("ownership_changed",))
    if continued.changes or continued.unchecked:
        return msgspec.structs.replace(found, unknowns=(*found.unknowns, "ownership_continuity_unknown"))
    return found
