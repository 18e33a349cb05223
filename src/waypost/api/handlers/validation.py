"""Validation of structured data, with the report of the command line."""

from __future__ import annotations

import re

import msgspec
from litestar import post
from litestar.di import NamedDependency

from waypost.api.auth import spend
from waypost.api.endpoint import JSON, Answer, Contract, hot
from waypost.api.request import Call, Reply
from waypost.errors import WaypostError
from waypost.service import page_work
from waypost.service.page_work import HTML, JSON_LD, NDJSON, SARIF, VALIDATION
from waypost.service.problems import ProblemError, to_problem

MOST_LINES = 50
_LINE_END = re.compile(rb"\n\s*")
_RECIPE = {"data": {"@context": "https://schema.org", "@type": "Recipe", "name": "Nettle soup"}}


@hot
@post(
    "/v1/validate",
    operation_id="validate",
    summary="Validate structured data",
    description="The report of `waypost validate --format json`, with `valid`: no finding of severity error. The "
    "answer is 200 for an invalid page too. `data` is JSON-LD, `html` a page; or send the page itself as `text/html`, "
    "JSON-LD as `application/ld+json`, or a request on each line as `application/x-ndjson`. Places count in what "
    "was sent. With `Accept: application/sarif+json` the answer is SARIF 2.1.0.",
    tags=["Structured data"],
    opt=Contract(
        scopes=("validate",),
        limit="validate",
        body=VALIDATION._replace(
            examples={"JSON-LD": _RECIPE, "a page": {"html": "<p itemscope itemtype='https://schema.org/Book'>"}}
        ),
        answers={200: Answer("The report.", "validate-answer", others=(SARIF, NDJSON))},
        problems=("not-acceptable", "too-heavy"),
    ),
)
async def validate(call: NamedDependency[Call]) -> Reply:
    media = call.media()
    if media == NDJSON:
        return await _lines(call)
    media_type = call.accepts(JSON, SARIF)
    if media in {HTML, JSON_LD}:
        raw = await call.for_worker()
        if not raw:
            raise ProblemError("empty-body")
    else:
        raw = await call.json_for_worker()
    answer = await call.in_worker(page_work.validate, raw, media, media_type, call.state.situation)
    return Reply(answer, 200, media_type, {"vary": "Accept, Authorization"})


async def _lines(call: Call) -> Reply:
    """NDJSON answer: a report or an error for each line of the request, in order."""
    raw = (await call.raw()).strip()
    if not raw:
        raise ProblemError("empty-body")
    # One more part than allowed shows an excess without splitting a large body any further.
    lines = _LINE_END.split(raw, maxsplit=MOST_LINES)
    if len(lines) > MOST_LINES:
        raise ProblemError("body-too-large", f"a batch may have {MOST_LINES} lines")
    await spend(call, len(lines) - 1)
    answers = []
    for line in lines:
        try:
            answers.append(await call.in_worker(page_work.validate, line, JSON, JSON, call.state.situation))
        except WaypostError as error:
            problem = to_problem(error, call.request_id, call.state.settings.site_url)
            answers.append(msgspec.json.encode({"error": problem.body}))
    return Reply(b"\n".join(answers) + b"\n", 200, NDJSON)
