"""A page from the web for the boxes of the site: fetched once for the visitor who names it, and not kept."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from litestar import post
from litestar.di import NamedDependency

from waypost.api.endpoint import KIB, PUBLIC, Answer, Body, Contract
from waypost.api.request import Call, Reply
from waypost.errors import FetchDenied, FetchFailed
from waypost.models.wire.service import PageRequest
from waypost.net.wire import Limits
from waypost.service import page_work
from waypost.service.problems import ProblemError

if TYPE_CHECKING:
    from waypost.net.fetch import Fetched

MOST_PAGE = 2048 * KIB
LIMITS = Limits(
    total_s=12.0, connect_s=4.0, read_s=5.0, redirects=5, wire_bytes=MOST_PAGE + 64 * KIB, body_bytes=MOST_PAGE
)
_AT_ONCE = 8
"""Fetches that a process has open: visitors of a busy site wait their turn, and the rest of the service does not."""
_WAIT_S = 5.0
_TEXTS = ("text/html", "application/xhtml+xml", "text/plain", "application/json")
_turns = asyncio.Semaphore(_AT_ONCE)


@post(
    "/api/page",
    operation_id="fetchPage",
    summary="Fetch a page",
    description="Fetches the text of a page, for the browser to check: this site's box calls it when a URL is entered. "
    "Only public addresses on ports 80 and 443, also after each redirect; no cookies, at most 2 MB and 12 seconds. "
    "Nothing is stored, and logs and errors contain only the URL's host.",
    tags=["Structured data"],
    opt=Contract(
        scopes=(PUBLIC,),
        limit="pages",
        body=Body("page-request", limit=16 * KIB, examples={"a page": {"url": "https://www.example.com/"}}),
        answers={
            200: Answer(
                "The page, whatever its status.",
                "page-answer",
                example={"url": "https://www.example.com/", "status": 200, "text": "<!doctype html>"},
            )
        },
        problems=("fetch-refused", "fetch-failed"),
        cors=True,
    ),
)
async def page(call: NamedDependency[Call]) -> Reply:
    request = await call.struct(PageRequest)
    if call.state.settings.offline:
        raise ProblemError("fetch-refused", "this service runs offline and fetches no page: paste its source instead")
    response = await _fetched(request.url)
    if not _is_text(response):
        raise ProblemError("fetch-refused", f"this is not a page but {response.media_type or 'binary data'}")
    # In a worker: 2 MB in an encoding that Python decodes character by character take a second.
    answer = await call.in_worker(
        page_work.page_answer, response.data, response.media_type, response.url.reveal(), response.status
    )
    return Reply(answer)


async def _fetched(url: str) -> Fetched:
    """The response for an address, in turn. Raises ProblemError."""
    from waypost.net.fetch import fetch_async

    try:
        async with asyncio.timeout(_WAIT_S):
            await _turns.acquire()
    except TimeoutError:
        raise ProblemError("not-ready", headers={"retry-after": "5"}) from None
    try:
        # Redirects are checked one by one by `fetch_async`; the host's addresses, too.
        return await fetch_async(url, limits=LIMITS)
    except FetchDenied as error:
        # The rest of the message names an option of the command line.
        raise ProblemError("fetch-refused", str(error).partition("; it is fetched only when")[0]) from None
    except FetchFailed as error:
        raise ProblemError("fetch-failed", str(error)) from None
    finally:
        _turns.release()


def _is_text(response: Fetched) -> bool:
    essence = (response.media_type or "text/html").partition(";")[0].strip().lower()
    # Servers call binary files text/plain where they know no better.
    return (essence in _TEXTS or essence.endswith("+json")) and b"\0" not in response.data[:1024]
