"""OpenAPI 3.1 document, generated from the endpoint table and its schema files.

`tools/make_openapi.py` writes the document to `schemas/api/openapi.json`, so that the site, the client and readers need
no server. Tests check that the file is current and compatible with the last release.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from waypost.api.endpoint import ANY_KEY, PROBLEM, SESSION, Answer, Body, Endpoint, Parameter
from waypost.api.idempotency import PARAMETER
from waypost.api.limits import POLICIES
from waypost.contract.problems import Problem, problems
from waypost.registry import Registry

TITLE = "waypost"
VERSION = "1"
_TAGS = {
    "Decisions": "May one action go ahead at one destination, now?",
    "Disputes": "Where to say that a decision is wrong.",
    "Lookup": "What is known of a domain, and what passed review.",
    "Relationships": "Claims about whose a domain is, and their review.",
    "Structured data": "Validation, cards and stored snippets.",
    "Schemas": "The registry's schemas.",
    "Keys": "Keys, the organization and what it used.",
    "Console": "The same for people, in a browser.",
    "Service": "Whether it lives, what it allows, what it promises.",
}
_HEADERS = {
    "X-Request-ID": ("The request's id, the caller's own where it sent a good one.", "string"),
    "RateLimit-Policy": ("The limits that count this request (draft-ietf-httpapi-ratelimit-headers).", "string"),
    "RateLimit": ("What is left of them.", "string"),
    "Retry-After": ("Seconds to wait.", "integer"),
    "ETag": ("Names these bytes.", "string"),
    "WWW-Authenticate": ("What would be needed.", "string"),
    "Allow": ("The methods that there are.", "string"),
    "Accept-Post": ("The kinds of body that are taken.", "string"),
}
_OF_STATUS = {401: ("WWW-Authenticate",), 403: ("WWW-Authenticate",), 405: ("Allow",), 415: ("Accept-Post",),
              429: ("Retry-After", "RateLimit-Policy", "RateLimit"), 503: ("Retry-After",)}  # fmt: skip


def document(table: Iterable[Endpoint], registry: Registry) -> dict[str, Any]:
    """OpenAPI document as JSON data, paths in the order of the table."""
    endpoints = list(table)
    made = _Maker(registry)
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = made.operation(endpoint)
    used = {endpoint.tag for endpoint in endpoints}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": TITLE,
            "version": VERSION,
            "summary": "Whether an action may go ahead at a destination, and whether structured data is right.",
            "description": "A decision is an observation with an expiry. Missing evidence is no approval, and any "
            "error is a stop. Within /v1 members and values may be added: ignore members you do not know, and take a "
            "value you do not know as one that verifies nothing.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "servers": [{"url": "/"}],
        "tags": [{"name": name, "description": about} for name, about in _TAGS.items() if name in used],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(made.schemas.items())),
            "securitySchemes": {
                "key": {
                    "type": "http",
                    "scheme": "bearer",
                    "bearerFormat": "wp_live_... or wp_test_...",
                    "description": "An API key, for servers alone: never in a page, an address or a log.",
                },
                "session": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": "waypost_session",
                    "description": "A browser signed in by a one-time link.",
                },
            },
        },
        "x-waypost-limits": [
            {"name": policy.name, "quota": policy.quota, "window_s": policy.window_s} for policy in POLICIES
        ],
    }


class _Maker:
    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self.schemas: dict[str, Any] = {}

    def operation(self, endpoint: Endpoint) -> dict[str, Any]:
        made: dict[str, Any] = {
            "operationId": endpoint.name,
            "tags": [endpoint.tag],
            "summary": endpoint.summary,
            "description": endpoint.about,
            "x-waypost-needs": list(endpoint.scopes),
            "x-waypost-limit": endpoint.limit,
            "security": _security(endpoint),
        }
        if endpoint.deprecated is not None:
            made["deprecated"] = True
        if parameters := [*_parameters(endpoint)]:
            made["parameters"] = parameters
        if endpoint.body:
            made["requestBody"] = self._body(endpoint.body)
        made["responses"] = {
            **{str(status): self._answer(endpoint, answer) for status, answer in endpoint.answers.items()},
            **(
                {"304": {"description": "The caller has these bytes.", "headers": _headers("ETag")}}
                if endpoint.conditional
                else {}
            ),
            **self._problems(endpoint),
        }
        return made

    def _body(self, body: Body) -> dict[str, Any]:
        content: dict[str, Any] = {body.media: {"schema": self._ref(body.schema)}}
        if body.examples:
            content[body.media]["examples"] = {
                name.replace(" ", "-"): {"summary": name, "value": value} for name, value in body.examples.items()
            }
        for media in body.others:
            content[media] = {"schema": {}}
        return {
            "required": not body.optional,
            "content": content,
            "x-waypost-max-bytes": body.limit,
            "x-waypost-max-depth": body.depth,
        }

    def _answer(self, endpoint: Endpoint, answer: Answer) -> dict[str, Any]:
        made: dict[str, Any] = {"description": answer.about}
        names = ["X-Request-ID"]
        if endpoint.scopes != (SESSION,):
            names += ["RateLimit-Policy", "RateLimit"]
        if endpoint.conditional:
            names.append("ETag")
        made["headers"] = _headers(*names) | {
            name: {"description": about, "schema": {"type": "string"}} for name, about in answer.headers.items()
        }
        if answer.media:
            content: dict[str, Any] = {answer.media: {"schema": self._ref(answer.schema) if answer.schema else {}}}
            if answer.example is not None:
                content[answer.media]["example"] = answer.example
            content |= {media: {"schema": {}} for media in answer.others}
            made["content"] = content
        return made

    def _problems(self, endpoint: Endpoint) -> dict[str, Any]:
        by_status: dict[int, list[Problem]] = {}
        for code in [*endpoint.codes(), "method-not-allowed"]:
            found = problems()[code]
            by_status.setdefault(found.status, []).append(found)
        return {
            str(status): {
                "description": " ".join(f"`{problem.code}`: {problem.when}" for problem in found),
                "headers": _headers("X-Request-ID", *_OF_STATUS.get(status, ())),
                "content": {
                    PROBLEM: {"schema": self._ref("problem")},
                    **({"text/html": {"schema": {}}} if endpoint.is_page else {}),
                },
                "x-waypost-problems": [problem.code for problem in found],
            }
            for status, found in sorted(by_status.items())
        }

    def _ref(self, name: str) -> dict[str, str]:
        if name not in self.schemas:
            # Reserved before the recursion, as schemas may refer to themselves.
            self.schemas[name] = {}
            whole = self._registry.document(f"api/{name}.schema.json")
            self.schemas[name] = self._within({k: v for k, v in whole.items() if k not in {"$schema", "$id"}}, name)
        return {"$ref": f"#/components/schemas/{name}"}

    def _within(self, value: Any, home: str) -> Any:
        """Schema with its references rewritten to components, which are added on demand."""
        if isinstance(value, list):
            return [self._within(item, home) for item in value]
        if not isinstance(value, dict):
            return value
        made = {key: self._within(item, home) for key, item in value.items()}
        target = value.get("$ref")
        if isinstance(target, str):
            file, _, fragment = target.partition("#")
            name = file.rpartition("/")[2].removesuffix(".schema.json") or home
            if name != home:
                self._ref(name)
            made["$ref"] = f"#/components/schemas/{name}{fragment}"
        return made


def _security(endpoint: Endpoint) -> list[dict[str, list[str]]]:
    """Alternatives, of which a request needs one; scopes stand as role names (OpenAPI 3.1, Security Requirement
    Object)."""
    if endpoint.public:
        return []
    if endpoint.scopes == (SESSION,):
        return [{"session": []}]
    alternatives: list[dict[str, list[str]]] = [{}] if endpoint.form_limit else []
    return [{"key": []}] if endpoint.scopes == (ANY_KEY,) else [{"key": [s]} for s in endpoint.scopes] + alternatives


def _parameters(endpoint: Endpoint) -> Iterable[dict[str, Any]]:
    for place, queries in (
        ("path", endpoint.members.values()),
        ("query", endpoint.query),
        ("header", (*endpoint.headers, *((PARAMETER,) if endpoint.idempotent else ()))),
    ):
        for parameter in queries:
            yield _parameter(parameter, place)


def _parameter(query: Parameter, place: str) -> dict[str, Any]:
    return {
        "name": query.name,
        "in": place,
        "required": query.required or place == "path",
        "description": query.about,
        "schema": _plain(query) if place == "query" else dict(query.schema),
    }


def _plain(query: Parameter) -> dict[str, Any]:
    """JSON Schema of a query parameter, with the ban on control characters made explicit for plain strings."""
    schema = dict(query.schema)
    if schema.get("type") == "string" and not {"enum", "pattern"} & schema.keys():
        schema["pattern"] = r"^[^\u0000-\u001f\u007f-\u009f]*$"
    return schema


def _headers(*names: str) -> dict[str, Any]:
    return {name: {"description": _HEADERS[name][0], "schema": {"type": _HEADERS[name][1]}} for name in names}


def written(made: Mapping[str, Any]) -> bytes:
    """Bytes of the document as committed."""
    return msgspec.json.format(msgspec.json.encode(made), indent=1) + b"\n"
