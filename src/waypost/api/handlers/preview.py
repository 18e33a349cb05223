"""Snippet preview of the explorer: public, without storage or network access."""

from __future__ import annotations

import time
from typing import Any

import msgspec
from litestar import post
from litestar.di import NamedDependency

from waypost.api.endpoint import JSON, KIB, PUBLIC, Answer, Body, Contract
from waypost.api.request import Call, Reply
from waypost.preview.request import from_request
from waypost.report.json import encode_json


class SnippetRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Body by `schemas/api/snippet-request.schema.json`."""

    kind: str
    site: dict[str, Any] | None = None
    document: dict[str, Any] | None = None
    markup: str | None = None


_SITE = {"name": "Harbour Courier", "domain": "news.example.com", "description": "News of the harbour."}


@post(
    "/api/ai/snippet",
    operation_id="previewSnippet",
    summary="Preview a snippet",
    description="What the explorer sends: a site, and one thing as `document` (members of the unified model) or "
    "`markup` (HTML or JSON-LD). The site fills `provider`, `isPartOf` and `url` where the document lacks them; "
    "`warnings` name what was filled. The domain is never fetched, and nothing is kept.",
    tags=["Structured data"],
    opt=Contract(
        scopes=(PUBLIC,),
        limit="preview",
        body=Body(
            "snippet-request",
            limit=16 * KIB,
            examples={
                "a site": {"kind": "schema", "site": _SITE},
                "an article": {
                    "kind": "news",
                    "site": _SITE,
                    "document": {"name": "Ferry runs again", "datePublished": "2026-11-20T08:00:00Z"},
                },
            },
        ),
        answers={200: Answer("The card, the document it was made from, and how it came about.", "snippet-answer")},
        problems=("nothing-to-show", "unreadable"),
        cors=True,
    ),
)
async def preview(call: NamedDependency[Call]) -> Reply:
    began = time.perf_counter()
    params = await call.struct(SnippetRequest)
    made = from_request(
        params.kind,
        call.registry,
        site=params.site,
        document=params.document,
        markup=params.markup,
        now=call.state.utc(),
    )
    card = msgspec.to_builtins(made.preview)
    warnings = [{"code": "filled-from-site", "detail": f"{name} was taken from the site"} for name in made.filled]
    if params.kind == "schema":
        warnings = []
    body = {
        "snippet": card["snippet"],
        "unified": card["unified"],
        "warnings": warnings,
        "meta": {
            "time": round((time.perf_counter() - began) * 1000, 3),
            "fetched": call.state.written(call.state.now()),
            "source": "registry",
            "provider": "waypost",
        },
    }
    return Reply(encode_json(body), 200, JSON)
