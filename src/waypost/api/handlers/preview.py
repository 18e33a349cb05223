"""The explorer's snippet preview: no key, nothing stored, nothing fetched."""

from __future__ import annotations

import time
from typing import Any

import msgspec

from waypost.api.endpoint import JSON, KIB, PUBLIC, Answer, Body, Endpoint
from waypost.api.request import Call, Reply
from waypost.preview.request import from_request
from waypost.report.json import encoded


class SnippetRequest(msgspec.Struct, frozen=True, kw_only=True):
    """See `schemas/api/snippet-request.schema.json`."""

    kind: str
    site: dict[str, Any] | None = None
    document: dict[str, Any] | None = None
    markup: str | None = None


async def preview(call: Call) -> Reply:
    began = time.perf_counter()
    asked = await call.asked(SnippetRequest)
    made = from_request(
        asked.kind, call.registry, site=asked.site, document=asked.document, markup=asked.markup, now=call.running.utc()
    )
    told = msgspec.to_builtins(made.preview)
    warnings = [{"code": "filled-from-site", "detail": f"{name} was taken from the site"} for name in made.filled]
    if asked.kind == "schema":
        warnings = []
    body = {
        "snippet": told["snippet"],
        "unified": told["unified"],
        "warnings": warnings,
        "meta": {
            "time": round((time.perf_counter() - began) * 1000, 3),
            "fetched": call.running.written(call.running.now()),
            "source": "registry",
            "provider": "waypost",
        },
    }
    return Reply(encoded(body), 200, JSON)


_SITE = {"name": "Harbour Courier", "domain": "news.example.com", "description": "News of the harbour."}
ENDPOINTS = (
    Endpoint(
        method="POST",
        path="/api/ai/snippet",
        name="previewSnippet",
        summary="Preview a snippet",
        about="What the explorer sends: a site, and one thing as `document` (members of the unified model) or `markup` "
        "(HTML or JSON-LD). The site fills `provider`, `isPartOf` and `url` where the document lacks them; `warnings` "
        "name what was filled. The domain is never fetched, and nothing is kept.",
        needs=(PUBLIC,),
        policy="preview",
        handle=preview,
        body=Body("snippet-request", limit=16 * KIB),
        answers={200: Answer("The card, the document it was made from, and how it came about.", "snippet-answer")},
        problems=("nothing-to-show", "unreadable"),
        examples={
            "a site": {"kind": "schema", "site": _SITE},
            "an article": {
                "kind": "news",
                "site": _SITE,
                "document": {"name": "Ferry runs again", "datePublished": "2026-11-20T08:00:00Z"},
            },
        },
        tag="Structured data",
        site=True,
        cors=True,
    ),
)
