"""Bodies and answers of decisions: checks of one or several destinations, problems, explanations, the console."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, field

from waypost.models.decision import (
    Action,
    ConfidenceClass,
    EvidenceStatus,
    EvidenceType,
    Inclusion,
    ReasonCode,
    RelationshipStatus,
    RiskStatus,
    SensitiveUrl,
    Strength,
    SummaryCode,
    Unknown,
)
from waypost.models.payment import Amount, PayeeType, PaymentRequest
from waypost.models.wire.common import (
    NO_CONTROLS,
    UNIQUE,
    URI,
    Closed,
    Open,
    PlainText,
    Prose,
    Time,
    defined,
    like,
    published,
)
from waypost.models.wire.evidence import Evidence

MOST_MINOR_UNITS = 10**15


class Payee(Closed, frozen=True, kw_only=True):
    """Recipient of a payment, as the caller knows the recipient: by name, by identifier or both."""

    name: (
        Annotated[
            PlainText,
            Meta(min_length=1, max_length=200, description="The name of the payee, compared as claimed_brand is."),
        ]
        | None
    ) = None
    type: Annotated[PayeeType | None, Meta(description="The kind of identifier in `id`; other unless given.")] = None
    id: Annotated[
        SensitiveUrl | None,
        Meta(
            description="The identifier of the payee. It is compared and never stored: only a keyed hash stays.",
            extra_json_schema={"minLength": 1, "maxLength": 512, "pattern": NO_CONTROLS},
        ),
    ] = None


class PaymentAmount(Closed, frozen=True, kw_only=True):
    """Amount of a payment in the currency's minor unit: 1999 is 19.99 EUR."""

    currency: Annotated[str, Meta(pattern="^[A-Za-z]{3}$", description="The currency, an ISO 4217 code.")]
    value: Annotated[int, Meta(ge=0, le=MOST_MINOR_UNITS, description="The amount that is about to be paid.")]
    cap: (
        Annotated[
            int,
            Meta(
                ge=0,
                le=MOST_MINOR_UNITS,
                description="The most that your principal permits. A payment above it is a stop, and a policy may "
                "require it.",
            ),
        ]
        | None
    ) = None


@published("check-request")
class CheckRequest(Closed, frozen=True, kw_only=True):
    """A destination and the intended action."""

    url: Annotated[
        SensitiveUrl,
        Meta(
            description="An absolute http or https URL. Its fragment and credentials are dropped; its path "
            "and query are never stored or logged.",
            extra_json_schema={"minLength": 1, "maxLength": 2048, "pattern": NO_CONTROLS},
        ),
    ]
    intended_action: Annotated[
        Action | None,
        Meta(
            description="The intended action. Where it is optional and left out, the strictest tier applies "
            "and nothing is allowed."
        ),
    ] = None
    include: Annotated[
        tuple[Inclusion, ...],
        Meta(max_length=3, description="Optional members to include; `receipt` is the signed decision."),
        UNIQUE,
    ] = ()
    claimed_brand: (
        Annotated[
            PlainText,
            Meta(
                min_length=1,
                max_length=200,
                description="The brand that the caller expects: its name, slug or a domain. Another owner is a "
                "stop with counterparty_mismatch; an unknown name is an unknown. A name never "
                "verifies anything.",
            ),
        ]
        | None
    ) = None
    payee: Annotated[Payee | None, Meta(description="The recipient of the payment.")] = None
    payment_endpoint: Annotated[
        SensitiveUrl | None,
        Meta(
            description="The URL that takes the payment, where it is not the destination itself. Its host has to be "
            "the destination's, of the same owner, or of a payment provider that the brand's file names; any other "
            "is a stop with payee_mismatch. Its path and query are never stored or logged.",
            extra_json_schema={"minLength": 1, "maxLength": 2048, "pattern": NO_CONTROLS},
        ),
    ] = None
    signed_checkout: Annotated[
        SensitiveUrl | None,
        Meta(
            description="The checkout as the merchant signed it: a JWT of the checkout, an AP2 checkout mandate, or "
            "the JSON of a UCP checkout with `ap2.merchant_authorization`. It is verified with the keys that the "
            "destination's host publishes at /.well-known/ucp. A contradiction is a stop with payee_mismatch, and what "
            "cannot be checked is the unknown merchant_evidence_not_read. It is never stored or logged.",
            extra_json_schema={"minLength": 1, "maxLength": 32768},
        ),
    ] = None
    amount: Annotated[
        PaymentAmount | None,
        Meta(description="The amount of the payment; compared with the total of the signed checkout."),
    ] = None
    audience: (
        Annotated[
            PlainText,
            Meta(
                min_length=1, max_length=200, description="The recipient of a receipt; the organization unless given."
            ),
        ]
        | None
    ) = None

    referred_by: (
        Annotated[
            PlainText,
            Meta(
                min_length=36,
                max_length=36,
                description="The decision_id of an allowed payment or checkout at the shop that leads to this address: "
                "of the same organization and not expired. A payment page of a provider that the shop's file names is "
                "then decided as the shop's; any other identifier changes nothing.",
            ),
        ]
        | None
    ) = None

    @property
    def counterparties(self) -> tuple[str, ...]:
        """Names of whom the caller means."""
        if self.claimed_brand is None and self.payee is None:
            return ()
        return tuple(name for name in (self.claimed_brand, self.payee and self.payee.name) if name)

    @property
    def payment(self) -> PaymentRequest | None:
        """Payment by endpoint, identifier, signed checkout and amount; None without any of them."""
        identifier = self.payee.id if self.payee else None
        amount = (
            Amount(currency=self.amount.currency, value=self.amount.value, cap=self.amount.cap) if self.amount else None
        )
        if (self.payment_endpoint, identifier, self.signed_checkout, amount) == (None, None, None, None):
            return None
        return PaymentRequest(
            endpoint=self.payment_endpoint,
            payee_type=self.payee.type if self.payee else None,
            payee_id=identifier,
            checkout=self.signed_checkout,
            amount=amount,
        )


@published("agent-safety-request")
class AgentSafetyRequest(Closed, frozen=True, kw_only=True):
    """A destination and the intended action."""

    url: Annotated[PlainText, like("check-request", "url")]
    intended_action: Annotated[Action, like("check-request", "intended_action")]
    include: Annotated[tuple[Inclusion, ...] | None, like("check-request", "include")] = None
    claimed_brand: (
        Annotated[
            PlainText,
            Meta(
                min_length=1,
                max_length=200,
                description="The brand that the caller expects: its name, slug or a domain. Another owner is a "
                "stop with counterparty_mismatch; an unknown name is an unknown. A name never "
                "verifies anything.",
            ),
        ]
        | None
    ) = None
    payee: Annotated[Payee | None, like("check-request", "payee")] = None
    payment_endpoint: Annotated[PlainText | None, like("check-request", "payment_endpoint")] = None
    signed_checkout: Annotated[Prose | None, like("check-request", "signed_checkout")] = None
    amount: Annotated[PaymentAmount | None, like("check-request", "amount")] = None
    audience: Annotated[PlainText | None, like("check-request", "audience")] = None
    referred_by: Annotated[PlainText | None, like("check-request", "referred_by")] = None


class ExplainedLine(Closed, frozen=True, kw_only=True):
    line: Literal["action", "relationship", "risk", "evidence", "unknowns", "confidence"]
    holds: bool
    required: tuple[str, ...]
    found: tuple[str, ...]
    consequence: Annotated[str | None, Meta(description="The consequence where the row is not met.")] = None


class ExplainedSignal(Closed, frozen=True, kw_only=True):
    summary_code: SummaryCode | None = None
    strength: Strength
    type: EvidenceType
    brand: str | None = None
    detail: str | None = None
    about: str | None = None


@defined("explanation")
class Explanation(Closed, frozen=True, kw_only=True):
    """The reasons for the decision in detail; only from the command line, with --explain."""

    policy_version: str
    tier: int
    actions: tuple[Action, ...]
    because: Annotated[str, Meta(description="The policy's own reason for the tier.")]
    lines: Annotated[
        tuple[ExplainedLine, ...],
        Meta(description="The rows of the tier; the action is allowed when all of them are met."),
    ]
    signals: tuple[ExplainedSignal, ...]


@published("decision")
class Decision(Closed, frozen=True, kw_only=True):
    """Whether one action may go ahead at one destination: an observation that is valid until a time, never a label.
    Only action_allowed grants; a reader treats a value it does not know as one that verifies nothing.
    """

    decision_id: Annotated[
        str,
        Meta(
            pattern=r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
            description="Identifies the decision. Each request gets a new one.",
            extra_json_schema={"format": "uuid"},
        ),
    ]
    normalized_domain: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=253,
            description="The host of the submitted URL: lower case, A-labels, addresses in their canonical form.",
        ),
    ]
    relationship_status: Annotated[
        RelationshipStatus, Meta(description="Who owns the destination, according to reviews.")
    ]
    risk_status: Annotated[
        RiskStatus, Meta(description="The risk that checks found, independent of who owns the destination.")
    ]
    action: Annotated[
        Literal[Action, "unspecified"],
        Meta(
            description="The intended action as it was requested; unspecified where none was, which is never allowed."
        ),
    ]
    action_allowed: Annotated[bool, Meta(description="False is a hard stop for the action.")]
    reason_codes: Annotated[
        tuple[ReasonCode, ...],
        Meta(min_length=1, description="The reasons for the decision, general codes first."),
        UNIQUE,
    ]
    official_alternative: (
        Annotated[
            str,
            Meta(
                pattern=r"^https://[^/?#]+/$",
                description="The official destination of the brand that seems to be imitated, or of the brand "
                "that the caller expects; only with suspected_impersonation or counterparty_mismatch.",
            ),
            URI,
        ]
        | None
    ) = None
    evidence_summary: Annotated[
        tuple[Evidence, ...] | None,
        Meta(description="Every check and its result. On request; some endpoints always include it."),
    ] = None
    policy_version: (
        Annotated[
            str,
            Meta(
                pattern=r"^[a-z][a-z0-9-]*-\d{4}-\d{2}-\d{2}$",
                description="The policy that was applied. On request; some endpoints always include it.",
            ),
        ]
        | None
    ) = None
    confidence_class: Annotated[ConfidenceClass, Meta(description="How much of the required evidence was observed.")]
    unknowns: Annotated[
        tuple[Unknown, ...],
        Meta(
            description="What a check that the policy requires or consults could not determine; empty when "
            "nothing is unknown."
        ),
        UNIQUE,
    ]
    expires_at: Annotated[Time, Meta(description="When the decision must be requested again.")]
    dispute_path: (
        Annotated[
            str,
            Meta(min_length=1, description="Where to dispute the decision, if a service accepts disputes about it."),
        ]
        | None
    ) = None
    receipt: (
        Annotated[
            str,
            Meta(
                pattern=r"^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$",
                description="The decision, signed: a JWS that can be checked without this service. On request.",
            ),
        ]
        | None
    ) = None
    explanation: Explanation | None = None


class ProblemPlace(Closed, frozen=True, kw_only=True):
    pointer: Annotated[str, Meta(pattern=r"^#", description="JSON Pointer as a URI fragment.")] | None = None
    parameter: str | None = None
    header: str | None = None
    code: str
    detail: str


@published("problem")
class Problem(Open, frozen=True, kw_only=True):
    """Why a request was not answered (RFC 9457). A caller that waits for a decision treats it as a stop."""

    type: Annotated[str, Meta(description="The kind of problem; leads to a page about it."), URI]
    title: str
    status: Annotated[int, Meta(ge=400, le=599)]
    code: Annotated[str, Meta(pattern=r"^[a-z-]+$", description="The same kind, as a short name.")]
    detail: Annotated[str, Meta(description="Details of this case, without any value of the request.")]
    instance: Annotated[str, Meta(pattern=r"^urn:uuid:")]
    request_id: str
    errors: (
        Annotated[tuple[ProblemPlace, ...], Meta(max_length=32, description="Every error in the request.")] | None
    ) = None
    truncated: Annotated[bool | None, Meta(description="True where there are more than 32 errors.")] = None
    required_scopes: tuple[str, ...] | None = None
    retry_after: float | None = None
    allow: tuple[str, ...] | None = None
    available_types: tuple[str, ...] | None = None
    did_you_mean: tuple[str, ...] | None = None
    violated_policies: tuple[str, ...] | None = field(name="violated-policies", default=None)
    checks: dict[str, bool] | None = None
    versions: Annotated[
        dict[str, str] | None,
        Meta(
            description="Versions for comparing replicas: of waypost, its registry, the policy, the signing "
            "key, and with a database the files that the replicas share."
        ),
    ] = None
    clock_skew_ms: Annotated[
        int | None,
        Meta(
            description="Milliseconds by which the clock of this replica is ahead of the database's; "
            "negative where it is behind."
        ),
    ] = None


@published("batch-request")
class BatchRequest(Closed, frozen=True, kw_only=True):
    """Several checks at once."""

    items: Annotated[
        tuple[CheckRequest, ...], Meta(min_length=1, max_length=50, description="The checks; each needs its action.")
    ]
    semantic: Annotated[
        Literal["execute_all", "deny_on_first_deny"] | None,
        Meta(description="Whether to go on after a stop; execute_all unless given."),
    ] = None


class BatchError(Closed, frozen=True, kw_only=True):
    error: Problem


@published("batch-answer")
class BatchAnswer(Closed, frozen=True, kw_only=True):
    """A result for each check, in their order."""

    results: Annotated[
        tuple[Decision | BatchError, ...], Meta(description="Decisions; an entry that is an error counts as a stop.")
    ]
    stopped_at: Annotated[int, Meta(ge=0, description="The first stop, where the request ended with it.")] | None = None


@published("kept-decision", title="Kept decision")
class StoredDecision(Open, frozen=True, kw_only=True):
    """A decision as it was made, and whether it has expired."""

    expired: Annotated[bool, Meta(description="True: it no longer grants anything, whatever it allowed.")]
    frozen: Annotated[
        bool | None,
        Meta(description="True while the organization has frozen its actions; the decision then counts as expired."),
    ] = None
    superseded_by: Annotated[
        str | None, Meta(description="The organization's newer decision about the same destination and action.")
    ] = None


class PolicyRow(Closed, frozen=True, kw_only=True):
    line: Annotated[str, Meta(description="The name of the row.")]
    holds: Annotated[bool, Meta(description="Whether it is met.")]
    required: Annotated[tuple[str, ...], Meta(description="What the policy requires.")]
    found: Annotated[tuple[str, ...], Meta(description="What was found.")]


class EvidenceEffect(Closed, frozen=True, kw_only=True):
    """A check, and the decision without it, or with the result that it lacks."""

    type: EvidenceType
    status: EvidenceStatus
    turns: Annotated[bool, Meta(description="Whether the decision would be the other one.")]
    text: Annotated[str, Meta(description="What the decision would be.")]


@published("check-panel")
class CheckPanel(Closed, frozen=True, kw_only=True):
    """A decision, with the row of the policy that decided it."""

    verdict: Annotated[str, Meta(description="The decision in one line.")]
    dated: Annotated[str, Meta(description="The same with its day, as long as it is valid.")]
    past: Annotated[str, Meta(description="The same with its day, once it has expired.")]
    tier: Annotated[int, Meta(description="The tier of the policy that has the action.")]
    because: Annotated[str, Meta(description="Why the tier has these requirements.")]
    row: Annotated[
        PolicyRow,
        Meta(
            description="The first row that is not met; of an allowed action, in which all are met, that of "
            "the relationship."
        ),
    ]
    effects: Annotated[
        tuple[EvidenceEffect, ...],
        Meta(description="What each check changes, those that turn the decision first."),
    ]
    decision: Decision
