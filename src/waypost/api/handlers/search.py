"""Search over records of every kind, by query string, by GET with a body, by POST, or by QUERY (RFC 10008)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, get_args

from litestar import get, post
from litestar.di import NamedDependency

from waypost.api.endpoint import Answer, Body, Contract, Parameter
from waypost.api.pagination import CURSOR, LIMIT, USUAL, Pages
from waypost.api.request import Call, Reply, json_reply
from waypost.service.problems import ProblemError
from waypost.service.search_index import Hit, Kind, in_order, index_of, normalized, part_of, shipped_hits, stored_hits

_DROPPED = (
    "there is neither q nor a body with query; a proxy on the way may have dropped the body of a GET: send q, or POST"
)


_QUERY = (
    Parameter(
        "q",
        "Words of a name or a domain; the last may be unfinished.",
        {"type": "string", "minLength": 1, "maxLength": 200},
    ),
    Parameter("type", "Only records of this kind.", {"type": "string", "enum": list(get_args(Kind))}),
    LIMIT,
    CURSOR,
)
_ABOUT = (
    "Searches the organizations and domains that ship with waypost, relationships in every state, your organization's "
    "stored documents, and the types and fields of the schemas. Each result has its kind and whether it was reviewed. "
    "Results come best match first, without scores. Names come from third parties."
)
_ANSWERS = {
    200: Answer(
        "The records.",
        "search-answer",
        example={
            "results": [
                {
                    "id": "rel_0123456789abcdef0123",
                    "kind": "relationship",
                    "name": "Acme",
                    "domain": "pay.example.com",
                    "review_status": "unreviewed",
                    "relationship_status": "claimed_unreviewed",
                    "state": "unreviewed",
                    "matched_on": "name",
                }
            ]
        },
    )
}
_EXAMPLES = {"organizations": {"query": "acme", "type": "organization", "limit": 5}}


@get(
    "/v1/search",
    operation_id="search",
    summary="Search records",
    description=f"{_ABOUT} Send the query as `q`, or as `query` in a JSON body. Some proxies drop the body of a GET "
    "request; POST accepts the same body.",
    tags=["Lookup"],
    opt=Contract(
        scopes=("search",),
        limit="lookups",
        parameters=(*_QUERY,),
        body=Body("search-request", optional=True, examples=_EXAMPLES),
        answers=_ANSWERS,
        problems=("ambiguous-query", "invalid-cursor"),
    ),
)
async def search(call: NamedDependency[Call]) -> Reply:
    return await _search(call)


async def _search(call: Call) -> Reply:
    params, place = await _params(call)
    text, kind = normalized(params["query"]), params.get("type", "")
    way = Pages(call, text, kind)
    after = way.position(params.get("cursor"), place)
    index_of(call.state.decides(call.key).world, call.state.registry)  # the deadline is for the store
    hits = await call.state.search(lambda: in_order(_hits(call, text, kind)))
    page = part_of(hits, int(params.get("limit", USUAL)), after)
    return json_reply(way.to_dict(page, lambda hit: hit.document, "results"))


def _hits(call: Call, text: str, kind: str) -> Iterator[Hit]:
    state, now = call.state, call.state.now()
    index = index_of(state.decides(call.key).world, state.registry)
    for hit in chain(shipped_hits(index, text, now), stored_hits(state.store, text, call.owner, now)):
        if kind in {"", hit.document["kind"]}:
            yield hit


async def _params(call: Call) -> tuple[dict[str, Any], dict[str, str]]:
    """(search parameters, place of the cursor). Raises ProblemError if URL and body differ, or both lack a query."""
    sent = dict(call.query)
    if "limit" in sent:
        sent["limit"] = int(sent["limit"])  # type: ignore[assignment]
    if "q" in sent:
        sent["query"] = sent.pop("q")
    assert call.endpoint.body is not None
    # Proxies may drop the body of a GET (RFC 9110, section 9.3.1 gives it no meaning).
    if not (await call.raw()).strip():
        if "query" not in sent:
            if call.endpoint.method != "GET":
                raise ProblemError("empty-body")
            place = {"parameter": "q", "code": "required", "detail": "the parameter is missing"}
            raise ProblemError("invalid-request", _DROPPED, errors=[place])
        return sent, {"parameter": "cursor"}
    body = await call.document()
    for name, value in sent.items():
        there = body.get(name)
        # Two questions in one request: answering either would be a guess.
        if there is not None and (normalized(there) != normalized(value) if name == "query" else there != value):
            raise ProblemError("ambiguous-query")
    return sent | body, {"pointer": "#/cursor"} if "cursor" in body else {"parameter": "cursor"}


@post(
    "/v1/search",
    operation_id="searchByPost",
    summary="Search records by POST",
    description=_ABOUT,
    tags=["Lookup"],
    opt=Contract(
        scopes=("search",),
        limit="lookups",
        body=Body("search-request", examples=_EXAMPLES),
        answers=_ANSWERS,
        problems=("invalid-cursor",),
        as_query="searchByQuery",
    ),
)
async def search_by_post(call: NamedDependency[Call]) -> Reply:
    return await _search(call)
