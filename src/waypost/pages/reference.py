"""Pages of the API, from its published description: every operation, every problem, the limits, the errors."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from markupsafe import Markup

from waypost.contract.openapi import FILE, document
from waypost.contract.problems import Problem, problems
from waypost.pages.draft import Draft, Entry, Group, Source
from waypost.pages.text import coloured, prose, slug
from waypost.registry import assets

_TOP = (("API", "api/"),)
_HOST = "https://waypost.example"
_DEEPEST = 3
_PYTHON = {"true": "True", "false": "False", "null": "None"}


class Operation(NamedTuple):
    """One operation of the description."""

    method: str
    path: str
    told: dict[str, Any]

    @property
    def name(self) -> str:
        """The operation's id as the last step of its page's address: checkUrl is check-url."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", self.told["operationId"]).lower()

    @property
    def address(self) -> str:
        return f"api/{self.name}/"

    @property
    def scopes(self) -> list[str]:
        return [scope for way in self.told.get("security") or () for scope in way.get("key", ())]

    @property
    def needs(self) -> str:
        """Who may call it: "key", "session" or "nobody's" leave."""
        ways = [name for way in self.told.get("security") or () for name in way]
        return ways[0] if ways else ""

    @property
    def for_programs(self) -> bool:
        """Whether it answers programs rather than a browser."""
        return "Console" not in self.told["tags"]


@cache
def _description() -> dict[str, Any]:
    return document()


@cache
def operations() -> tuple[Operation, ...]:
    """Every operation, in the order of the description."""
    methods = ("get", "head", "post", "put", "patch", "delete")
    return tuple(
        Operation(method.upper(), path, told)
        for path, ways in _description()["paths"].items()
        for method, told in ways.items()
        if method in methods
    )


def needed() -> list[str]:
    """The addresses that must be there and be reached."""
    return [*(f"problems/{code}/" for code in problems()), *(each.address for each in operations())]


def files() -> dict[str, bytes]:
    """The description itself, byte for byte as the service answers it."""
    return {"openapi.json": (assets.folder("schemas") / FILE).read_bytes()}


def side(source: Source) -> tuple[Group, ...]:  # noqa: ARG001 - sections are made alike
    """The side navigation of the section."""
    top: tuple[Entry, ...] = (
        ("Overview", "api/", ""),
        ("Errors", "api/errors/", ""),
        ("Limits", "api/limits/", ""),
        ("Problems", "problems/", str(len(problems()))),
        ("Versioning", "versioning/", ""),
    )
    return (Group("API", top), *(Group(tag, _entries(of)) for tag, _, of in by_tag()))


def _entries(listed: list[Operation]) -> tuple[Entry, ...]:
    return tuple((each.told["summary"], each.address, each.method) for each in listed)


@cache
def by_tag() -> tuple[tuple[str, str, list[Operation]], ...]:
    """The operations under their tags: name, description, operations."""
    return tuple(
        (tag["name"], tag.get("description", ""), [each for each in operations() if tag["name"] in each.told["tags"]])
        for tag in _description()["tags"]
    )


def forget() -> None:
    """Read the description and the problems anew: a watch has seen a file of the registry change."""
    for each in (_description, operations, by_tag, _answering, _made, problems):
        each.cache_clear()


def drafts(source: Source) -> Iterator[Draft]:  # noqa: ARG001 - sections are made alike
    """Every page of the section."""
    yield from _made()


@cache
def _made() -> tuple[Draft, ...]:
    return tuple(_drafts())


def _drafts() -> Iterator[Draft]:
    listed = list(problems().values())
    info = _description()["info"]
    yield Draft(
        "api/",
        "api.html",
        "API",
        "Decisions, lookups, reviews, validation and snippets; one process answers them and this site.",
        values={"tags": by_tag(), "info": info, "problems": listed, "host": _HOST, "first": _samples(_first())},
        kind="Index",
        words="rest http openapi endpoints reference",
        structured=({"@type": "WebAPI", "name": "waypost API", "description": info["summary"]},),
    )
    for operation in operations():
        yield _operation(operation)
    yield Draft(
        "api/errors/",
        "api-errors.html",
        "Errors",
        "Every error is a problem with a type, a page and the places at fault; none carries a value of the request.",
        _TOP,
        {"problems": listed, "example": coloured(json.dumps(_PROBLEM, indent=2))},
        kind="Guide",
        words="rfc 9457 problem json status",
    )
    yield Draft(
        "api/limits/",
        "api-limits.html",
        "Limits",
        "How often, how large, how deep; and how an answer says what is left.",
        _TOP,
        {
            "limits": _description()["x-waypost-limits"],
            "used": {each["name"]: _limited_by(each["name"]) for each in _description()["x-waypost-limits"]},
            "bodies": [each for each in operations() if "x-waypost-max-bytes" in each.told.get("requestBody", {})],
        },
        kind="Guide",
        words="rate quota retry-after 429 size",
    )
    yield Draft(
        "problems/",
        "problems.html",
        "Problems",
        "Every problem that the API answers with, what it means and what to do.",
        _TOP,
        {"problems": listed},
        kind="Index",
        words="errors rfc 9457 status",
    )
    for problem in listed:
        yield _problem(problem, listed)


_PROBLEM = {
    "type": f"{_HOST}/problems/invalid-request/",
    "title": "The request does not fit its schema",
    "status": 422,
    "code": "invalid-request",
    "instance": "urn:uuid:1f0c2c54-3f0e-4bd1-8a3f-0d3f2f1c7a10",
    "errors": [{"pointer": "#/intended_action", "code": "required", "detail": "the member is missing"}],
}


def _first() -> Operation:
    return next(each for each in operations() if each.path == "/v1/agent-safety")


def _limited_by(name: str) -> list[Operation]:
    return [each for each in operations() if each.told.get("x-waypost-limit") == name.removesuffix("-day")]


def _operation(operation: Operation) -> Draft:
    told = operation.told
    body = next(iter(told.get("requestBody", {}).get("content", {}).items()), None)
    return Draft(
        operation.address,
        "operation.html",
        told["summary"],
        f"{operation.method} {operation.path}. {told['description'].partition('. ')[0].rstrip('.')}.",
        _TOP,
        {
            "operation": operation,
            "body_text": prose(told["description"]),
            "parameters": [{**each, "kind": _kind(each["schema"])} for each in told.get("parameters", ())],
            "media": body[0] if body else "",
            "request": members(body[1]["schema"]) if body else [],
            "request_about": _resolved(body[1]["schema"]).get("description", "") if body else "",
            "examples": _examples(body[1]) if body else [],
            "max_bytes": told.get("requestBody", {}).get("x-waypost-max-bytes"),
            "answers": [_answer(status, answer) for status, answer in told["responses"].items()],
            "samples": _samples(operation) if operation.for_programs else [],
            "form": _form(operation) if _can_be_tried(operation) else None,
            "tag": told["tags"][0],
            "tag_id": slug(told["tags"][0]),
        },
        kind="Operation",
        words=f"{operation.method} {operation.path} {told['operationId']} {' '.join(operation.scopes)}",
        structured=(
            {
                "@type": "TechArticle",
                "headline": told["summary"],
                "description": told["description"],
                "inLanguage": "en",
            },
        ),
    )


class Field(NamedTuple):
    """A field of the form with which an operation is tried.

    place  "path", "query" or "body"
    kind   "text", "choice", "long", "number", "boolean" or "json"
    """

    name: str
    place: str
    kind: str
    required: bool
    value: str
    about: str
    options: tuple[str, ...] = ()
    longest: int | None = None


def _can_be_tried(operation: Operation) -> bool:
    """Whether its page sends it: one that needs no key, for keys are for servers, and answers more than a page."""
    answers = operation.told["responses"].get("200", {}).get("content", {})
    return operation.for_programs and not operation.needs and "text/html" not in answers


def _form(operation: Operation) -> list[Field]:
    """What can be filled in: the parameters, then the members of the body as its schema has them."""
    fields = [
        _field(each["name"], each["in"], each["schema"], each.get("required", False), _GIVEN.get(each["name"]), each)
        for each in operation.told.get("parameters", ())
    ]
    content = operation.told.get("requestBody", {}).get("content", {}).get("application/json")
    return fields + list(_body_fields(content["schema"], _body_of(operation) or {})) if content else fields


_GIVEN = {"type": "Product", "file": "Product.json"}
"""What a parameter holds to begin with."""
_LONG_TEXT = 300


def _body_fields(schema: dict[str, Any], given: dict[str, Any], before: str = "") -> Iterator[Field]:
    whole = _resolved(schema)
    for name, member in whole["properties"].items():
        resolved = _resolved(member)
        inner = resolved.get("properties")
        required = not before and name in whole.get("required", ())
        if inner and all(_scalar(_resolved(each)) for each in inner.values()):
            yield from _body_fields(member, given.get(name) or {}, f"{before}{name}.")
        else:
            yield _field(f"{before}{name}", "body", resolved, required, given.get(name), member)


def _scalar(schema: dict[str, Any]) -> bool:
    return "enum" in schema or schema.get("type") in {"string", "number", "integer", "boolean"}


def _field(name: str, place: str, schema: dict[str, Any], required: bool, value: Any, told: dict[str, Any]) -> Field:
    whole = _resolved(schema)
    about = str(told.get("description") or whole.get("description") or "")
    options = tuple(str(each) for each in whole.get("enum", ()))
    kinds = {"number": "number", "integer": "number", "boolean": "boolean", "string": "text"}
    kind = "choice" if options else kinds.get(str(whole.get("type")), "json")
    longest = whole.get("maxLength") if kind == "text" else None
    if longest and longest >= _LONG_TEXT:
        kind = "long"
    if kind == "json" and value is not None:
        value = json.dumps(value, indent=2, ensure_ascii=False)
    return Field(name, place, kind, required, "" if value is None else str(value), about, options, longest)


def _answer(status: str, answer: dict[str, Any]) -> dict[str, Any]:
    """A response: its members and example where it is a good one, its problems where it is not."""
    contents: dict[str, dict[str, Any]] = answer.get("content", {})
    media, content = next(iter(contents.items()), ("", {}))
    codes = [code for code in answer.get("x-waypost-problems", ()) if code in problems()]
    schema = content.get("schema", {})
    return {
        "status": status,
        "about": "" if codes else prose(answer["description"]),
        "problems": [problems()[code] for code in codes],
        "media": media,
        "members": [] if codes else members(schema),
        "headers": answer.get("headers", {}),
        "examples": [] if codes else _examples(content),
    }


def _examples(content: dict[str, Any]) -> list[tuple[str, Markup]]:
    """Examples as (what it shows, coloured code)."""
    given = {name: each for name, each in content.get("examples", {}).items() if "value" in each}
    shown = [(each.get("summary", name), each["value"]) for name, each in given.items()]
    shown += [("An answer", content["example"])] if "example" in content else []
    return [
        (
            title,
            coloured(value, "text")
            if isinstance(value, str)
            else coloured(json.dumps(value, indent=2, ensure_ascii=False)),
        )
        for title, value in shown
    ]


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema, its reference followed. Those of the description lie flat, and none leads to itself alone."""
    while "$ref" in schema:
        parts = schema["$ref"].removeprefix("#/").split("/")
        found: Any = _description()
        for part in parts:
            found = found[part.replace("~1", "/").replace("~0", "~")]
        schema = found
    return schema


def members(schema: dict[str, Any], before: str = "", depth: int = 1) -> list[dict[str, Any]]:
    """The members of an object as rows, those of objects inside it with dotted names."""
    schema = _resolved(schema)
    if schema.get("type") == "array" and not before:
        return members(schema["items"], "[]", depth)
    rows: list[dict[str, Any]] = []
    for name, member in schema.get("properties", {}).items():
        whole = _resolved(member)
        full = f"{before}.{name}" if before else name
        about = member.get("description") or whole.get("description") or ""
        rows.append(
            {"name": full, "kind": _kind(member), "required": name in schema.get("required", ()), "about": about}
        )
        inner = _resolved(whole.get("items", {})) if whole.get("type") == "array" else whole
        if inner.get("properties") and depth < _DEEPEST:
            rows += members(inner, f"{full}[]" if inner is not whole else full, depth + 1)
    return rows


def _kind(schema: dict[str, Any]) -> str:
    """What a value may be, in a few words."""
    whole = _resolved(schema)
    if "const" in whole:
        return f"always {json.dumps(whole['const'])}"
    if "enum" in whole:
        return "one of " + ", ".join(str(each) for each in whole["enum"])
    if "anyOf" in whole or "oneOf" in whole:
        ways = whole.get("anyOf") or whole["oneOf"]
        return (
            " or ".join(dict.fromkeys(_kind(each) for each in ways if each.get("type") or "$ref" in each)) or "object"
        )
    kind = whole.get("type", "any value")
    kind = " or ".join(kind) if isinstance(kind, list) else kind
    if kind == "array":
        return f"list of {_kind(whole.get('items', {}))}" + _bounds(whole, "Items", "")
    text = {"date-time": "moment", "uri": "address", "uuid": "UUID"}.get(whole.get("format", ""), kind)
    return text + (_bounds(whole, "Length", " characters") if kind == "string" else _numbers(whole))


def _bounds(schema: dict[str, Any], what: str, unit: str) -> str:
    low, high = schema.get(f"min{what}"), schema.get(f"max{what}")
    if high is None:
        return f", {low} or more{unit}" if low and low > 1 else ""
    return f", {low or 0} to {high}{unit}"


def _numbers(schema: dict[str, Any]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is None and high is None:
        return ""
    return (
        f", {low} to {high}"
        if low is not None and high is not None
        else f", from {low}"
        if high is None
        else f", to {high}"
    )


def _samples(operation: Operation) -> list[tuple[str, Markup]]:
    """The same call in curl, Python and JavaScript."""
    body = _body_of(operation)
    address = _HOST + re.sub(r"\{(\w+)\}", lambda match: f"${match[1].upper()}", operation.path) + _query(operation)
    return [
        ("curl", coloured(_curl(operation, address, body), "sh")),
        ("Python", coloured(_python(operation, address, body), "python")),
        ("JavaScript", coloured(_javascript(operation, address, body), "javascript")),
    ]


def _body_of(operation: Operation) -> Any:
    content = operation.told.get("requestBody", {}).get("content", {}).get("application/json", {})
    if operation.method == "GET":
        return None
    shown = [each["value"] for each in content.get("examples", {}).values() if "value" in each]
    return shown[0] if shown else content.get("example")


def _query(operation: Operation) -> str:
    """The query string of the parameters that must be there."""
    given = {"q": "acme", "domain": "shop.example.com"}
    asked = [each["name"] for each in operation.told.get("parameters", ()) if each["in"] == "query"]
    shown = [name for name in asked if name in given]
    return "?" + "&".join(f"{name}={given[name]}" for name in shown) if shown else ""


def _curl(operation: Operation, address: str, body: Any) -> str:
    lines = [f"curl -X {operation.method} '{address}'" if operation.method != "GET" else f"curl '{address}'"]
    if "$" in address:
        lines[0] = lines[0].replace("'", '"')
    if operation.needs == "key":
        lines.append('  -H "Authorization: Bearer $WAYPOST_API_KEY"')
    if body is not None:
        text = json.dumps(body, indent=2, ensure_ascii=False).replace("'", "'\\''")
        lines += ["  -H 'Content-Type: application/json'", f"  -d '{text}'"]
    return " \\\n".join(lines)


def _python(operation: Operation, address: str, body: Any) -> str:
    place = re.sub(r"\$([A-Z_]+)", lambda match: f"{{{match[1].lower()}}}", address)
    lines = ["import os", "", "import httpx", ""] if operation.needs == "key" else ["import httpx", ""]
    arguments = [f'    {"f" if "{" in place else ""}"{place}",']
    if operation.needs == "key":
        arguments.append('    headers={"Authorization": f"Bearer {os.environ[\'WAYPOST_API_KEY\']}"},')
    if body is not None:
        arguments.append(f"    json={_literal(body)},")
    call = [f"answer = httpx.{operation.method.lower()}(", *arguments, "    timeout=5,", ")"]
    return "\n".join([*lines, *call, "answer.raise_for_status()", "print(answer.json())"])


def _literal(value: Any) -> str:
    """A JSON value as Python writes it, four spaces in."""
    text = json.dumps(value, indent=4, ensure_ascii=False).replace("\n", "\n    ")
    return re.sub(r"(?<=[\s:])(true|false|null)(?=,?\n|$)", lambda word: _PYTHON[word[1]], text)


def _javascript(operation: Operation, address: str, body: Any) -> str:
    place = re.sub(r"\$([A-Z_]+)", lambda match: f"${{{_camel(match[1])}}}", address)
    quoted = f"`{place}`" if "${" in place else f'"{place}"'
    options = [f'  method: "{operation.method}",'] if operation.method != "GET" else []
    headers = []
    if operation.needs == "key":
        headers.append("Authorization: `Bearer ${process.env.WAYPOST_API_KEY}`")
    if body is not None:
        headers.append('"Content-Type": "application/json"')
    options += [f"  headers: {{ {', '.join(headers)} }},"] if headers else []
    if body is not None:
        written = json.dumps(body, indent=2, ensure_ascii=False).replace("\n", "\n  ")
        options.append(f"  body: JSON.stringify({written}),")
    options.append("  signal: AbortSignal.timeout(5000),")
    call = [f"const answer = await fetch({quoted}, {{", *options, "});"]
    return "\n".join(
        [*call, "if (!answer.ok) throw new Error(`status ${answer.status}`);", "console.log(await answer.json());"]
    )


def _camel(name: str) -> str:
    first, *rest = name.lower().split("_")
    return first + "".join(part.title() for part in rest)


@cache
def _answering() -> dict[str, list[Operation]]:
    """The operations that answer with each problem."""
    found: dict[str, list[Operation]] = {}
    for each in operations():
        answers = each.told["responses"].values()
        for code in dict.fromkeys(code for answer in answers for code in answer.get("x-waypost-problems", ())):
            found.setdefault(code, []).append(each)
    return found


def _problem(problem: Problem, listed: list[Problem]) -> Draft:
    return Draft(
        f"problems/{problem.code}/",
        "problem.html",
        problem.code,
        problem.title,
        (*_TOP, ("Problems", "problems/")),
        {
            "problem": problem,
            "near": [each for each in listed if each.status == problem.status and each is not problem],
            "answered_by": _answering().get(problem.code, []),
        },
        kind="Problem",
        words=f"{problem.status} {problem.code.replace('-', ' ')}",
    )
