"""Words of the pages about reviews and disputes: claims, states, changed facts, and the effect of each step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

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
    "not_registered": "no longer registered",
    "registration_ending": "registration ends",
    "registered_after_review": "registered again after the review",
}
"""Facts about a domain that may differ from those of a review, and reasons why a review has ended."""


class Step(NamedTuple):
    """Button of a review: label, and effect of pressing the button."""

    label: str
    effect: str


_STOP = "Every action stops there until a reviewer ends it."
_STEPS: Mapping[str, Mapping[str, Step]] = {
    "relationship": {
        "approve": Step("Accept", "The domain counts as the owner's for a year, unless its registration changes."),
        "request-changes": Step("Send back", "The claim waits in this list for better evidence."),
        "reject": Step("Reject", "The claim leaves this list. It has changed no decision."),
    },
    "disputed": {
        "approve": Step("Reinstate", "The owner counts as verified again."),
        "reject": Step("Revoke", "The owner no longer counts as verified. This cannot be undone."),
    },
    "dispute": {
        "uphold": Step("Uphold", _STOP),
        "reject": Step("Reject", "Decisions stay as they were."),
    },
    "stopped": {"approve": Step("End the stop", "Decisions are made as without the dispute.")},
    "doubt": {
        "uphold": Step("Withdraw the review", _STOP),
        "reject": Step("Confirm the owner", "The review stays valid. Later changes are compared with today's facts."),
    },
}


def title_of(item: ReviewItem) -> str:
    """Heading of the page about an item."""
    if item.relationship:
        return f"Claim about {item.relationship.domain}"
    if item.doubt:
        return f"Changes of {item.doubt.about.domain}"
    assert item.dispute
    return f"Dispute about {item.dispute.decision['normalized_domain']}"


def steps(item: ReviewItem) -> Mapping[str, Step]:
    """Steps open to a reviewer, by the value of the button."""
    # The stop of a host lasts until a reviewer ends it.
    if item.dispute and item.dispute.effect == "destination_disputed":
        return _STEPS["stopped"]
    if item.relationship and item.relationship.state == "disputed":
        return _STEPS["disputed"]
    return _STEPS[item.kind]
