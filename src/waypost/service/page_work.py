"""Work on the pages and documents of third parties: functions that run in worker processes.

Each reads the bytes of a request itself, so that not even parsing them takes time of the process that answers requests,
and returns the bytes of the answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from waypost.config import ConfigError
from waypost.errors import InvalidUrl, NotReady
from waypost.formats.text import near, timestamp
from waypost.lint.configurations import Stamp, stamp
from waypost.lint.own_requirements import Requirements, requirements_at
from waypost.models.finding import FileReport, Finding
from waypost.models.page import Page
from waypost.models.snippet import Preview
from waypost.models.wire import snippets, validation
from waypost.preview import Choice, item_number, item_places
from waypost.preview.cleaning import safe_document
from waypost.preview.request import from_request, kinds
from waypost.preview.stored_cards import safe_card
from waypost.reader import read_data, read_page
from waypost.reader.encoding import decode
from waypost.registry import Registry, shared_registry
from waypost.report._eligibility import Badge, badge_of
from waypost.report.json import as_data, encode_json, finding_data
from waypost.safety.target import normalise
from waypost.service import body as strict
from waypost.service.body import JSON, KIB, Body
from waypost.service.problems import ProblemError
from waypost.store.snippets import StoredSnippet
from waypost.validate import build_report, validate_data, validate_page, validate_parsed
from waypost.validate.rulebook import load_rules

PATH = "request"
"""Path of the document in its report."""
HTML, JSON_LD, NDJSON, SARIF = "text/html", "application/ld+json", "application/x-ndjson", "application/sarif+json"
MOST_DATA, MOST_HTML = 1024 * KIB, 2048 * KIB
VALIDATION = Body("validate-request", limit=MOST_HTML + 64 * KIB, depth=66, others=(HTML, JSON_LD, NDJSON))
SNIPPET = Body("make-snippet-request", limit=256 * KIB, depth=66)
PREVIEW = Body("snippet-request", limit=2304 * KIB)
STORING = "relationships"
"""Scope that storing requires in addition to `snippets`, because a stored snippet is a record of the organization."""


class Situation(NamedTuple):
    """Facts of the service next to the request: the time, and the address of its site.

    requirements  path of the configuration whose profiles, checks and rules count for pages; empty for none.
    """

    now: datetime
    site: str
    requirements: str = ""

    def __reduce__(self) -> tuple[Any, ...]:
        # It goes to a worker with every page; pickle takes seven times as long for a datetime in a named tuple.
        return _situation, (self.now.timestamp(), self.site, self.requirements)


def _situation(seconds: float, site: str, requirements: str) -> Situation:
    return Situation(datetime.fromtimestamp(seconds, UTC), site, requirements)


def _requirements(situation: Situation) -> Requirements:
    """Requirements on the pages of requests. Raises NotReady where the configuration cannot be read any more."""
    if not situation.requirements:
        return Requirements(shared_registry())
    try:
        return _read_requirements(situation.requirements, stamp([situation.requirements]))
    except ConfigError:
        raise NotReady("the configuration with this service's own requirements cannot be read") from None


@lru_cache(maxsize=1)
def _read_requirements(path: str, _: Stamp) -> Requirements:
    return requirements_at(Path(path))


class ValidateParams(validation.ValidateRequest, frozen=True, kw_only=True):
    """Body of a validation. `data` keeps its bytes, since findings count offsets in them."""

    data: msgspec.Raw = msgspec.Raw()


class SnippetParams(snippets.MakeSnippetRequest, frozen=True, kw_only=True):
    """Body of a card with findings. `data` keeps its bytes, since findings count offsets in them."""

    data: msgspec.Raw = msgspec.Raw()


class PreviewParams(snippets.SnippetRequest, frozen=True, kw_only=True):
    """Body of a preview. The registry says which kinds there are; the site stays the document's plain members."""

    kind: str  # type: ignore[assignment]
    site: dict[str, Any] | None = None  # type: ignore[assignment]


class MadeSnippet(NamedTuple):
    """Answer of `make_snippet`; `unified`, `snippet` and `domain` for the store, if the request wants it stored."""

    body: bytes
    store: bool = False
    unified: dict[str, Any] | None = None
    snippet: dict[str, Any] | None = None
    domain: str = ""


def read_body(raw: bytes, body: Body) -> Any:
    """JSON body, valid by its schema. Raises ProblemError."""
    return strict.read(raw, body, shared_registry())


def validate(raw: bytes, media: str, answer: str, situation: Situation) -> bytes:
    """Report on the document of a validation request, as JSON or SARIF. Raises ProblemError.

    media   media type of the request: a page, JSON-LD, or JSON by the schema
    answer  media type of the answer
    """
    requirements = _requirements(situation)
    registry = requirements.registry
    if media in {HTML, JSON_LD}:
        # A page or JSON-LD does not pass the strict reader, which refuses white space alone for JSON.
        if raw.isspace():
            raise ProblemError("empty-body")
        data, request = raw, ValidateParams(html="") if media == HTML else ValidateParams()
    else:
        strict.read(raw, VALIDATION, shared_registry())
        data, request = _data_and_request(raw)
    file = _validated(data, request, situation, requirements)
    if answer == SARIF:
        return _sarif(file, situation.site, registry)
    members: dict[str, Any] = {"valid": not any(_is_error(finding) for finding in file.findings)}
    if file.truncated:
        members["truncated"] = True
    return encode_json(members | as_data(build_report([file], registry)))


def _data_and_request(raw: bytes) -> tuple[bytes, ValidateParams]:
    """(bytes to validate, options). `data` keeps the bytes of the request, since findings count offsets in them."""
    request = msgspec.json.decode(raw, type=ValidateParams)
    if request.html is not None:
        # JSON can hold half of a surrogate pair (RFC 8259, section 8.2), which plain UTF-8 refuses with an error.
        data = request.html.encode("utf-8", "surrogatepass")
        if len(data) > MOST_HTML:
            raise ProblemError("body-too-large", f"html may have {MOST_HTML} bytes")
        return data, request
    data = bytes(request.data)
    if len(data) > MOST_DATA:
        raise ProblemError("body-too-large", f"data may have {MOST_DATA} bytes")
    return data, request


def _validated(data: bytes, request: ValidateParams, situation: Situation, requirements: Requirements) -> FileReport:
    check: Callable[..., FileReport] = validate_data
    if request.html is not None:
        check = partial(validate_page, template="yes" if request.template else "no")
    registry = requirements.registry
    named = _profiles_of(request, registry)
    file = check(
        data,
        registry,
        path=PATH,
        url=request.base_url,
        now=situation.now,
        profiles=named or requirements.profiles,
        site=situation.site,
        also=requirements.also.union(request.also or ()),
    )
    requirements.apply(file, named=bool(named))
    if request.syntax in {None, "auto"}:
        return file
    return _of_syntax(file, request.syntax)


def _of_syntax(file: FileReport, syntax: str) -> FileReport:
    """Report with what is written in one syntax; indexes count what is left."""
    items, verdicts = (
        {number: count for count, number in enumerate(n for n, each in enumerate(found) if each == syntax)}
        for found in ((each.syntax for each in file.items), (each.syntax for each in file.verdicts))
    )
    replace = msgspec.structs.replace
    # Findings about the page itself are of the syntax "html", and belong to every choice.
    findings = [finding for finding in file.findings if finding.syntax in {syntax, "html"}]
    for finding in findings:
        finding.item = None if finding.item is None else items.get(finding.item)
        finding.verdict = None if finding.verdict is None else verdicts.get(finding.verdict)
    return replace(
        file,
        items=[file.items[number] for number in items],
        findings=findings,
        verdicts=[
            replace(each, item=None if each.item is None else items.get(each.item))
            for each in map(file.verdicts.__getitem__, verdicts)
        ],
    )


def _profiles_of(request: ValidateParams, registry: Registry) -> tuple[str, ...]:
    """Profile names to validate: the named profile, and profiles of the named type. Raises ProblemError."""
    found: list[str] = []
    if request.profile is not None:
        if request.profile not in registry.profiles:
            raise _unknown("profile", near(request.profile, registry.profiles))
        found.append(request.profile)
    if request.type is not None:
        if request.type not in registry.vocabulary.types:
            raise _unknown("type", near(request.type, registry.vocabulary.types))
        found += [
            name
            for name, profile in registry.profiles.items()
            if profile.status != "retired" and request.type in profile.types
        ]
    return tuple(dict.fromkeys(found))


def _unknown(member: str, names: list[str]) -> ProblemError:
    hint = f"; did you mean {' or '.join(names)}?" if names else ""
    place = {"pointer": f"#/{member}", "code": f"unknown-{member}", "detail": f"there is no such {member}{hint}"}
    return ProblemError("invalid-request", errors=[place], more={"did_you_mean": names} if names else None)


def _is_error(finding: Finding) -> bool:
    return finding.severity == "error"


def _sarif(file: FileReport, site: str, registry: Registry) -> bytes:
    from waypost.lint.rule_notes import rule_notes
    from waypost.report import View, render

    return render(build_report([file], registry), "sarif", View(rules=lambda: rule_notes(site))).encode()


def make_snippet(raw: bytes, kind: str, situation: Situation, *, may_store: bool) -> MadeSnippet:
    """Card of a document, of JSON-LD or of a page, with the findings on the markup.

    Raises ProblemError, NothingToShow and Unreadable.
    """
    registry = shared_registry()
    strict.read(raw, SNIPPET, registry)
    params = msgspec.json.decode(raw, type=SnippetParams)
    if params.store and not may_store:
        needed = ["snippets", STORING]
        raise ProblemError(
            "insufficient-scope", f"storing takes the scope {STORING} too", more={"required_scopes": needed}
        )
    preview, findings, badge = _card_and_findings(params, kind, situation, registry)
    card = msgspec.to_builtins(preview)
    surfaces: dict[str, Any] = {}
    if params.surfaces:
        text = None if params.document is not None else params.html or bytes(params.data).decode()
        choice = Choice(preview.service_type)
        surfaces = {"surfaces": _surfaces(preview, text, params.base_url, choice, situation, registry)}
    body = encode_json(
        {
            "service_type": kinds(registry)[kind],
            "unified": card["unified"],
            "snippet": card["snippet"],
            "eligibility": badge._asdict(),
            "findings": [finding_data(finding) for finding in findings],
            **surfaces,
        }
    )
    if not params.store:
        return MadeSnippet(body)
    return MadeSnippet(body, True, card["unified"], card["snippet"], _domain(str(preview.unified.get("url", ""))))


def _card_and_findings(
    params: SnippetParams, kind: str, situation: Situation, registry: Registry
) -> tuple[Preview, list[Finding], Badge]:
    """(card, findings on the markup, eligibility). A document of the unified model has no markup and no findings."""
    now = situation.now
    if params.document is not None:
        with strict.document_errors(registry):
            of_document = from_request(kind, registry, document=params.document, now=now)
        status = of_document.preview.snippet.status
        return of_document.preview, [_dropped(at) for at in of_document.dropped], badge_of(status)
    text = params.html if params.html is not None else bytes(params.data).decode()
    made = from_request(kind, registry, markup=text, url=params.base_url, now=now).preview
    read = read_data if params.html is None else read_page
    page = read(text.encode(), registry.vocabulary, path=PATH, url=params.base_url)
    return made, *_checked(page, made, Choice(made.service_type), situation, registry)


def _checked(
    page: Page, preview: Preview, choice: Choice, situation: Situation, registry: Registry
) -> tuple[list[Finding], Badge]:
    """(findings of the page, eligibility of the item that the card is of)."""
    file = validate_parsed(page, registry, now=situation.now, site=situation.site)
    number, places = item_number(page, registry, choice), item_places(page, registry, choice)
    badge = badge_of(preview.snippet.status, file, number, places)
    page.release()
    return file.findings, badge


def page_answer(raw: bytes, media: str | None, url: str, status: int) -> bytes:
    """Answer with the text of a fetched page, decoded as a browser would."""
    return encode_json({"url": url, "status": status, "text": decode(raw, media).string})


def safe_snippets(raw: bytes) -> bytes:
    """JSON array of stored documents as they are shown, from the documents as msgspec encodes them."""
    registry = shared_registry()
    return encode_json(
        [_safe_snippet(stored, registry) for stored in msgspec.json.decode(raw, type=list[StoredSnippet])]
    )


def _safe_snippet(stored: StoredSnippet, registry: Registry) -> dict[str, Any]:
    members: dict[str, Any] = {
        "id": stored.id,
        "service_type": stored.service_type,
        "created_at": timestamp(stored.created_at),
        "unified": safe_document(dict(stored.unified), registry).document,
        "snippet": safe_card(dict(stored.snippet)),
    }
    return members | ({"domain": stored.domain} if stored.domain else {})


def _dropped(pointer: str) -> Finding:
    """Finding for an address of a document that was dropped. A document has no lines: its place is the pointer."""
    return Finding(
        rule="url-scheme-odd",
        severity="warning",
        authority="google",
        message=f"{pointer} is neither an http nor an https address, and was left out",
        hint="give one with https://",
        syntax="json-ld",
        pointer=pointer,
        property=next(part for part in reversed(pointer.split("/")) if not part.isdigit()),
        start=0,
        end=0,
        line=1,
        column=1,
        end_line=1,
        end_column=1,
        doc_url="/rules/url-scheme-odd/",
    )


def _domain(url: str) -> str:
    """Host of a document's URL; empty without a valid URL."""
    try:
        return normalise(url).host
    except InvalidUrl:
        return ""


def preview_snippet(raw: bytes, situation: Situation) -> bytes:
    """Answer to the explorer. Raises ProblemError, NothingToShow and Unreadable."""
    began = time.perf_counter()
    registry = shared_registry()
    params = strict.typed(strict.read(raw, PREVIEW, registry), PreviewParams)
    with strict.document_errors(registry):
        made = from_request(
            params.kind,
            registry,
            site=params.site,
            document=params.document,
            markup=params.markup,
            item=params.item,
            now=situation.now,
        )
    badge = _badge(made.preview, params, situation, registry)
    card = msgspec.to_builtins(made.preview)
    warnings = [{"code": "filled-from-site", "detail": f"{name} was taken from the site"} for name in made.filled]
    if params.kind == "schema":
        warnings = []
    warnings += [
        {"code": "address-dropped", "detail": f"{at} is neither an http nor an https address, and was left out"}
        for at in made.dropped
    ]
    surfaces: dict[str, Any] = {}
    if params.surfaces:
        home = f"https://{params.site['domain']}/" if params.site else None
        choice = Choice(made.preview.service_type, params.item)
        surfaces = {"surfaces": _surfaces(made.preview, params.markup, home, choice, situation, registry)}
    return encode_json(
        {
            "snippet": card["snippet"],
            "unified": card["unified"],
            "eligibility": badge._asdict(),
            "warnings": warnings,
            "meta": {
                "time": round((time.perf_counter() - began) * 1000, 3),
                "fetched": timestamp(int(situation.now.timestamp() * 1000)),
                "source": "registry",
                "provider": "waypost",
            },
            **surfaces,
        }
    )


def _surfaces(
    preview: Preview, markup: str | None, url: str | None, choice: Choice, situation: Situation, registry: Registry
) -> list[dict[str, Any]]:
    """Surfaces of the markup that was sent, or of a document without markup."""
    from waypost.preview.surfaces import surfaces_of, to_data

    page = _read(markup.encode("utf-8", "replace"), url, registry) if markup is not None else None
    made = surfaces_of(page, registry, url=url, now=situation.now, preview=preview, choice=choice)
    return to_data(made, page)


def _read(data: bytes, url: str | None, registry: Registry) -> Page:
    """Page or bare document, without a media type."""
    read = read_data if data.lstrip()[:1] in {b"{", b"["} else read_page
    return read(data, registry.vocabulary, path=PATH, url=url)


def _badge(preview: Preview, params: PreviewParams, situation: Situation, registry: Registry) -> Badge:
    """Eligibility of the item on the page; unknown for a document."""
    if params.markup is None:
        return badge_of(preview.snippet.status)
    home = f"https://{params.site['domain']}/" if params.site else None
    page = _read(params.markup.encode("utf-8", "replace"), home, registry)
    return _checked(page, preview, Choice(preview.service_type, params.item), situation, registry)[1]


_PAGE = (
    b"<div itemscope itemtype='https://schema.org/Recipe'><b itemprop=name>n</b></div>"
    b"<p vocab='https://schema.org/' typeof=Book property=name>n</p>"
    b"<script type=application/ld+json>{a: 1,}</script>"
)


def warm_up() -> None:
    """Check documents with a node of every kind, so that what a first document would load is available.

    The values are wrong in every way, so that the rules about them are compiled too.
    """
    load_rules()
    registry = shared_registry()
    situation = Situation(datetime.fromisoformat("2026-11-20T00:00:00Z"), "")
    types = sorted({name for profile in registry.profiles.values() for name in profile.types})
    for value in ("http//x y", "2026-13-01T", "-1,0 EUR", "<b>&amp;amp;</b>", {"@type": "Thing", "name": " "}):
        nodes = [{"@type": name, **dict.fromkeys(_properties_of(registry, name), value)} for name in types]
        validate(msgspec.json.encode({"@context": "https://schema.org", "@graph": nodes}), JSON_LD, JSON, situation)
    validate(_PAGE, HTML, SARIF, situation)
    for kind, service in kinds(registry).items():
        document = {"name": "n", "@type": registry.mappings[service]["x-standard-type"]}
        preview_snippet(msgspec.json.encode({"kind": kind, "document": document}), situation)


def _properties_of(registry: Registry, name: str) -> list[str]:
    """Properties that profiles of a type ask for directly."""
    entries = [
        entry
        for profile in registry.profiles.values()
        if name in profile.types
        for entry in (*profile.required, *profile.recommended, *profile.limits)
    ]
    return sorted({prop for entry in entries for prop in (entry.path or "", *entry.any_of) if prop.isalnum()})
