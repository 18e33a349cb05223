"""Words of the pages about reviews and disputes: claims, states and changed facts. `STEPS` has those of the buttons."""

from __future__ import annotations

from collections.abc import Mapping

from waypost.models.relationship import RelationshipState, RelationshipType
from waypost.store.disputes import Complaint, Status
from waypost.store.reviews import ReviewItem

COMPLAINTS: Mapping[Complaint, str] = {
    "wrong_relationship": "Wrong owner: the relationship is not as stated",
    "wrong_risk": "Wrong risk: a risk that is not there, or one that was missed",
    "wrong_domain": "Wrong domain",
    "outdated": "Outdated: it was right and is no longer",
    "other": "Something else",
}
TYPES: Mapping[RelationshipType, str] = {
    "official_site": "its own site",
    "official_login": "its own sign-in page",
    "official_payment": "its own payment page",
    "official_support": "its own support page",
    "official_app": "its own app",
    "affiliate": "a service that acts for it",
}
"""Uses of a domain by the claimed owner."""
STATES: Mapping[RelationshipState | Status, str] = {
    "unreviewed": "Waiting for a review",
    "in_review": "In review",
    "accepted": "Accepted",
    "rejected": "Rejected",
    "disputed": "Disputed: every action stops there",
    "revoked": "Revoked",
    "expired": "Expired",
    "open": "Waiting for a review",
    "upheld": "Upheld",
    "withdrawn": "Withdrawn",
}
CHANGES: Mapping[str, str] = {
    "registration_date": "registration date",
    "registrar": "registrar",
    "name_servers": "name servers",
    "certificate_issuer": "certificate issuer",
    "certificate_organization": "organization of the certificate",
    "not_registered": "no longer registered",
    "registration_ending": "registration ends",
    "registered_after_review": "registered again after the review",
}
"""Facts about a domain that may differ from those of a review, and reasons why a review has ended."""


def title_of(item: ReviewItem) -> str:
    """Heading of the page about an item."""
    kinds = {"relationship": "Claim about", "doubt": "Changes of", "dispute": "Dispute about"}
    return f"{kinds[item.kind]} {item.domain}"
