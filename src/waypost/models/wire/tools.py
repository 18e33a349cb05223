"""Arguments and results of the tools for agents, where a tool's differ from an endpoint's."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from waypost.models.decision import Action
from waypost.models.wire.common import Closed, PlainText, Prose, WebAddress, like, published
from waypost.models.wire.decisions import Decision, Payee, PaymentAmount
from waypost.models.wire.lookup import SchemaIndex


@published("tool-check-request", title="Check of a tool")
class ToolCheckRequest(Closed, frozen=True, kw_only=True):
    """A destination and the intended action."""

    url: Annotated[
        PlainText,
        like(
            "check-request",
            "url",
            "The complete address where the action would happen, such as "
            "https://shop.example/checkout. Its path and query are never stored or logged.",
        ),
    ]
    intended_action: Annotated[Action, like("check-request", "intended_action", "The intended action.")]
    claimed_brand: Annotated[
        PlainText | None,
        like(
            "agent-safety-request",
            "claimed_brand",
            "The brand that the person means, by name or domain; a destination of another owner is a stop.",
        ),
    ] = None
    payee: Annotated[Payee | None, like("check-request", "payee")] = None
    payment_endpoint: Annotated[PlainText | None, like("check-request", "payment_endpoint")] = None
    signed_checkout: Annotated[Prose | None, like("check-request", "signed_checkout")] = None
    amount: Annotated[PaymentAmount | None, like("check-request", "amount")] = None
    referred_by: Annotated[PlainText | None, like("check-request", "referred_by")] = None


@published("tool-check-many-request", title="Checks of a tool")
class ToolCheckManyRequest(Closed, frozen=True, kw_only=True):
    """Up to 50 destinations, each with the intended action."""

    items: Annotated[
        tuple[ToolCheckRequest, ...],
        Meta(min_length=1, max_length=50, description="The checks, answered in their order."),
    ]
    semantic: Annotated[Literal["execute_all", "deny_on_first_deny"] | None, like("batch-request", "semantic")] = None


@published("tool-dispute-request", title="Dispute of a tool")
class ToolDisputeRequest(Closed, frozen=True, kw_only=True):
    """A dispute: what is wrong with a decision, and why."""

    decision_id: Annotated[str, like("tool-explain-request", "decision_id")]
    claim: Annotated[
        Literal["wrong_relationship", "wrong_risk", "wrong_domain", "outdated", "other"],
        like("dispute-request", "claim"),
    ]
    statement: Annotated[str, like("dispute-request", "statement")]
    contact: Annotated[PlainText | None, like("dispute-request", "contact")] = None
    evidence: Annotated[
        tuple[
            Annotated[
                WebAddress,
                Meta(min_length=8, max_length=2000, description=""),
            ],
            ...,
        ]
        | None,
        like("dispute-request", "evidence"),
    ] = None


@published("tool-explain-request", title="Explanation of a tool")
class ToolExplainRequest(Closed, frozen=True, kw_only=True):
    """An earlier decision."""

    decision_id: Annotated[
        str, Meta(min_length=36, max_length=36, pattern=r"^[0-9a-f-]+$", description="The decision's id.")
    ]


class CodeSentence(Closed, frozen=True, kw_only=True):
    code: Annotated[str, Meta(max_length=80, description="A code of the decision.")]
    sentence: Annotated[str, Meta(max_length=600, description="What it means.")]


@published("tool-explanation", title="Explanation of a decision")
class ToolExplanation(Closed, frozen=True, kw_only=True):
    """A decision as it was made, with a sentence for each of its codes. It approves nothing."""

    decision: Decision
    expired: Annotated[bool, Meta(description="True: it no longer grants anything, whatever it allowed.")]
    sentences: Annotated[
        tuple[CodeSentence, ...], Meta(max_length=64, description="The codes of the decision in words.")
    ]


@published("tool-official-request", title="Search of a tool for official destinations")
class ToolOfficialRequest(Closed, frozen=True, kw_only=True):
    """Words of a name or a domain."""

    query: Annotated[
        PlainText,
        Meta(min_length=1, max_length=200, description="Words of a name or a domain; the last may be incomplete."),
    ]
    type: Annotated[
        Literal["official_site", "official_login", "official_payment", "official_support", "official_app"] | None,
        Meta(description="Only relationships of this type."),
    ] = None
    limit: Annotated[int, Meta(ge=1, le=50, description="Maximum number of results; 10 by default.")] | None = None


@published(
    "tool-preview-request",
    title="Preview of a tool",
    also={
        "oneOf": [
            {"required": ["document"], "properties": {"base_url": False}},
            {"required": ["data"]},
            {"required": ["html"]},
        ]
    },
)
class ToolPreviewRequest(Closed, frozen=True, kw_only=True):
    """One item to make a card of, in one of three forms, and its kind."""

    kind: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=40,
            pattern=r"^[a-z-]+$",
            description="The kind of item, such as news, product or recipe.",
        ),
    ]
    document: Annotated[dict[str, Any] | None, like("make-snippet-request", "document")] = None
    data: Annotated[Any | None, like("make-snippet-request", "data")] = None
    html: Annotated[str | None, like("make-snippet-request", "html")] = None
    base_url: Annotated[str | None, like("make-snippet-request", "base_url")] = None


@published(
    "tool-schema-answer",
    title="Schema for a tool",
    also={
        "oneOf": [
            {"required": ["name", "schema"], "properties": {"index": False}},
            {"required": ["index"], "properties": {"name": False, "schema": False}},
        ]
    },
)
class ToolSchemaAnswer(Closed, frozen=True, kw_only=True):
    """A schema, or the list of all."""

    name: Annotated[str, Meta(max_length=80, description="The schema's own name.")] | None = None
    schema: Annotated[dict[str, Any] | None, Meta(description="JSON Schema 2020-12.")] = None
    index: SchemaIndex | None = None


@published("tool-schema-request", title="Schema of a tool")
class ToolSchemaRequest(Closed, frozen=True, kw_only=True):
    """The name of a schema."""

    name: (
        Annotated[
            str,
            Meta(
                min_length=1,
                max_length=64,
                pattern=r"^[A-Za-z]+$",
                description="A service type (NewsSnippet), a standard type (NewsArticle) or Unified; left out, "
                "all are listed.",
            ),
        ]
        | None
    ) = None
