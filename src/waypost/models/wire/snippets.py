"""Bodies and answers for cards: made from a document, from markup or from a page, and stored."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from waypost.models.wire.common import (
    Closed,
    NextCursor,
    Open,
    PlainText,
    Prose,
    Time,
    Unified,
    WebAddress,
    like,
    published,
)


class Remark(Open, frozen=True, kw_only=True):
    slot: str
    text: str


@published("snippet")
class Snippet(Closed, frozen=True, kw_only=True):
    """A card: what a rich result shows. Every member is always present."""

    service_type: str
    standard_type: str
    status: Annotated[
        Literal["supported", "restricted", "retired", "none"],
        Meta(description="Current status of such results at the search engine."),
    ]
    title: str
    url: str | None
    display_url: str | None
    site_name: str | None
    description: str | None
    image: dict[str, Any] | None
    byline: str | None
    date: str | None
    rating: dict[str, Any] | None
    price: dict[str, Any] | None
    facts: tuple[dict[str, Any], ...]
    badges: tuple[str, ...]
    items: tuple[dict[str, Any], ...]
    remarks: Annotated[
        tuple[Remark, ...],
        Meta(
            description="Doubts about values of the card: a placeholder that was never filled in, a label "
            "inside the value."
        ),
    ]


class Site(Closed, frozen=True, kw_only=True):
    name: Annotated[PlainText, Meta(min_length=1, max_length=120)]
    domain: Annotated[str, Meta(min_length=1, max_length=253, pattern=r"^[^\u0000-\u0020\u007f-\u009f/?#@:\\]+$")]
    description: (
        Annotated[
            Prose,
            Meta(
                max_length=500,
            ),
        ]
        | None
    ) = None


@published(
    "snippet-request",
    also={
        "if": {"properties": {"kind": {"const": "schema"}}, "required": ["kind"]},
        "then": {"required": ["site"], "properties": {"document": False, "markup": False}},
        "else": {"oneOf": [{"required": ["document"]}, {"required": ["markup"]}]},
    },
)
class SnippetRequest(Closed, frozen=True, kw_only=True):
    """A site and one of its items, before they are published."""

    kind: Annotated[
        Literal[
            "schema",
            "article",
            "breadcrumb",
            "course",
            "discussion",
            "event",
            "job",
            "local-business",
            "news",
            "organization",
            "person",
            "product",
            "qa",
            "recipe",
            "review",
            "software",
            "video",
            "website",
        ],
        Meta(
            description="`schema`: the site itself, as a WebSite. Otherwise the kind of item that `document` "
            "or `markup` describes."
        ),
    ]
    site: Annotated[Site | None, Meta(description="Fills in members that the document omits; never fetched.")] = None
    document: (
        Annotated[
            dict[str, Any],
            Meta(
                max_length=54,
                description="Members of the unified model (GET /v1/schema/Unified); @context, @type, id and url "
                "may be left out.",
            ),
        ]
        | None
    ) = None
    markup: (
        Annotated[
            str,
            Meta(
                min_length=1,
                max_length=1048576,
                description="HTML or JSON-LD; the card is of the main item of this kind on the page.",
            ),
        ]
        | None
    ) = None
    item: (
        Annotated[
            int,
            Meta(
                ge=0,
                le=100000,
                description="Number of the page's item that the card is for, in document order from 0, as "
                "reports count items; with `markup`.",
            ),
        ]
        | None
    ) = None
    surfaces: WithSurfaces = None


Surfaces = Annotated[
    tuple[dict[str, Any], ...] | None,
    Meta(
        description="With `surfaces` in the request: how the item may show at Google on a phone and a desktop, on Open "
        "Graph networks, on X, and to an agent. Each result names its documentation, each word its property, and in "
        "markup its line and column."
    ),
]
WithSurfaces = Annotated[bool | None, Meta(description="Answer with `surfaces` too.")]


class Eligibility(Closed, frozen=True, kw_only=True):
    state: Annotated[
        Literal["eligible", "not_eligible", "no_result", "unknown"],
        Meta(
            description="`no_result`: Google shows none of this kind; `unknown`: a document is not a page, "
            "so nothing was checked."
        ),
    ]
    text: str


class SnippetWarning(Closed, frozen=True, kw_only=True):
    code: str
    detail: str


class AnswerFacts(Closed, frozen=True, kw_only=True):
    time: Annotated[float, Meta(ge=0, description="Milliseconds in the server.")]
    fetched: Time
    source: Literal["registry"]
    provider: Literal["waypost"]


@published("snippet-answer")
class SnippetAnswer(Closed, frozen=True, kw_only=True):
    """The card, the document it was made from, and facts about the answer."""

    snippet: Snippet
    unified: Annotated[dict[str, Any], Meta(extra_json_schema={"required": ["@context", "@type", "id", "name", "url"]})]
    eligibility: Annotated[
        Eligibility, Meta(description="What the findings of the page say about a rich result for the item.")
    ]
    warnings: tuple[SnippetWarning, ...]
    meta: AnswerFacts
    surfaces: Surfaces = None


@published(
    "make-snippet-request",
    also={
        "if": {"required": ["document"]},
        "then": {"properties": {"base_url": False}},
        "oneOf": [{"required": ["document"]}, {"required": ["data"]}, {"required": ["html"]}],
    },
)
class MakeSnippetRequest(Closed, frozen=True, kw_only=True):
    """One item to make a card of, in one of three forms."""

    document: (
        Annotated[
            dict[str, Any],
            Meta(
                max_length=54,
                description="Members of the unified model; @context, id and url may be left out.",
                extra_json_schema={"required": ["@type", "name"]},
            ),
        ]
        | None
    ) = None
    data: Annotated[
        Any | None, Meta(description="JSON-LD.", extra_json_schema={"type": ["object", "array"], "items": {}})
    ] = None
    html: Annotated[str, Meta(min_length=1, max_length=196608, description="A page.")] | None = None
    base_url: (
        Annotated[
            WebAddress,
            Meta(
                min_length=1,
                max_length=2048,
                description="The page's address: relative links resolve against it. It is not fetched.",
            ),
        ]
        | None
    ) = None
    store: Annotated[
        bool | None,
        Meta(description="Store it with the organization's documents. Also requires the scope `relationships`."),
    ] = None
    surfaces: WithSurfaces = None


@published("made-snippet")
class MadeSnippet(Closed, frozen=True, kw_only=True):
    """The card, the document it was made from, and the findings."""

    id: Annotated[str | None, Meta(description="Id of the stored document; absent where nothing was stored.")] = None
    service_type: Annotated[str, Meta(description="The kind of card.")]
    unified: Unified
    snippet: Snippet
    eligibility: Annotated[Eligibility, like("snippet-answer", "eligibility")]
    findings: Annotated[
        tuple[Annotated[dict[str, Any], Meta(extra_json_schema={"$ref": "report.schema.json#/$defs/finding"})], ...],
        Meta(
            description="Findings of the rules about the data or the page; for a document, the URLs that "
            "were left out because they are neither http nor https, each at its pointer."
        ),
    ]
    surfaces: Surfaces = None


@published("stored-snippet")
class StoredSnippet(Closed, frozen=True, kw_only=True):
    """A stored document of the organization, and its card at that time."""

    id: Annotated[str, Meta(description="The stored document's id.")]
    service_type: Annotated[str, Meta(description="The kind of card.")]
    created_at: Annotated[Time, Meta(description="When it was stored.")]
    domain: Annotated[str | None, Meta(description="The host that the document is about.")] = None
    unified: Unified
    snippet: Snippet


@published("snippet-list", title="Stored snippets")
class SnippetList(Closed, frozen=True, kw_only=True):
    """The organization's own documents, newest first."""

    items: Annotated[tuple[StoredSnippet, ...], Meta(description="The documents.")]
    next_cursor: NextCursor = None
