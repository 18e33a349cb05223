"""Validation of structured data, with the report of the command line."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from litestar import post
from litestar.di import NamedDependency

from waypost.api import body as strict
from waypost.api.auth import spend
from waypost.api.endpoint import JSON, KIB, Answer, Body, Contract, hot
from waypost.api.problems import ProblemError, to_problem
from waypost.api.request import Call, Reply
from waypost.errors import WaypostError
from waypost.formats.text import near
from waypost.models.finding import FileReport, Finding
from waypost.registry import Registry
from waypost.report.json import as_data, encode_json
from waypost.validate import build_report

HTML, JSON_LD, NDJSON, SARIF = "text/html", "application/ld+json", "application/x-ndjson", "application/sarif+json"
MOST_DATA, MOST_HTML = 1024 * KIB, 2048 * KIB
MOST_LINES = 50
_BODY = Body("validate-request", limit=MOST_HTML + 64 * KIB, depth=66, others=(HTML, JSON_LD, NDJSON))


class ValidateRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Body of a validation: `data` as sent, or `html`."""

    data: msgspec.Raw = msgspec.Raw()
    html: str | None = None
    type: str | None = None
    syntax: str = "auto"
    profile: str | None = None
    base_url: str | None = None


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
        body=_BODY._replace(
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
        data = await call.raw()
        if not data.strip():
            raise ProblemError("empty-body")
        request = ValidateRequest(html="") if media == HTML else ValidateRequest()
    else:
        document = await call.document()
        data, request = _data_and_request(await call.raw(), document)
    file = await _validated(call, data, request)
    if media_type == SARIF:
        return Reply(_sarif(call, file), 200, SARIF, {"vary": "Accept, Authorization"})
    return Reply(encode_json(_report(call, file)), 200, JSON, {"vary": "Accept, Authorization"})


async def _lines(call: Call) -> Reply:
    """NDJSON answer: a report or an error for each line of the request, in order."""
    raw = await call.raw()
    lines = [line for line in raw.split(b"\n") if line.strip()]
    if not lines:
        raise ProblemError("empty-body")
    if len(lines) > MOST_LINES:
        raise ProblemError("body-too-large", f"a batch may have {MOST_LINES} lines")
    await spend(call, len(lines) - 1)
    answers = []
    for line in lines:
        await asyncio.sleep(0)  # validation never awaits, so other requests run between two lines
        try:
            data, request = _data_and_request(line, strict.read(line, _BODY, call.registry))
            answers.append(encode_json(_report(call, await _validated(call, data, request))))
        except WaypostError as error:
            problem = to_problem(error, call.request_id, call.state.settings.site_url)
            answers.append(msgspec.json.encode({"error": problem.body}))
    return Reply(b"\n".join(answers) + b"\n", 200, NDJSON)


def _data_and_request(raw: bytes, document: Any) -> tuple[bytes, ValidateRequest]:
    """(bytes to validate, options). `data` keeps the bytes of the request, since findings count offsets in them."""
    del document  # has passed its schema; the values are read from the bytes
    request = msgspec.json.decode(raw, type=ValidateRequest)
    if request.html is not None:
        data = request.html.encode("utf-8", "surrogatepass")
        if len(data) > MOST_HTML:
            raise ProblemError("body-too-large", f"html may have {MOST_HTML} bytes")
        return data, request
    data = bytes(request.data)
    if len(data) > MOST_DATA:
        raise ProblemError("body-too-large", f"data may have {MOST_DATA} bytes")
    return data, request


async def _validated(call: Call, data: bytes, request: ValidateRequest) -> FileReport:
    profiles = profiles_of(request, call.registry)
    file = await call.state.validate(data, html=request.html is not None, url=request.base_url, profiles=profiles)
    if request.syntax == "auto":
        return file
    items = [item for item in file.items if item.syntax == request.syntax]
    findings = [finding for finding in file.findings if finding.syntax in {request.syntax, "html"}]
    return msgspec.structs.replace(file, items=items, findings=findings)


def profiles_of(request: ValidateRequest, registry: Registry) -> tuple[str, ...]:
    """Profile names to validate: the named profile, and profiles of the named type. Raises ProblemError."""
    found: list[str] = []
    if request.profile is not None:
        if request.profile not in registry.profiles:
            suggestions = near(request.profile, registry.profiles)
            place = {"pointer": "#/profile", "code": "unknown-profile", "detail": _did_you_mean("profile", suggestions)}
            raise ProblemError(
                "invalid-request", errors=[place], more={"did_you_mean": suggestions} if suggestions else None
            )
        found.append(request.profile)
    if request.type is not None:
        if request.type not in registry.vocabulary.types:
            suggestions = near(request.type, registry.vocabulary.types)
            place = {"pointer": "#/type", "code": "unknown-type", "detail": _did_you_mean("type", suggestions)}
            raise ProblemError(
                "invalid-request", errors=[place], more={"did_you_mean": suggestions} if suggestions else None
            )
        found += [
            name
            for name, profile in registry.profiles.items()
            if profile.status != "retired" and request.type in profile.types
        ]
    return tuple(dict.fromkeys(found))


def _did_you_mean(what: str, names: list[str]) -> str:
    return f"there is no such {what}" + (f"; did you mean {' or '.join(names)}?" if names else "")


def _report(call: Call, file: FileReport) -> dict[str, Any]:
    whole = as_data(build_report([file], call.registry))
    members: dict[str, Any] = {"valid": not any(_is_error(finding) for finding in file.findings)}
    if file.truncated:
        members["truncated"] = True
    return members | whole


def _is_error(finding: Finding) -> bool:
    return finding.severity == "error"


def _sarif(call: Call, file: FileReport) -> bytes:
    from waypost.report import View, render
    from waypost.service.rule_notes import rule_notes

    site = call.state.settings.site_url
    return render(build_report([file], call.registry), "sarif", View(rules=lambda: rule_notes(site))).encode()
