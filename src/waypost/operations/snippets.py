"""Snippet cards, made from a document, from JSON-LD or from a page; stored on request."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from waypost.formats.text import near
from waypost.models.wire.common import Closed
from waypost.models.wire.snippets import MadeSnippet, MakeSnippetRequest, SnippetList, StoredSnippet
from waypost.models.wire.tools import ToolPreviewRequest
from waypost.operations.context import Context, Posted, Result, ServiceContext
from waypost.operations.lists import USUAL, Cursor, Limit
from waypost.operations.table import FROM_OTHERS, Answer, Method, Tool, operation
from waypost.operations.validation import MOST_FINDINGS
from waypost.preview.request import from_request, kinds
from waypost.registry import load
from waypost.report._eligibility import badge_of
from waypost.report.json import encode_json
from waypost.service import page_work
from waypost.service.body import KIB
from waypost.service.hosts import host_of
from waypost.service.page_work import STORING
from waypost.service.problems import ProblemError
from waypost.store import snippets
from waypost.store.cursors import Page, Position
from waypost.store.snippets import StoredSnippet as Stored

NEWS = "news"
MOST_HERE = 16 << 10
"""Bytes of stored documents that are cleaned on the event loop; 256 KiB of them could hold it up for 28 ms."""
_ARTICLE = {
    "@type": "NewsArticle",
    "name": "Ferry runs again",
    "url": "https://news.example.com/ferry",
    "datePublished": "2026-11-20T08:00:00Z",
}
_DATA = {"@context": "https://schema.org", "@type": "NewsArticle", "headline": "Ferry runs again"}


def _example() -> dict[str, Any]:
    made = from_request(NEWS, load(), document=_ARTICLE, now=datetime(2026, 11, 20, tzinfo=UTC)).preview
    card: dict[str, Any] = msgspec.to_builtins(made)
    return {"service_type": made.service_type, "unified": card["unified"], "snippet": card["snippet"]}


_MADE = _example()
_STORED = {"id": "1f0c2c54-3f0e-4bd1-8a3f-0d3f2f1c7a12", **_MADE, "created_at": "2026-11-20T09:00:00.000Z"}
_CARD = _MADE | {"eligibility": badge_of("supported")._asdict(), "findings": []}

Kind = Annotated[str, Meta(description="The kind of item.", extra_json_schema={"enum": sorted(kinds(load()))})]
DocumentId = Annotated[str, Meta(max_length=64, description="The document's id.")]


class SnippetQuery(Closed, frozen=True, kw_only=True):
    """Filters of stored documents."""

    domain: Annotated[str, Meta(min_length=1, max_length=253, description="Only documents about this host.")] | None = (
        None
    )
    since: Annotated[str, Meta(max_length=40, description="Only documents stored since this date or time.")] | None = (
        None
    )
    limit: Limit = None
    cursor: Cursor = None


_making = partial(
    operation,
    about="From a document of the unified model, from JSON-LD or from a page. `findings` says what the rules find in "
    "data or a page, `eligibility` what that means for a rich result of the item; places count in what was sent. With "
    f"`store` it is kept among the organization's documents, which takes the scope `{STORING}` as well as `snippets`, "
    "and a live key: reading keys and test keys store nothing.",
    tag="Structured data",
    scope="snippets",
    limit="validate",
    body=page_work.SNIPPET._replace(
        examples={"a document": {"document": _ARTICLE, "store": True}, "JSON-LD": {"data": _DATA}},
    ),
    answer={
        200: Answer("The card.", "made-snippet", example=_CARD),
        201: Answer(
            "The card; its document is stored.",
            "made-snippet",
            example={"id": _STORED["id"], **_CARD},
            headers={"Location": "The stored document's address."},
        ),
    },
    problems=("nothing-to-show", "unreadable", "insufficient-scope", "not-permitted", "conflict"),
)
_listing = partial(
    operation,
    about="The organization's own stored documents with their cards, newest first. A card is as it was when its "
    "document was stored. A page of long documents has fewer than `limit`.",
    tag="Structured data",
    scope="snippets",
    limit="lookups",
    answer={200: Answer("The documents.", "snippet-list", example={"items": [_STORED]})},
    problems=("domain-only", "invalid-cursor"),
)
_reading = partial(
    operation,
    about="One of the organization's own documents.",
    tag="Structured data",
    scope="snippets",
    limit="lookups",
    answer={200: Answer("The document.", "stored-snippet", example=_STORED)},
)


@_listing("GET /v1/snippets/news", id="listNewsSnippets", title="List news snippets")
async def news_snippets(query: SnippetQuery, context: ServiceContext) -> Result[SnippetList]:
    return await snippets_of_kind(NEWS, query, context)


@_listing(
    "GET /v1/snippets/{kind}",
    id="listSnippets",
    title="List snippets of a kind",
    client=Method(
        "snippets",
        "SnippetPage",
        "Documents stored by your organization, newest first. Raises NoAnswer.",
        first=("kind",),
        defaults={"kind": f'"{NEWS}"'},
    ),
)
async def snippets_of_kind(kind: Kind, query: SnippetQuery, context: ServiceContext) -> Result[SnippetList]:
    service, owner = _service_type(kind, context), context.owner
    domain = "" if query.domain is None else host_of(query.domain, {"parameter": "domain"}).host
    since, limit = _since(query.since or ""), query.limit or USUAL

    def find(after: Position | None) -> Page[Stored]:
        return context.read(
            lambda db: snippets.find_page(db, owner, service, domain=domain, since=since, limit=limit, after=after)
        )

    # A cursor is bound to the filters that it was made under.
    items, cursor = await context.page(query.cursor, (kind, domain, str(since)), find)
    document: dict[str, Any] = {"items": msgspec.Raw(await _rendered(context, items))}
    return Result(document | ({"next_cursor": cursor} if cursor else {}))


@_making("POST /v1/snippets/news", id="makeNewsSnippet", title="Create a news snippet")
async def make_news_snippet(item: Posted[MakeSnippetRequest], context: ServiceContext) -> Result[MadeSnippet]:
    return await make_snippet(NEWS, item, context)


def _cut(card: dict[str, Any]) -> dict[str, Any]:
    """Card with at most MOST_FINDINGS findings."""
    card["findings"] = card["findings"][:MOST_FINDINGS]
    return card


@_making(
    "POST /v1/snippets/{kind}",
    id="makeSnippet",
    title="Create a snippet of a kind",
    client=Method(
        "make_snippet",
        "MadeSnippet",
        "Card of a document, of JSON-LD or of a page. Raises NoAnswer.",
        without=("surfaces",),
        harmless="not store",  # storing twice would make two documents
    ),
    tool=Tool(
        "preview_snippet",
        "Preview a rich result",
        "The card that a search engine could show of a page, of JSON-LD or of a document of the unified model, "
        f"with the findings on its markup. Nothing is fetched or stored. {FROM_OTHERS}",
        takes=ToolPreviewRequest,
        limit=256 * KIB,
        within=60.0,
        summary=lambda card: f"a card of type {card['service_type']}, {len(card['findings'])} findings",
        cut=_cut,
    ),
)
async def make_snippet(kind: Kind, item: Posted[MakeSnippetRequest], context: ServiceContext) -> Result[MadeSnippet]:
    service = _service_type(kind, context)
    work = partial(page_work.make_snippet, may_store=STORING in context.scopes)
    made = await context.in_worker(work, await item.read(), kind, context.situation)
    if not made.store:
        return Result(made.body)
    context.check_live()
    key, now, unified, snippet = context.key, context.now(), made.unified or {}, made.snippet or {}
    stored = await context.write(
        lambda db: snippets.put(db, key.organization, service, unified, snippet, key.holder, now, made.domain)
    )
    # The worker's JSON is not parsed again for one more member.
    document = b'{"id":' + encode_json(stored.id) + b"," + made.body[1:]
    return Result(document, 201, {"location": f"/v1/snippets/{kind}/{stored.id}"})


@_reading("GET /v1/snippets/news/{id}", id="readNewsSnippet", title="Get a news snippet")
async def news_snippet(id: DocumentId, context: ServiceContext) -> Result[StoredSnippet]:  # noqa: A002
    return await snippet_of_kind(NEWS, id, context)


@_reading("GET /v1/snippets/{kind}/{id}", id="readSnippet", title="Get a snippet of a kind")
async def snippet_of_kind(kind: Kind, id: DocumentId, context: ServiceContext) -> Result[StoredSnippet]:  # noqa: A002
    service, owner = _service_type(kind, context), context.owner
    found = await context.fetch(lambda db: snippets.find(db, owner, id))
    # Under another kind's path the document does not exist.
    if found.service_type != service:
        raise ProblemError("not-found")
    # The brackets of the array of one are cut off.
    return Result((await _rendered(context, (found,)))[1:-1])


async def _rendered(context: Context, found: tuple[Stored, ...]) -> bytes:
    """JSON array of stored documents. Long ones are cleaned in a worker."""
    raw = msgspec.json.encode(found)
    if len(raw) <= MOST_HERE:
        return page_work.safe_snippets(raw)
    return await context.in_worker(page_work.safe_snippets, raw)


def _service_type(kind: str, context: Context) -> str:
    """Service type of a kind. Raises ProblemError."""
    known = kinds(context.registry)
    if kind not in known:
        suggestions = near(kind, known)
        more = {"available_types": list(known)} | ({"did_you_mean": suggestions} if suggestions else {})
        raise ProblemError("not-found", "there is no such kind of snippet", more=more)
    return known[kind]


def _since(text: str) -> int:
    """Milliseconds since 1970 of a day or a time; a day begins at midnight UTC. Raises ProblemError."""
    if not text:
        return 0
    try:
        moment = datetime.fromisoformat(text if "T" in text else f"{text}T00:00:00Z")
        if moment.tzinfo is None:
            raise ValueError(text)
        return max(int(moment.timestamp() * 1000), 0)
    except (ValueError, OverflowError):
        detail = "a day such as 2026-11-20, or a moment with its offset such as 2026-11-20T09:00:00Z"
        place = {"parameter": "since", "code": "date-time", "detail": detail}
        raise ProblemError("invalid-request", errors=[place]) from None
