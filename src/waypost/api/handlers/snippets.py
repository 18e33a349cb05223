"""Snippet cards, made from a document, from JSON-LD or from a page; stored on request."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any

import msgspec
from litestar import get, post
from litestar.di import NamedDependency

from waypost.api.auth import check_live
from waypost.api.endpoint import Answer, Contract, Parameter
from waypost.api.pagination import CURSOR, LIMIT, USUAL, Pages
from waypost.api.request import MOST_HERE, Call, Reply
from waypost.formats.text import near
from waypost.preview.request import from_request, kinds
from waypost.registry import load
from waypost.report._eligibility import badge_of
from waypost.report.json import encode_json
from waypost.service import page_work
from waypost.service.hosts import host_of
from waypost.service.page_work import STORING
from waypost.service.problems import ProblemError
from waypost.store import snippets
from waypost.store.snippets import StoredSnippet

NEWS = "news"


async def make(call: NamedDependency[Call]) -> Reply:
    kind, service = _kind(call)
    made = await call.in_worker(
        partial(page_work.make_snippet, may_store=STORING in call.key.scopes),
        await call.json_for_worker(),
        kind,
        call.state.situation,
    )
    if not made.store:
        return Reply(made.body)
    check_live(call.key)
    state, key = call.state, call.key
    unified, snippet = made.unified or {}, made.snippet or {}
    stored_snippet = await state.write(
        lambda db: snippets.put(db, key.organization, service, unified, snippet, key.holder, state.now(), made.domain)
    )
    return Reply(
        # The worker's JSON is not parsed again for one more member.
        b'{"id":' + encode_json(stored_snippet.id) + b"," + made.body[1:],
        201,
        headers={"location": f"/v1/snippets/{kind}/{stored_snippet.id}"},
    )


async def index(call: NamedDependency[Call]) -> Reply:
    """List of the organization's documents of a kind, newest first."""
    kind, service = _kind(call)
    owner, state = call.owner, call.state
    domain = host_of(call.query["domain"], {"parameter": "domain"}).host if "domain" in call.query else ""
    since = _since(call.query.get("since", ""))
    # A cursor is bound to the filters that it was made under.
    way = Pages(call, kind, domain, str(since))
    after, limit = way.position(call.query.get("cursor"), {"parameter": "cursor"}), call.number("limit", USUAL)
    page = await state.fetch(
        lambda db: snippets.find_page(db, owner, service, domain=domain, since=since, limit=limit, after=after)
    )
    members: dict[str, Any] = {"items": msgspec.Raw(await _rendered(call, page.items))}
    if page.next is not None:
        members["next_cursor"] = way.token(page.next)
    return Reply(msgspec.json.encode(members))


async def read(call: NamedDependency[Call]) -> Reply:
    _, service = _kind(call)
    owner, name = call.owner, call.members["id"]
    found = await call.state.fetch(lambda db: snippets.find(db, owner, name))
    # Under another kind's path the document does not exist.
    if found.service_type != service:
        raise ProblemError("not-found")
    # The brackets of the array of one are cut off.
    return Reply((await _rendered(call, [found]))[1:-1])


async def _rendered(call: Call, found: list[StoredSnippet]) -> bytes:
    """JSON array of stored documents. Long ones are cleaned in a worker."""
    raw = msgspec.json.encode(found)
    if len(raw) <= MOST_HERE:
        return page_work.safe_snippets(raw)
    return await call.in_worker(page_work.safe_snippets, raw)


def _kind(call: Call) -> tuple[str, str]:
    """(kind in the path, service type). Raises ProblemError."""
    kind = call.members.get("kind", NEWS)
    known = kinds(call.registry)
    if kind not in known:
        suggestions = near(kind, known)
        more = {"available_types": list(known)} | ({"did_you_mean": suggestions} if suggestions else {})
        raise ProblemError("not-found", "there is no such kind of snippet", more=more)
    return kind, known[kind]


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


_ARTICLE = {
    "@type": "NewsArticle",
    "name": "Ferry runs again",
    "url": "https://news.example.com/ferry",
    "datePublished": "2026-11-20T08:00:00Z",
}
_DATA = {"@context": "https://schema.org", "@type": "NewsArticle", "headline": "Ferry runs again"}


def _example() -> dict[str, Any]:
    from datetime import UTC

    made = from_request(NEWS, load(), document=_ARTICLE, now=datetime(2026, 11, 20, tzinfo=UTC)).preview
    card: dict[str, Any] = msgspec.to_builtins(made)
    return {"service_type": made.service_type, "unified": card["unified"], "snippet": card["snippet"]}


_MADE = _example()
_STORED = {"id": "1f0c2c54-3f0e-4bd1-8a3f-0d3f2f1c7a12", **_MADE, "created_at": "2026-11-20T09:00:00.000Z"}
_CARD = _MADE | {"eligibility": badge_of("supported")._asdict(), "findings": []}
_BODY = page_work.SNIPPET._replace(
    examples={"a document": {"document": _ARTICLE, "store": True}, "JSON-LD": {"data": _DATA}},
)
_QUERY = (
    Parameter("domain", "Only documents about this host.",
          {"type": "string", "minLength": 1, "maxLength": 253}),
    Parameter("since", "Only documents stored since this date or time.", {"type": "string", "maxLength": 40}),
    LIMIT,
    CURSOR,
)  # fmt: skip


_KIND = Parameter("kind", "The kind of item.", {"type": "string", "enum": sorted(kinds(load()))}, place="path")
_DOCUMENT = Parameter("id", "The document's id.", {"type": "string", "maxLength": 64}, place="path")
_LIST_CONTRACT = Contract(
    scopes=("snippets",),
    limit="lookups",
    parameters=_QUERY,
    answers={200: Answer("The documents.", "snippet-list", example={"items": [_STORED]})},
    problems=("domain-only", "invalid-cursor"),
)
_ABOUT_LIST = (
    "The organization's own stored documents with their cards, newest first. A card is as it was when its document was "
    "stored. A page of long documents has fewer than `limit`."
)
_MAKING = Contract(
    scopes=("snippets",),
    limit="validate",
    body=_BODY,
    answers={
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
_ABOUT_MAKING = (
    "From a document of the unified model, from JSON-LD or from a page. `findings` says what the rules find in data or "
    "a page, `eligibility` what that means for a rich result of the item; places count in what was sent. With `store` "
    f"it is kept among the organization's documents, which takes the scope `{STORING}` as well as `snippets`, and a "
    "live key: reading keys and test keys store nothing."
)
_READ = Contract(
    scopes=("snippets",),
    limit="lookups",
    parameters=(_DOCUMENT,),
    answers={200: Answer("The document.", "stored-snippet", example=_STORED)},
)
_ABOUT_READ = "One of the organization's own documents."


def _of_kind(contract: Contract) -> Contract:
    """Contract with the path parameter `kind` added."""
    return {**contract, "parameters": (_KIND, *contract.get("parameters", ()))}


def _route(method: Any, path: str, name: str, summary: str, about: str, opt: Contract) -> Any:
    return method(path, operation_id=name, summary=summary, description=about, tags=["Structured data"], opt=opt)


_NEWS, _ANY = "/v1/snippets/news", "/v1/snippets/{kind:str}"
list_news = _route(get, _NEWS, "listNewsSnippets", "List news snippets", _ABOUT_LIST, _LIST_CONTRACT)(index)
list_kind = _route(get, _ANY, "listSnippets", "List snippets of a kind", _ABOUT_LIST, _of_kind(_LIST_CONTRACT))(index)
make_news = _route(post, _NEWS, "makeNewsSnippet", "Create a news snippet", _ABOUT_MAKING, _MAKING)(make)
make_kind = _route(post, _ANY, "makeSnippet", "Create a snippet of a kind", _ABOUT_MAKING, _of_kind(_MAKING))(make)
read_news = _route(get, f"{_NEWS}/{{id:str}}", "readNewsSnippet", "Get a news snippet", _ABOUT_READ, _READ)(read)
read_kind = _route(get, f"{_ANY}/{{id:str}}", "readSnippet", "Get a snippet of a kind", _ABOUT_READ, _of_kind(_READ))(
    read
)
