"""Validation of structured data, with the report of the command line."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from waypost.errors import WaypostError
from waypost.models.wire.validation import ValidateAnswer, ValidateRequest
from waypost.operations.context import Context, Posted, Result
from waypost.operations.table import FROM_OTHERS, Answer, Method, Tool, operation
from waypost.service import page_work
from waypost.service.body import JSON, KIB
from waypost.service.page_work import HTML, JSON_LD, NDJSON, SARIF, VALIDATION
from waypost.service.problems import ProblemError

MOST_LINES = 50
MOST_FINDINGS = 100
"""Findings of a result that a model reads."""
_LINE_END = re.compile(rb"\n\s*")
_RECIPE = {"data": {"@context": "https://schema.org", "@type": "Recipe", "name": "Nettle soup"}}


def _summary(report: dict[str, Any]) -> str:
    counts = report["summary"]
    valid = "valid" if report["valid"] else "not valid"
    return f"{valid}; {counts['errors']} errors, {counts['warnings']} warnings"


def cut_report(report: dict[str, Any]) -> dict[str, Any]:
    """Report with at most MOST_FINDINGS findings; the summary counts the rest too."""
    left = MOST_FINDINGS
    for file in report["files"]:
        findings = file["findings"]
        if len(findings) > left:
            file["findings"], report["truncated"] = findings[:left], True
        left -= len(file["findings"])
    return report


@operation(
    "POST /v1/validate",
    id="validate",
    title="Validate structured data",
    tag="Structured data",
    scope="validate",
    limit="validate",
    body=VALIDATION._replace(
        examples={"JSON-LD": _RECIPE, "a page": {"html": "<p itemscope itemtype='https://schema.org/Book'>"}}
    ),
    answer={200: Answer("The report.", "validate-answer", others=(SARIF, NDJSON))},
    problems=("not-acceptable", "too-heavy"),
    hot=True,
    client=Method(
        "validate",
        "Validation",
        """Findings on JSON-LD (`data`) or a page (`html`). `also`: further names of types and properties to accept.

    template  `html` is a template: nothing is reported about what its engine computes.

    Raises NoAnswer.
    """,
        {"type": "kind"},
        harmless="True",
    ),
    tool=Tool(
        "validate_markup",
        about="Errors in a page's JSON-LD, Microdata or RDFa, with line, authority and fix. Give the page as html, or "
        f"JSON-LD as data; nothing is fetched. {FROM_OTHERS}",
        limit=2112 * KIB,
        within=60.0,
        summary=_summary,
        cut=cut_report,
    ),
)
async def validate(page: Posted[ValidateRequest], context: Context) -> Result[ValidateAnswer]:
    """The report of `waypost validate --format json`, with `valid`: no finding of severity error. The answer is 200 for
    an invalid page too. `data` is JSON-LD, `html` a page; or send the page itself as `text/html`, JSON-LD as
    `application/ld+json`, or a request on each line as `application/x-ndjson`. Places count in what was sent. With
    `Accept: application/sarif+json` the answer is SARIF 2.1.0.
    """
    if page.media == NDJSON:
        return await _lines(bytes(await page.read()), context)
    media = context.accepts(JSON, SARIF)
    raw = await page.read()
    if page.media in {HTML, JSON_LD} and not raw:
        raise ProblemError("empty-body")
    report = await context.in_worker(page_work.validate, raw, page.media, media, context.situation)
    return Result(report, headers={"vary": "Accept, Authorization"}, media=media)


async def _lines(body: bytes, context: Context) -> Result[ValidateAnswer]:
    """NDJSON answer: a report or an error for each line of the request, in order."""
    raw = body.strip()
    if not raw:
        raise ProblemError("empty-body")
    # One more part than allowed shows an excess without splitting a large body any further.
    lines = _LINE_END.split(raw, maxsplit=MOST_LINES)
    if len(lines) > MOST_LINES:
        raise ProblemError("body-too-large", f"a batch may have {MOST_LINES} lines")
    await context.spend(len(lines) - 1)
    answers = []
    for line in lines:
        try:
            answers.append(await context.in_worker(page_work.validate, line, JSON, JSON, context.situation))
        except WaypostError as error:
            answers.append(msgspec.json.encode({"error": context.problem(error)}))
    return Result(b"\n".join(answers) + b"\n", media=NDJSON)
