"""API reference from the published OpenAPI document: operations, problems, limits, errors."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple, get_args

from markupsafe import Markup

from waypost.contract.openapi import FILE, expanded
from waypost.contract.problems import Problem, problems
from waypost.models.decision import EVIDENCE_TYPES, UNKNOWNS, ReasonCode
from waypost.pages.draft import Draft, Entry, Group, Source
from waypost.pages.heads import draft
from waypost.pages.recorded_answers import answers_to
from waypost.pages.text import coloured, prose, slug
from waypost.registry import assets

_TOP = (("API", "api/"),)
HOST = "http://127.0.0.1:8000"
_DEEPEST = 5
_PYTHON = {"true": "True", "false": "False", "null": "None"}


class Operation(NamedTuple):
    """Operation of the OpenAPI document; `definition` is the object in the document."""

    method: str
    path: str
    definition: dict[str, Any]

    @property
    def name(self) -> str:
        """Operation id as the last step of a page's address: checkUrl becomes check-url."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", self.definition["operationId"]).lower()

    @property
    def address(self) -> str:
        return f"api/{self.name}/"

    @property
    def scopes(self) -> list[str]:
        return [scope for way in self.definition.get("security") or () for scope in way.get("key", ())]

    @property
    def needs(self) -> str:
        """Authentication required: "key", "session" or "" for none."""
        ways = [name for way in self.definition.get("security") or () for name in way]
        return ways[0] if ways else ""

    @property
    def for_programs(self) -> bool:
        """Whether programs call the operation, not only the console in a browser."""
        return "Console" not in self.definition["tags"]


@cache
def _description() -> dict[str, Any]:
    return expanded()


@cache
def operations() -> tuple[Operation, ...]:
    """Operations in the order of the document."""
    methods = {name: name.upper() for name in ("get", "head", "post", "put", "patch", "delete")}
    # OpenAPI 3.1 knows no QUERY: the method stands as an extension.
    methods["x-waypost-query"] = "QUERY"
    return tuple(
        Operation(methods[method], path, definition)
        for path, ways in _description()["paths"].items()
        for method, definition in ways.items()
        if method in methods
    )


def needed() -> list[str]:
    """Addresses to be present and reachable."""
    return [*(f"problems/{code}/" for code in problems()), *(operation.address for operation in operations())]


def files() -> dict[str, bytes]:
    """OpenAPI document, with the same bytes as served by the service."""
    return {"openapi.json": (assets.folder("schemas") / FILE).read_bytes()}


def side(source: Source) -> tuple[Group, ...]:  # noqa: ARG001 - sections are made alike
    """Side navigation of the section."""
    top: tuple[Entry, ...] = (
        ("Overview", "api/", ""),
        ("Errors", "api/errors/", ""),
        ("Limits", "api/limits/", ""),
        ("Problems", "problems/", str(len(problems()))),
        ("Versioning", "versioning/", ""),
    )
    groups = ((tag, [operation for operation in of if operation.for_programs]) for tag, _, of in by_tag())
    return (Group("API", top), *(Group(tag, _entries(of)) for tag, of in groups if of))


def _entries(operations_: list[Operation]) -> tuple[Entry, ...]:
    return tuple((operation.definition["summary"], operation.address, operation.method) for operation in operations_)


@cache
def by_tag() -> tuple[tuple[str, str, list[Operation]], ...]:
    """Operations by tag: name, description, operations."""
    return tuple(
        (
            tag["name"],
            tag.get("description", ""),
            [operation for operation in operations() if tag["name"] in operation.definition["tags"]],
        )
        for tag in _description()["tags"]
    )


def forget() -> None:
    """Clear the caches of the module, after a file of the registry changed."""
    for cached in (_description, operations, by_tag, _answering, _of_operations, _of_problems, problems):
        cached.cache_clear()


def drafts(source: Source) -> Iterator[Draft]:
    """Drafts of the section's pages."""
    all_problems = list(problems().values())
    info = _description()["info"]
    values = {
        "tags": by_tag(),
        "info": info,
        "problems": all_problems,
        "host": HOST,
        "first": samples_of(operation_of("/v1/agent-safety")),
    }
    structured = ({"@type": "WebAPI", "name": "waypost API", "description": info["summary"]},)
    yield draft("api/", "api.html", values, structured=structured)
    yield from _of_operations(source.now)
    yield from _lists(all_problems)
    yield from _of_problems()


@cache
def _of_operations(now: datetime) -> tuple[Draft, ...]:
    return tuple(_operation(operation, now) for operation in operations())


@cache
def _of_problems() -> tuple[Draft, ...]:
    all_problems = list(problems().values())
    return tuple(_problem(problem, all_problems) for problem in all_problems)


def _lists(all_problems: list[Problem]) -> Iterator[Draft]:
    """Drafts of the pages about errors, limits and problems."""
    yield draft("api/errors/", "api-errors.html", {"problems": all_problems, "host": HOST})
    limits = _description()["x-waypost-limits"]
    values = {
        "limits": limits,
        "used": {limit["name"]: _limited_by(limit["name"]) for limit in limits},
        "bodies": [each for each in operations() if "x-waypost-max-bytes" in each.definition.get("requestBody", {})],
    }
    yield draft("api/limits/", "api-limits.html", values)
    yield draft("problems/", "problems.html", {"problems": all_problems})


def operation_of(path: str) -> Operation:
    """Operation of a path with a single method."""
    return next(operation for operation in operations() if operation.path == path)


def _limited_by(name: str) -> list[Operation]:
    return [
        operation
        for operation in operations()
        # An operation names the limit a minute; that of the day goes with it.
        if operation.definition.get("x-waypost-limit") == name.removesuffix("-day")
    ]


_DECIDING = {"/v1/agent-safety": False, "/v1/check-url": True}
"""Path of an operation that decides -> whether its answers have the evidence."""
_CODE_FOLDERS: dict[str, str] = {
    **dict.fromkeys(get_args(ReasonCode), "reasons"),
    **dict.fromkeys(UNKNOWNS, "unknowns"),
    **dict.fromkeys(EVIDENCE_TYPES, "evidence"),
}
"""Code of a decision -> folder of its page."""


def _folded(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Members with those inside them as `inside`: rows of dotted names as a tree."""
    tops: list[dict[str, Any]] = []
    open_: list[dict[str, Any]] = []
    for row in rows:
        while open_ and not row["name"].startswith((f"{open_[-1]['name']}.", f"{open_[-1]['name']}[]")):
            open_.pop()
        row = {**row, "inside": []}
        (open_[-1]["inside"] if open_ else tops).append(row)
        open_.append(row)
    return tops


def _codes(schema: dict[str, Any]) -> list[tuple[str, str]]:
    """Codes that a member may hold, with the addresses of their pages; empty for other values."""
    whole = _resolved(schema)
    inner = _resolved(whole.get("items", {})) if whole.get("type") == "array" else whole
    values = inner.get("enum", ())
    if not values or not all(value in _CODE_FOLDERS for value in values):
        return []
    return [(value, f"safety/{_CODE_FOLDERS[value]}/{value}/") for value in values]


def _operation(operation: Operation, now: datetime) -> Draft:
    definition = operation.definition
    body = next(iter(definition.get("requestBody", {}).get("content", {}).items()), None)
    return Draft(
        operation.address,
        "operation.html",
        definition["summary"],
        f"{operation.method} {operation.path}. {definition['description'].partition('. ')[0].rstrip('.')}.",
        _TOP,
        {
            "operation": operation,
            "body_text": prose(definition["description"]),
            "parameters": [
                {**parameter, "kind": _kind(parameter["schema"])} for parameter in definition.get("parameters", ())
            ],
            "media": body[0] if body else "",
            "request": _folded(members(body[1]["schema"])) if body else [],
            "recorded": answers_to(now, explained=_DECIDING[operation.path]) if operation.path in _DECIDING else [],
            "request_about": _resolved(body[1]["schema"]).get("description", "") if body else "",
            "examples": _examples(body[1]) if body else [],
            "max_bytes": definition.get("requestBody", {}).get("x-waypost-max-bytes"),
            "answers": [_answer(status, answer) for status, answer in definition["responses"].items()],
            "samples": samples_of(operation) if operation.for_programs else [],
            "form": _form(operation) if _can_be_tried(operation) else None,
            "decides": _EXAMPLE_DESTINATION in json.dumps(_body_of(operation)),
            "tag": definition["tags"][0],
            "tag_id": slug(definition["tags"][0]),
        },
        kind="Operation" if operation.for_programs else "Operation of the console",
        words=f"{operation.method} {operation.path} {definition['operationId']} {' '.join(operation.scopes)}",
        structured=(
            {
                "@type": "TechArticle",
                "headline": definition["summary"],
                "description": definition["description"],
                "inLanguage": "en",
            },
        ),
    )


class Field(NamedTuple):
    """Field of the form for trying an operation.

    place  "path", "query", "header" or "body"
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
    """Whether the page may send the operation: for programs, and without HTML as response."""
    answers = operation.definition["responses"].get("200", {}).get("content", {})
    return operation.for_programs and "text/html" not in answers


def _form(operation: Operation) -> list[Field]:
    """Form fields: the parameters, then the members of the body in the order of the schema."""
    fields = [
        _field(
            parameter["name"],
            parameter["in"],
            parameter["schema"],
            parameter.get("required", False),
            None if operation.needs and parameter["name"] == "type" else _GIVEN.get(parameter["name"]),
            parameter,
        )
        for parameter in operation.definition.get("parameters", ())
    ]
    content = operation.definition.get("requestBody", {}).get("content", {}).get("application/json")
    if not content or operation.method == "GET":  # browsers send no body with GET
        return fields
    given = json.loads(json.dumps(_body_of(operation) or {}).replace(_EXAMPLE_DESTINATION, _TEST_DESTINATION))
    return fields + list(_body_fields(content["schema"], given))


_GIVEN = {"type": "Product", "file": "Product.json", "q": "acme", "domain": "shop.example.com"}
"""Initial values of parameters."""
_EXAMPLE_DESTINATION, _TEST_DESTINATION = "https://shop.example.com/pay", "https://allow.test/"
"""Destination of the document's examples, and the one that a test key is allowed to act at."""
_LONG_TEXT = 300


def _body_fields(schema: dict[str, Any], given: dict[str, Any], before: str = "") -> Iterator[Field]:
    whole = _resolved(schema)
    for name, member in whole["properties"].items():
        resolved = _resolved(member)
        inner = resolved.get("properties")
        required = not before and name in whole.get("required", ())
        # An object of plain members becomes fields of the form; any other is edited as JSON.
        if inner and all(_scalar(_resolved(member)) for member in inner.values()):
            yield from _body_fields(member, given.get(name) or {}, f"{before}{name}.")
        else:
            yield _field(f"{before}{name}", "body", resolved, required, given.get(name), member)


def _scalar(schema: dict[str, Any]) -> bool:
    return "enum" in schema or schema.get("type") in {"string", "number", "integer", "boolean"}


def _field(
    name: str, place: str, schema: dict[str, Any], required: bool, value: Any, definition: dict[str, Any]
) -> Field:
    whole = _resolved(schema)
    about = str(definition.get("description") or whole.get("description") or "")
    options = tuple(str(option) for option in whole.get("enum", ()))
    kinds = {"number": "number", "integer": "number", "boolean": "boolean", "string": "text"}
    kind = "choice" if options else kinds.get(str(whole.get("type")), "json")
    longest = whole.get("maxLength") if kind == "text" else None
    if longest and longest >= _LONG_TEXT:
        kind = "long"
    if kind == "json" and value is not None:
        value = json.dumps(value, indent=2, ensure_ascii=False)
    return Field(name, place, kind, required, "" if value is None else str(value), about, options, longest)


def _answer(status: str, answer: dict[str, Any]) -> dict[str, Any]:
    """Response for the page: members and examples of a success, problems of an error."""
    contents: dict[str, dict[str, Any]] = answer.get("content", {})
    media, content = next(iter(contents.items()), ("", {}))
    codes = [code for code in answer.get("x-waypost-problems", ()) if code in problems()]
    schema = content.get("schema", {})
    return {
        "status": status,
        "about": "" if codes else prose(answer["description"]),
        "problems": [problems()[code] for code in codes],
        "media": media,
        "members": [] if codes else _folded(members(schema)),
        "headers": answer.get("headers", {}),
        "examples": [] if codes else _examples(content),
    }


def _examples(content: dict[str, Any]) -> list[tuple[str, Markup]]:
    """Examples as (title, coloured code)."""
    given = {name: example for name, example in content.get("examples", {}).items() if "value" in example}
    examples = [(example.get("summary", name), example["value"]) for name, example in given.items()]
    examples += [("Example", content["example"])] if "example" in content else []
    return [
        (
            title,
            coloured(value, "text")
            if isinstance(value, str)
            else coloured(json.dumps(value, indent=2, ensure_ascii=False)),
        )
        for title, value in examples
    ]


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """Schema with the reference resolved; components of the document are flat and never refer to themselves alone."""
    while "$ref" in schema:
        parts = schema["$ref"].removeprefix("#/").split("/")
        found: Any = _description()
        for part in parts:
            # RFC 6901, section 4: `~1` first, else `~01` would become a slash.
            found = found[part.replace("~1", "/").replace("~0", "~")]
        schema = found
    return schema


def members(schema: dict[str, Any], before: str = "", depth: int = 1) -> list[dict[str, Any]]:
    """Members of an object as rows; members of nested objects have dotted names."""
    schema = _resolved(schema)
    if schema.get("type") == "array" and not before:
        return members(schema["items"], "[]", depth)
    rows: list[dict[str, Any]] = []
    for name, member in schema.get("properties", {}).items():
        whole = _resolved(member)
        full = f"{before}.{name}" if before else name
        about = member.get("description") or whole.get("description") or ""
        rows.append(
            {
                "name": full,
                "kind": _kind(member),
                "codes": _codes(member),
                "required": name in schema.get("required", ()),
                "about": about,
            }
        )
        inner = _resolved(whole.get("items", {})) if whole.get("type") == "array" else whole
        # Deeper levels would be more than a table can show, and a schema may refer to itself.
        if inner.get("properties") and depth < _DEEPEST:
            rows += members(inner, f"{full}[]" if inner is not whole else full, depth + 1)
    return rows


def _kind(schema: dict[str, Any]) -> str:
    """Kind of value allowed by a schema, in a few words."""
    whole = _resolved(schema)
    if "const" in whole:
        return f"always {json.dumps(whole['const'])}"
    if "enum" in whole:
        return "one of " + ", ".join(str(option) for option in whole["enum"])
    if "anyOf" in whole or "oneOf" in whole:
        ways = whole.get("anyOf") or whole["oneOf"]
        return (
            " or ".join(dict.fromkeys(_kind(option) for option in ways if option.get("type") or "$ref" in option))
            or "object"
        )
    kind = whole.get("type", "any value")
    kind = " or ".join(kind) if isinstance(kind, list) else kind
    if kind == "array":
        return f"list of {_kind(whole.get('items', {}))}" + _bounds(whole, "Items", "")
    text = {"date-time": "date-time", "uri": "URL", "uuid": "UUID"}.get(whole.get("format", ""), kind)
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


def samples_of(operation: Operation, body: Any = None) -> list[tuple[str, Markup]]:
    """Call of an operation in curl, Python and JavaScript, with the document's example for a body if none is given."""
    body = _body_of(operation) if body is None else body
    address = (
        HOST + re.sub(r"\{(\w+)\}", lambda match: f"${{{match[1].upper()}:?}}", operation.path) + _query(operation)
    )
    return [
        ("curl", coloured(_curl(operation, address, body), "sh")),
        ("Python", coloured(_python(operation, address, body), "python")),
        ("JavaScript", coloured(_javascript(operation, address, body), "javascript")),
    ]


_VARIABLE = re.compile(r"\$\{([A-Z_]+):\?\}")
"""Part of a path in a sample: a variable of the environment, as the key is."""


def _body_of(operation: Operation) -> Any:
    content = operation.definition.get("requestBody", {}).get("content", {}).get("application/json", {})
    if operation.method == "GET":
        return None
    # Several examples come before a single one, which OpenAPI forbids next to them.
    values = [example["value"] for example in content.get("examples", {}).values() if "value" in example]
    return values[0] if values else content.get("example")


def _query(operation: Operation) -> str:
    """Query string of the required parameters."""
    names = [
        parameter["name"] for parameter in operation.definition.get("parameters", ()) if parameter["in"] == "query"
    ]
    examples = [name for name in names if name in {"q", "domain"}]
    return "?" + "&".join(f"{name}={_GIVEN[name]}" for name in examples) if examples else ""


def _curl(operation: Operation, address: str, body: Any) -> str:
    lines = [f"curl -X {operation.method} '{address}'" if operation.method != "GET" else f"curl '{address}'"]
    if "$" in address:
        # In double quotes the shell replaces variables; `:?` names one that is not set.
        lines[0] = lines[0].replace("'", '"')
    if operation.needs == "key":
        lines.append('  -H "Authorization: Bearer $WAYPOST_API_KEY"')
    if body is not None:
        # A shell string in single quotes has no escapes: it is closed, a quote added, and opened again.
        text = json.dumps(body, indent=2, ensure_ascii=False).replace("'", "'\\''")
        lines += ["  -H 'Content-Type: application/json'", f"  -d '{text}'"]
    return " \\\n".join(lines)


def _python(operation: Operation, address: str, body: Any) -> str:
    place = _VARIABLE.sub(r"{os.environ['\1']}", address)
    lines = ["import os", "", "import httpx", ""] if operation.needs == "key" or "{" in place else ["import httpx", ""]
    arguments = [f'    {"f" if "{" in place else ""}"{place}",']
    if operation.needs == "key":
        arguments.append('    headers={"Authorization": f"Bearer {os.environ[\'WAYPOST_API_KEY\']}"},')
    if body is not None:
        arguments.append(f"    json={_literal(body)},")
    name = operation.method.lower()
    if operation.method == "QUERY":  # for which httpx has no function
        name, arguments = "request", ['    "QUERY",', *arguments]
    call = [f"answer = httpx.{name}(", *arguments, "    timeout=5,", ")"]
    content = "answer.json()" if _is_json(operation) else "answer.text"
    return "\n".join([*lines, *call, "answer.raise_for_status()", f"print({content})"])


def _literal(value: Any) -> str:
    """JSON value as a Python literal, indented by four spaces."""
    text = json.dumps(value, indent=4, ensure_ascii=False).replace("\n", "\n    ")
    return re.sub(r"(?<=[\s:])(true|false|null)(?=,?\n|$)", lambda word: _PYTHON[word[1]], text)


def _javascript(operation: Operation, address: str, body: Any) -> str:
    place = _VARIABLE.sub(r"${process.env.\1}", address)
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
    content = f"console.log(await answer.{'json' if _is_json(operation) else 'text'}());"
    return "\n".join([*call, "if (!answer.ok) throw new Error(`status ${answer.status}`);", content])


def _is_json(operation: Operation) -> bool:
    """Whether a successful response is JSON; the first of several types is the one without `Accept`."""
    answers = [answer for status, answer in operation.definition["responses"].items() if status.startswith("2")]
    return all("json" in next(iter(answer["content"])) for answer in answers if answer.get("content"))


@cache
def _answering() -> dict[str, list[Operation]]:
    """Operations by the codes of the problems returned."""
    found: dict[str, list[Operation]] = {}
    for operation in operations():
        answers = operation.definition["responses"].values()
        for code in dict.fromkeys(code for answer in answers for code in answer.get("x-waypost-problems", ())):
            found.setdefault(code, []).append(operation)
    return found


def _problem(problem: Problem, all_problems: list[Problem]) -> Draft:
    return Draft(
        f"problems/{problem.code}/",
        "problem.html",
        problem.code,
        f"{problem.title}. {problem.when}",
        (*_TOP, ("Problems", "problems/")),
        {
            "problem": problem,
            "near": [near for near in all_problems if near.status == problem.status and near is not problem],
            "answered_by": [each for each in _answering().get(problem.code, []) if each.for_programs],
        },
        kind="Problem",
        words=f"{problem.status} {problem.code.replace('-', ' ')}",
    )
