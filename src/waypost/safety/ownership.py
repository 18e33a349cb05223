"""Continuity of ownership since a review: registration data and certificate of today, compared with the review's.

A review ends at once with a registration after the review, and with an expired registration, a registration about to
be deleted, or a domain unknown to the registry. Further changes are an unknown for the caller.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import msgspec

from waypost.models.decision import Evidence, SummaryCode, Target
from waypost.models.observation import Observations, RegistrationObservation
from waypost.models.relationship import OwnershipSnapshot, Relationship
from waypost.safety.relationship import Standing
from waypost.safety.suffixes import suffixes_of

Change = Literal["registration_date", "registrar", "name_servers", "certificate_issuer"]
_ENDING = frozenset({"pendingdelete", "redemptionperiod", "pendingrestore"})
"""Statuses of a registration that ends, without spaces (RFC 8056; icann.org/epp)."""
_DAY_MS = 86_400_000


class Continuity(NamedTuple):
    """Comparison of a review with the observations of today. `ended` is the code for the end of the review."""

    ended: SummaryCode | None = None
    changes: tuple[Change, ...] = ()


def continuity(review: Relationship, seen: Observations, now: int) -> Continuity:
    """Continuity of the ownership that a review found."""
    today = seen.registration
    if today.status == "not_observed" and today.reason == "not_registered":
        return Continuity("not_registered")
    if today.status != "observed":
        return Continuity()
    if _ends(today, now):
        return Continuity("registration_ending")
    reviewed = review.reviewed_at
    if today.registered_at is not None and reviewed is not None and today.registered_at > reviewed:
        return Continuity("registered_after_review")
    return Continuity(changes=_changes(review.snapshot, seen) if review.snapshot else ())


def _ends(today: RegistrationObservation, now: int) -> bool:
    expired = today.expires_at is not None and today.expires_at <= now
    return expired or any("".join(state.split()) in _ENDING for state in today.states)


def _changes(then: OwnershipSnapshot, seen: Observations) -> tuple[Change, ...]:
    """Differences between a snapshot and today, where both have the fact."""
    today, tls = seen.registration, seen.tls
    changes: list[Change] = []
    if then.registered_at and today.registered_at and abs(then.registered_at - today.registered_at) >= _DAY_MS:
        changes.append("registration_date")
    if then.registrar and today.registrar and _plain(then.registrar) != _plain(today.registrar):
        changes.append("registrar")
    if (
        then.name_servers
        and today.name_servers
        and _providers(then.name_servers).isdisjoint(_providers(today.name_servers))
    ):
        changes.append("name_servers")
    if then.certificate_issuer and tls.issuer and _plain(then.certificate_issuer) != _plain(tls.issuer):
        changes.append("certificate_issuer")
    return tuple(changes)


def _plain(name: str) -> str:
    return "".join(char for char in name.casefold() if char.isalnum())


def _providers(servers: tuple[str, ...]) -> set[str]:
    """Registrable domains of name servers: a provider's servers change, the provider seldom."""
    return {".".join(name.split(".")[-1 - suffixes_of(name).registry.count(".") - 1 :]) for name in servers}


def snapshot_of(seen: Observations) -> OwnershipSnapshot | None:
    """Snapshot for a review made now, or None without registration data."""
    today = seen.registration
    if today.status != "observed":
        return None
    return OwnershipSnapshot(
        registered_at=today.registered_at,
        registrar=today.registrar,
        name_servers=today.name_servers,
        certificate_issuer=seen.tls.issuer,
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
    part = seen.registration
    yield Evidence(
        type="registration_data_check",
        status="observed",
        id=f"net.ownership.{code}",
        summary_code=code,
        strength="weak" if found.ended is None else "medium",
        detail=f"{target.registrable} {texts[code]}",
        observed_at=part.observed_at,
        valid_until=part.valid_until,
    )


def limited(found: Standing, continued: Continuity) -> Standing:
    """Relationship after the comparison: a review that has ended verifies nobody."""
    if continued.ended:
        return Standing(status="unverified", reasons=("ownership_changed",))
    if continued.changes:
        return msgspec.structs.replace(found, unknowns=(*found.unknowns, "ownership_continuity_unknown"))
    return found
