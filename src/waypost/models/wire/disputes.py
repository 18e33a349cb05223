"""Bodies and answers of disputes and of receipts."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from waypost.models.wire.common import UNIQUE, Closed, PlainText, Prose, Time, WebAddress, published


@published("dispute-request")
class DisputeRequest(Closed, frozen=True, kw_only=True):
    """A dispute: what is wrong with a decision, and why."""

    claim: Annotated[
        Literal["wrong_relationship", "wrong_risk", "wrong_domain", "outdated", "other"],
        Meta(description="What is wrong."),
    ]
    statement: Annotated[
        Prose,
        Meta(
            min_length=1,
            max_length=2000,
            description="The reason.",
        ),
    ]
    contact: Annotated[PlainText, Meta(max_length=200, description="How to reach you; shown only to reviewers.")] = ""
    evidence: Annotated[
        tuple[
            Annotated[
                WebAddress,
                Meta(min_length=8, max_length=2000, description=""),
            ],
            ...,
        ],
        Meta(max_length=5, description="URLs for the reviewer; they are never fetched."),
        UNIQUE,
    ] = ()


@published("dispute-opened", title="Opened dispute")
class DisputeOpened(Closed, frozen=True, kw_only=True):
    """The dispute waits for a review."""

    dispute_id: Annotated[str, Meta(description="The dispute's id.")]
    status: Annotated[
        Literal["open", "in_review", "upheld", "rejected", "withdrawn"], Meta(description="Its current state.")
    ]
    created_at: Annotated[Time, Meta(description="When it was opened.")]
    decision_id: Annotated[str, Meta(description="The decision it is about.")]


@published("dispute")
class Dispute(Closed, frozen=True, kw_only=True):
    """A dispute about a decision. By itself it changes nothing; a review does."""

    dispute_id: Annotated[str, Meta(description="The dispute's id.")]
    status: Annotated[
        Literal["open", "in_review", "upheld", "rejected", "withdrawn"], Meta(description="Its current state.")
    ]
    created_at: Annotated[Time, Meta(description="When it was opened.")]
    changed_at: Annotated[Time, Meta(description="When its status last changed.")]
    decision_id: Annotated[str, Meta(description="The decision it is about.")]
    claim: Annotated[
        Literal["wrong_relationship", "wrong_risk", "wrong_domain", "outdated", "other"],
        Meta(description="What is reported to be wrong."),
    ]
    statement: Annotated[str, Meta(description="The reason given. Untrusted text.")]
    contact: Annotated[str | None, Meta(description="How to reach the person who opened it.")] = None
    evidence: Annotated[tuple[str, ...] | None, Meta(description="URLs; they were never fetched.")] = None
    environment: Annotated[
        Literal["Live", "Test"],
        Meta(
            description="The environment of the key that the decision was made for. A dispute about a "
            "decision for a test key is not reviewed."
        ),
    ]
    effect: Annotated[
        Literal["none", "relationship_disputed", "destination_disputed", "ended"],
        Meta(
            description="What the dispute changed: nothing, the reviews behind the decision, or the host "
            "itself; or that a reviewer has ended the latter."
        ),
    ]
    effect_detail: Annotated[str, Meta(description="The same in a sentence.")]


@published("withdraw-request", title="Withdrawal")
class WithdrawRequest(Closed, frozen=True, kw_only=True):
    """Why a dispute is withdrawn."""

    reason: (
        Annotated[
            Prose,
            Meta(
                max_length=2000,
                description="The reason, for the history.",
            ),
        ]
        | None
    ) = None


@published("receipt-request", title="Receipt")
class ReceiptRequest(Closed, frozen=True, kw_only=True):
    """A receipt to verify."""

    receipt: Annotated[
        str,
        Meta(
            min_length=1, max_length=4096, pattern=r"^[A-Za-z0-9_.-]+$", description="The receipt in JWS compact form."
        ),
    ]


@published("receipt-verdict", title="Verdict on a receipt")
class ReceiptVerdict(Closed, frozen=True, kw_only=True):
    """Whether a receipt was signed by this service and is still valid. Compare its action and URL with yours: the
    service cannot do that.
    """

    valid: Annotated[bool, Meta(description="Signed by this service, not expired, and not frozen.")]
    reason: Annotated[
        Literal[
            "malformed",
            "unknown_type",
            "unknown_algorithm",
            "unknown_key",
            "bad_signature",
            "bad_claims",
            "not_yet_valid",
            "expired",
            "frozen",
        ]
        | None,
        Meta(
            description="Why it is not valid; `frozen`: the organization of the decision has frozen its actions, which "
            "no offline verification can see."
        ),
    ] = None
    decision_id: Annotated[str | None, Meta(description="The decision it is about.")] = None
    expires_at: Annotated[Time | None, Meta(description="When it expires.")] = None
