"""Complete input of a decision in addition to the world."""

from __future__ import annotations

import msgspec

from waypost.models.decision import Evidence, Target, UrlReading
from waypost.models.observation import Observations
from waypost.models.payment import Payment
from waypost.models.relationship import Relationship
from waypost.safety.policy import DEFAULT


class DecisionInput(msgspec.Struct, frozen=True, kw_only=True):
    """Complete input of a decision in addition to the world: the same input gives the same decision, byte for byte.

    action         an action, or `unspecified`
    seen           observations of the network; None when there were none
    relationships  reviews and claims from the store for the destination
    further        evidence from outside: threat lists, claims of the page, reciprocal links
    reading        facts of the URL's path and query
    counterparties  slugs of intended owners, see `counterparty`
    referrer       host of an allowed checkout that leads to the destination
    payment        payment that the caller is about to make
    frozen         the organization has frozen every sensitive action
    policy_file    text of the operator's own policy, which then decides in place of a shipped one
    certificate_since  first start of a valid certificate that the service has seen at the host, in milliseconds
    remembered     signals of earlier checks, not yet observed to be gone
    now            milliseconds since 1970, UTC
    """

    decision_id: str
    target: Target
    action: str
    now: int
    seen: Observations | None = None
    relationships: tuple[Relationship, ...] = ()
    further: tuple[Evidence, ...] = ()
    policy: str = DEFAULT
    trust_shipped_reviews: bool = True
    reading: UrlReading = UrlReading()
    counterparties: tuple[str, ...] = ()
    remembered: tuple[Evidence, ...] = ()
    payment: Payment | None = None
    referrer: Target | None = None
    frozen: bool = False
    policy_file: str = ""
    certificate_since: int | None = None
