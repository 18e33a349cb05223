"""Snippet preview of the explorer: public, without storage or network access."""

from __future__ import annotations

from litestar import post
from litestar.di import NamedDependency

from waypost.api.endpoint import JSON, PUBLIC, Answer, Contract
from waypost.api.request import Call, Reply
from waypost.service import page_work

_SITE = {"name": "Harbour Courier", "domain": "news.example.com", "description": "News of the harbour."}


@post(
    "/api/ai/snippet",
    operation_id="previewSnippet",
    summary="Preview a snippet",
    description="What the explorer sends: a site, and one item as `document` (members of the unified model) or "
    "`markup` (HTML or JSON-LD). The site fills `provider`, `isPartOf` and `url` where the document lacks them; "
    "`warnings` name what was filled, and the addresses that were left out because they are not of the web. The domain "
    "is never fetched, and nothing is kept.",
    tags=["Structured data"],
    opt=Contract(
        scopes=(PUBLIC,),
        limit="preview",
        body=page_work.PREVIEW._replace(
            examples={
                "a site": {"kind": "schema", "site": _SITE},
                "an article": {
                    "kind": "news",
                    "site": _SITE,
                    "document": {"name": "Ferry runs again", "datePublished": "2026-11-20T08:00:00Z"},
                },
            },
        ),
        answers={200: Answer("The card, the document it was made from, and facts about the answer.", "snippet-answer")},
        problems=("nothing-to-show", "unreadable"),
        cors=True,
    ),
)
async def preview(call: NamedDependency[Call]) -> Reply:
    answer = await call.in_worker(page_work.preview_snippet, await call.json_for_worker(), call.state.situation)
    return Reply(answer, 200, JSON)
