"""Search over records by GET: by query string, or by the body that POST takes (RFC 9110 gives it no meaning)."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
from litestar import get
from litestar.di import NamedDependency

from waypost.api.endpoint import Body, Contract, Parameter
from waypost.api.operations import CallContext, reply
from waypost.api.pagination import CURSOR, LIMIT
from waypost.api.request import Call, Reply
from waypost.models.wire.lookup import SearchRequest
from waypost.operations import OPERATIONS
from waypost.operations import search as operations
from waypost.operations.search import ABOUT, EXAMPLES
from waypost.service.problems import ProblemError
from waypost.service.search_index import Kind, normalized

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


@get(
    "/v1/search",
    operation_id="search",
    summary="Search records",
    description=f"{ABOUT} Send the query as `q`, or as `query` in a JSON body. Some proxies drop the body of a GET "
    "request; POST accepts the same body.",
    tags=["Lookup"],
    opt=Contract(
        scopes=("search",),
        limit="lookups",
        parameters=_QUERY,
        body=Body("search-request", optional=True, examples=EXAMPLES),
        answers=OPERATIONS["search"].answers,
        problems=("ambiguous-query", "invalid-cursor"),
    ),
)
async def search(call: NamedDependency[Call]) -> Reply:
    params, in_body = await _params(call)
    request = msgspec.convert(params, SearchRequest)
    return reply(await operations.search(request, CallContext(call, in_body=in_body)))


async def _params(call: Call) -> tuple[dict[str, Any], bool]:
    """(search parameters, whether the cursor is in the body). Raises ProblemError for two queries, and for none."""
    sent = dict(call.query)
    if "limit" in sent:
        sent["limit"] = int(sent["limit"])  # type: ignore[assignment]
    if "q" in sent:
        sent["query"] = sent.pop("q")
    assert call.endpoint.body is not None
    # Proxies may drop the body of a GET (RFC 9110, section 9.3.1 gives it no meaning).
    if not (await call.raw()).strip():
        if "query" not in sent:
            place = {"parameter": "q", "code": "required", "detail": "the parameter is missing"}
            raise ProblemError("invalid-request", _DROPPED, errors=[place])
        return sent, False
    body = await call.document()
    for name, value in sent.items():
        there = body.get(name)
        # Two questions in one request: answering either would be a guess.
        if there is not None and (normalized(there) != normalized(value) if name == "query" else there != value):
            raise ProblemError("ambiguous-query")
    return sent | body, "cursor" in body
