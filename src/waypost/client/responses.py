"""Responses of the service as structs. Unknown members, added by a later service, are ignored."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

import msgspec

from waypost.models.decision import (
    ACTIONS,
    CONFIDENCE_CLASSES,
    REASON_CODES,
    RELATIONSHIP_STATUSES,
    RISK_STATUSES,
    UNKNOWNS,
    UNSPECIFIED,
)
from waypost.models.finding import FileReport, Finding, Summary
from waypost.models.snippet import Snippet

NEVER_ALLOWED: dict[str, frozenset[str]] = {
    "relationship_status": frozenset({"suspected_impersonation", "disputed"}),
    "risk_status": frozenset({"high_risk_signal_observed", "risk_not_assessed"}),
    "confidence_class": frozenset({"insufficient"}),
    "reason_codes": frozenset(
        {
            "brand_impersonation_signal",
            "relationship_disputed",
            "threat_list_match",
            "required_evidence_missing",
            "risk_beside_verified_owner",
            "risk_signal_blocks_action",
            "action_unspecified",
            "counterparty_mismatch",
            "payee_mismatch",
            "actions_frozen",
            "amount_not_permitted",
            "action_not_permitted",
        }
    ),
    "unknowns": frozenset({"policy_input_incomplete"}),
}
"""Values by member that no policy lets stand next to an approval."""
NEVER_ALLOWED_SENSITIVE: dict[str, frozenset[str]] = {
    "relationship_status": frozenset({"unverified", "claimed_unreviewed"}),
    "risk_status": frozenset({"elevated_risk_signal_observed"}),
    "confidence_class": frozenset({"low"}),
    "reason_codes": frozenset(
        {
            "filled_in_by_url",
            "not_a_function_of_the_owner",
            "ownership_changed",
            "published_by_strangers",
            "redirects_elsewhere",
            "sign_in_receiver_not_verified",
        }
    ),
    "unknowns": frozenset({"official_relationship_not_confirmed", "tls_not_checked"}),
}
"""The same for every action but `visit`, which gives nothing away."""

DECLARED_MERCHANT = "declared_merchant"
"""Shop outside the registry that an operator's own policy permits: only payments, and only with its own reason."""
_UNCONFIRMED = frozenset({"official_relationship_not_confirmed"})

Time = Annotated[datetime, msgspec.Meta(tz=True)]


class EvidencePiece(msgspec.Struct, frozen=True, kw_only=True):
    """Evidence of a decision: an observation, or a failed attempt."""

    type: str
    status: str
    id: str = ""
    observed_at: Time | None = None
    valid_until: Time | None = None
    summary_code: str | None = None


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """Decision whether an action may go ahead at a destination, valid until a time.

    Enumerations are plain strings: a stop for a reason newer than the client can still be displayed, while `allows`
    accepts known values only. `expires_at` counts by the clock of the client's machine, never later than the service's
    time.
    """

    decision_id: str
    normalized_domain: str
    relationship_status: str
    risk_status: str
    action: str
    action_allowed: bool
    reason_codes: tuple[str, ...]
    confidence_class: str
    unknowns: tuple[str, ...]
    expires_at: Time
    dispute_path: str
    official_alternative: str | None = None
    evidence_summary: tuple[EvidencePiece, ...] | None = None
    policy_version: str | None = None
    receipt: str | None = None

    def holds(self, now: datetime | None = None) -> bool:
        """Whether the decision has not expired. `now` is an aware time, the system's clock by default."""
        return (now or datetime.now(UTC)) < self.expires_at

    def allows(self, action: str, now: datetime | None = None) -> bool:
        """Whether the action may go ahead now."""
        return (
            self.action_allowed is True
            and self.action == action
            and self.is_understood
            and not self.contradicts_itself
            and self.holds(now)
        )

    @property
    def contradicts_itself(self) -> bool:
        """Whether an approval has no reason, or stands next to a value that no policy allows. A stop never does."""
        tables = [NEVER_ALLOWED] if self.action == "visit" else [NEVER_ALLOWED, NEVER_ALLOWED_SENSITIVE]
        is_declared = self.relationship_status == DECLARED_MERCHANT
        if is_declared and (self.action not in {"payment", "checkout"} or "merchant_declared" not in self.reason_codes):
            return self.action_allowed
        permitted = _UNCONFIRMED if is_declared else frozenset()
        return self.action_allowed and (
            not self.reason_codes
            or any(
                not (values - permitted).isdisjoint(held if isinstance(held := getattr(self, name), tuple) else (held,))
                for table in tables
                for name, values in table.items()
            )
        )

    @property
    def is_understood(self) -> bool:
        """Whether every value of the enumerations is known to the client."""
        return (
            self.relationship_status in RELATIONSHIP_STATUSES
            and self.risk_status in RISK_STATUSES
            and self.confidence_class in CONFIDENCE_CLASSES
            and (self.action in ACTIONS or self.action == UNSPECIFIED)
            and set(self.reason_codes) <= set(REASON_CODES)
            and set(self.unknowns) <= set(UNKNOWNS)
        )


class StoredDecision(Decision, frozen=True, kw_only=True):
    """Decision read from the service's store."""

    expired: bool
    superseded_by: str | None = None

    def holds(self, now: datetime | None = None) -> bool:
        # Both must agree: the service's verdict, and this machine's clock.
        return not self.expired and super().holds(now)


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """Problem details of the service (RFC 9457). Counts as a stop."""

    code: str
    status: int = 0
    title: str = ""
    detail: str = ""
    request_id: str = ""


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """Results in the order of the items. `stopped_at`: number of the first stop, if the batch ended there."""

    results: tuple[Decision | Problem, ...]
    stopped_at: int | None = None


class Dispute(msgspec.Struct, frozen=True, kw_only=True):
    """Objection to a decision, with a status."""

    dispute_id: str
    status: str
    decision_id: str
    created_at: Time
    changed_at: Time | None = None
    claim: str | None = None
    statement: str | None = None


class Official(msgspec.Struct, frozen=True, kw_only=True):
    """Entity that a domain is official for."""

    entity_id: str
    name: str
    relationship_type: str


class DomainProfile(msgspec.Struct, frozen=True, kw_only=True):
    """Facts and observations about a domain. Approves no action."""

    normalized_domain: str
    unicode_domain: str
    registrable_domain: str
    public_suffix: str
    is_idn: bool
    scripts: tuple[str, ...]
    relationship_status: str
    risk_status: str
    official_for: tuple[Official, ...]
    evidence_summary: tuple[EvidencePiece, ...]
    unknowns: tuple[str, ...]
    expires_at: Time
    observed_at: Time | None = None


class Entity(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    name: str
    type: str


class OfficialHit(msgspec.Struct, frozen=True, kw_only=True):
    """Relationship accepted in a review."""

    relationship_id: str
    entity: Entity
    domain: str
    url: str
    relationship_type: str
    review_status: str
    reviewed_at: Time
    expires_at: Time
    evidence_summary: tuple[EvidencePiece, ...] = ()


class OfficialPage(msgspec.Struct, frozen=True, kw_only=True):
    results: tuple[OfficialHit, ...]
    next_cursor: str | None = None


class SearchHit(msgspec.Struct, frozen=True, kw_only=True):
    """Search result. Any `review_status` but `reviewed` means unreviewed."""

    id: str
    kind: str
    name: str
    review_status: str
    matched_on: str
    domain: str | None = None
    url: str | None = None
    relationship_status: str | None = None
    state: str | None = None


class SearchPage(msgspec.Struct, frozen=True, kw_only=True):
    results: tuple[SearchHit, ...]
    next_cursor: str | None = None


class Validation(msgspec.Struct, frozen=True, kw_only=True):
    """Report on a document; see `waypost validate`. `valid`: no finding has severity error."""

    valid: bool
    registry_version: str
    files: tuple[FileReport, ...]
    summary: Summary
    truncated: bool = False


class Eligibility(msgspec.Struct, frozen=True, kw_only=True):
    """Verdict of the findings about a rich result. `state`: eligible, not_eligible, no_result or unknown."""

    state: str
    text: str


class MadeSnippet(msgspec.Struct, frozen=True, kw_only=True):
    """Card with source, the findings on the source, and what they mean. `id` is set for a stored document."""

    service_type: str
    unified: dict[str, Any]
    snippet: Snippet
    findings: tuple[Finding, ...] = ()
    eligibility: Eligibility | None = None
    id: str | None = None


class StoredSnippet(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    service_type: str
    created_at: Time
    unified: dict[str, Any]
    snippet: Snippet
    domain: str | None = None


class SnippetPage(msgspec.Struct, frozen=True, kw_only=True):
    items: tuple[StoredSnippet, ...]
    next_cursor: str | None = None


class SchemaEntry(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    title: str
    href: str
    id: str
    standard_type: str | None = None


class SchemaIndex(msgspec.Struct, frozen=True, kw_only=True):
    registry_version: str
    schemas: tuple[SchemaEntry, ...]
