"""Search over records of every kind, in three forms: a query string, a body with GET, a body with POST."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, get_args

from waypost.api.endpoint import Answer, Body, Endpoint, Query
from waypost.api.pagination import CURSOR, LIMIT, USUAL, Pages
from waypost.api.problems import Refused
from waypost.api.request import Call, Reply, reply
from waypost.api.search_index import Hit, Kind, in_order, index_of, normalized, part_of, shipped_hits, stored_hits

_DROPPED = (
    "there is neither q nor a body with query; a proxy on the way may have dropped the body of a GET: send q, or POST"
)


async def search(call: Call) -> Reply:
    asked, place = await _asked(call)
    text, kind = normalized(asked["query"]), asked.get("type", "")
    way = Pages(call, text, kind)
    after = way.position(asked.get("cursor"), place)
    hits = in_order(_hits(call, text, kind))
    page = part_of(hits, int(asked.get("limit", USUAL)), after)
    return reply(way.told(page, lambda hit: hit.told, "results"))


def _hits(call: Call, text: str, kind: str) -> Iterator[Hit]:
    running, key, now = call.running, call.key, call.running.now()
    index = index_of(running.decides(key).world, running.registry)
    for each in chain(shipped_hits(index, text, now), stored_hits(running.store, text, key.organization, now)):
        if kind in {"", each.told["kind"]}:
            yield each


async def _asked(call: Call) -> tuple[dict[str, Any], dict[str, str]]:
    """(what is asked, where its cursor stands). Raises Refused where two places say different things, or none does."""
    sent = dict(call.query)
    if "limit" in sent:
        sent["limit"] = int(sent["limit"])  # type: ignore[assignment]
    if "q" in sent:
        sent["query"] = sent.pop("q")
    assert call.endpoint.body is not None
    if not (await call.raw(call.endpoint.body)).strip():
        if "query" not in sent:
            if call.endpoint.method == "POST":
                raise Refused("empty-body")
            place = {"parameter": "q", "code": "required", "detail": "the parameter is missing"}
            raise Refused("invalid-request", _DROPPED, errors=[place])
        return sent, {"parameter": "cursor"}
    body = await call.document()
    for name, value in sent.items():
        there = body.get(name)
        if there is not None and (normalized(there) != normalized(value) if name == "query" else there != value):
            raise Refused("ambiguous-query")
    return sent | body, {"pointer": "#/cursor"} if "cursor" in body else {"parameter": "cursor"}


_QUERY = (
    Query(
        "q",
        "Words of a name or a domain; the last may be unfinished.",
        {"type": "string", "minLength": 1, "maxLength": 200},
    ),
    Query("type", "Only records of this kind.", {"type": "string", "enum": list(get_args(Kind))}),
    LIMIT,
    CURSOR,
)
_ABOUT = (
    "Over the organizations and domains that ship with waypost, relationships in every state, the organization's own "
    "stored documents, and the types and fields of the schemas. Every hit says what it is and whether a review stands "
    "behind it; the order is the only ranking. Names are those that strangers gave."
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

ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/v1/search",
        name="search",
        summary="Search records",
        about=f"{_ABOUT} The question stands in `q`, or as `query` in a JSON body. Some proxies drop the body of a "
        "GET: POST takes the same body.",
        needs=("search",),
        policy="lookups",
        handle=search,
        query=_QUERY,
        body=Body("search-request", optional=True),
        answers=_ANSWERS,
        problems=("ambiguous-query", "invalid-cursor"),
        examples=_EXAMPLES,
        tag="Lookup",
    ),
    Endpoint(
        method="POST",
        path="/v1/search",
        name="searchByPost",
        summary="Search records, with nothing in the address",
        about=_ABOUT,
        needs=("search",),
        policy="lookups",
        handle=search,
        body=Body("search-request"),
        answers=_ANSWERS,
        problems=("invalid-cursor",),
        examples=_EXAMPLES,
        tag="Lookup",
    ),
)
