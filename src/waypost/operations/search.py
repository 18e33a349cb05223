"""Search over records of every kind."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from waypost.models.wire.lookup import SearchAnswer, SearchRequest
from waypost.operations.context import Result, ServiceContext
from waypost.operations.lists import USUAL
from waypost.operations.table import Method, operation
from waypost.service.body import Body
from waypost.service.search_index import Hit, in_order, index_of, normalized, part_of, shipped_hits, stored_hits

ABOUT = (
    "Searches the organizations and domains that ship with waypost, relationships in every state, your organization's "
    "stored documents, and the types and fields of the schemas. Each result has its kind and whether it was reviewed. "
    "Results come best match first, without scores. Names come from third parties."
)
EXAMPLE: dict[str, Any] = {
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
}
EXAMPLES = {"organizations": {"query": "acme", "type": "organization", "limit": 5}}


@operation(
    "POST /v1/search",
    id="searchByPost",
    title="Search records by POST",
    about=ABOUT,
    tag="Lookup",
    scope="search",
    limit="lookups",
    body=Body("search-request", examples=EXAMPLES),
    answer="The records.",
    example=EXAMPLE,
    problems=("invalid-cursor",),
    as_query="searchByQuery",
    client=Method(
        "search",
        "SearchPage",
        "Records, reviewed or not according to `review_status`. Raises NoAnswer.",
        {"type": "kind"},
        harmless="True",  # sent by POST only to keep the words out of addresses
    ),
)
async def search(request: SearchRequest, context: ServiceContext) -> Result[SearchAnswer]:
    text, kind = normalized(request.query), request.type or ""
    index_of(context.world, context.registry)  # the deadline is for the store
    hits = await context.search(lambda: in_order(_hits(context, text, kind)))
    limit = request.limit or USUAL
    found, cursor = await context.page(request.cursor, (text, kind), lambda after: part_of(hits, limit, after))
    return Result({"results": [hit.document for hit in found]} | ({"next_cursor": cursor} if cursor else {}))


def _hits(context: ServiceContext, text: str, kind: str) -> Iterator[Hit]:
    now, index = context.now(), index_of(context.world, context.registry)
    for hit in chain(shipped_hits(index, text, now), stored_hits(context.store, text, context.owner, now)):
        if kind in {"", hit.document["kind"]}:
            yield hit
