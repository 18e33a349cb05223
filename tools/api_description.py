"""OpenAPI 3.1 document, generated from the endpoint table and its schema files.

`tools/make_openapi.py` writes the document to `schemas/api/openapi.json`, so that the site, the client and readers need
no server. Tests check that the file is current and compatible with the last release.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from waypost.api.endpoint import ANY_KEY, PROBLEM, SESSION, Answer, Body, Endpoint, Parameter
from waypost.api.idempotency import PARAMETER
from waypost.api.limits import POLICIES
from waypost.contract.problems import Problem, problems
from waypost.formats.text import join_words
from waypost.registry import Registry

TITLE = "waypost"
QUERY = "x-waypost-query"
"""Member of a path with the operation of the method QUERY, in the form of an OpenAPI operation."""
VERSION = "1"
_TAGS = {
    "Decisions": "May one action go ahead at one destination, now?",
    "Disputes": "Reports that a decision is wrong.",
    "Lookup": "What is known about a domain, and which owners were reviewed.",
    "Relationships": "Claims about who owns a domain, and their review.",
    "Structured data": "Validation, cards and stored snippets.",
    "Schemas": "The registry's schemas.",
    "Keys": "Keys, the organization and its usage.",
    "Console": "Keys and reviews for people, in a browser.",
    "Service": "Health, limits and metadata of the service.",
}
_HEADERS = {
    "X-Request-ID": ("Id of the request: the caller's own, if it sent a valid one.", "string"),
    "RateLimit-Policy": ("The limits that count this request (draft-ietf-httpapi-ratelimit-headers).", "string"),
    "RateLimit": ("What is left of these limits.", "string"),
    "Retry-After": ("Seconds to wait.", "integer"),
    "ETag": ("Version of the content.", "string"),
    "WWW-Authenticate": ("The authentication that is required.", "string"),
    "Allow": ("The methods that are allowed.", "string"),
    "Accept-Post": ("The content types that are accepted.", "string"),
    "Accept-Query": ("The content types of a QUERY (RFC 10008).", "string"),
}
_OF_STATUS = {401: ("WWW-Authenticate",), 403: ("WWW-Authenticate",), 405: ("Allow",), 415: ("Accept-Post",),
              429: ("Retry-After", "RateLimit-Policy", "RateLimit"), 503: ("Retry-After",)}  # fmt: skip
_LIMITS = ("RateLimit-Policy", "RateLimit")

_INFO = {
    "title": TITLE,
    "version": VERSION,
    "summary": "Whether an action may go ahead at a destination, and whether structured data is right.",
    "description": "A decision is an observation with an expiry. Missing evidence is not an approval, and any "
    "error is a stop. Within /v1 members and values may be added: ignore members you do not know, and take a "
    "value you do not know as one that verifies nothing. Problems that are found after a request was counted have the "
    "RateLimit headers too, and those of a path that takes QUERY have Accept-Query.",
    "license": {"name": "MIT", "identifier": "MIT"},
}
_SECURITY_SCHEMES = {
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
}


def document(table: Iterable[Endpoint], registry: Registry) -> dict[str, Any]:
    """OpenAPI document as JSON data, paths in the order of the table."""
    endpoints = list(table)
    made = _Maker(registry, {endpoint.path for endpoint in endpoints if endpoint.as_query})
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        path = paths.setdefault(endpoint.path, {})
        path[endpoint.method.lower()] = made.operation(endpoint)
        if endpoint.as_query:  # OpenAPI has operations for QUERY from 3.2 on
            path[QUERY] = made.operation(endpoint.by_query())
    used = {endpoint.tag for endpoint in endpoints}
    made.share()
    shared = _Shared()
    paths = shared.hoisted(paths)
    return {
        "openapi": "3.1.0",
        "info": _INFO,
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "servers": [{"url": "/"}],
        "tags": [{"name": name, "description": about} for name, about in _TAGS.items() if name in used],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(made.schemas.items())),
            **shared.components,
            "securitySchemes": _SECURITY_SCHEMES,
        },
        "x-waypost-limits": [
            {
                "name": policy.name,
                "quota": policy.quota,
                "window_s": policy.window_s,
                "per": policy.counts,
                "counts": policy.what or "requests",
            }
            for policy in POLICIES
        ],
    }


class _Maker:
    def __init__(self, registry: Registry, queried: set[str]) -> None:
        self._registry = registry
        self._queried = queried
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
                {
                    "304": {
                        "description": "The caller has these bytes.",
                        "headers": _headers("X-Request-ID", *_LIMITS, "ETag"),
                    }
                }
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
        # Not in `content`: generators know no request of these kinds, and leave the operation out.
        also = {"description": f"Also taken: {', '.join(body.others)}.", "x-waypost-also-takes": [*body.others]}
        return {
            **(also if body.others else {}),
            "required": not body.optional,
            "content": content,
            "x-waypost-max-bytes": body.limit,
            "x-waypost-max-depth": body.depth,
        }

    def _answer(self, endpoint: Endpoint, answer: Answer) -> dict[str, Any]:
        made: dict[str, Any] = {"description": answer.about}
        names = ["X-Request-ID"]
        if endpoint.scopes != (SESSION,):
            names += _LIMITS
        if endpoint.path in self._queried:
            names.append("Accept-Query")
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
            by_status.setdefault(endpoint.status_of(found.status), []).append(found)
        return {
            str(status): {
                "description": " ".join(f"`{problem.code}`: {problem.when}" for problem in found),
                # By the problem's own status: AuthZEN answers some with 400.
                "headers": _headers(
                    "X-Request-ID",
                    *sorted({name for problem in found for name in _OF_STATUS.get(problem.status, ())}),
                ),
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
            schema = {key: value for key, value in whole.items() if key not in _UNREAD}
            self.schemas[name] = _with_choice(whole, self._within(schema, name))
        return {"$ref": f"{_SCHEMAS}{name}"}

    def _within(self, value: Any, home: str) -> Any:
        """Schema with its references rewritten to components, which are added on demand."""
        if isinstance(value, list):
            return [self._within(item, home) for item in value]
        if not isinstance(value, dict):
            return value
        made = {key: self._within(item, home) for key, item in value.items()}
        if isinstance(made.get("const"), bool):
            # A generator writes broken code for a constant that is no string.
            del made["const"]
            made["type"] = "boolean"
        target = value.get("$ref")
        if isinstance(target, str):
            file, _, fragment = target.partition("#")
            name = file.rpartition("/")[2].removesuffix(".schema.json") or home
            made |= self._part(name, fragment) if fragment else self._ref(name)
        return made

    def _part(self, name: str, fragment: str) -> dict[str, str]:
        """Reference to a part of a schema file, which becomes a component of its own: generators make a type of each
        component, and follow no reference into one."""
        found = self._registry.document(f"api/{name}.schema.json")
        for step in fragment.strip("/").split("/"):
            found = found[step]
        if found.keys() == {"$ref"}:
            return dict(self._within(found, name))
        part = f"{name}-{fragment.rpartition('/')[2].replace('_', '-')}"
        if part not in self.schemas:
            self.schemas[part] = {}
            self.schemas[part] = self._within(found, name)
        return {"$ref": f"{_SCHEMAS}{part}"}

    def share(self) -> None:
        """Replace shapes that stand in several places by references to a component, named for the member."""
        for _ in range(_ROUNDS):
            places: dict[bytes, list[_Place]] = {}
            for name, schema in self.schemas.items():
                for place in _places(schema, name, name):
                    places.setdefault(place.shape, []).append(place)
            repeated = [found for found in places.values() if len(found) > 1]
            if not repeated:
                return
            for found in repeated:
                self._share(found)

    def _share(self, places: list[_Place]) -> None:
        whole = next((place for place in places if place.holder is None), None)
        first = places[0]
        name = whole.home if whole else self._free_name(first)
        for place in places:
            if place.holder is not None:
                value = place.holder[place.key]
                about = {"description": value["description"]} if "description" in value else {}
                self.schemas.setdefault(name, value)
                place.holder[place.key] = {"$ref": f"{_SCHEMAS}{name}"} | about

    def _free_name(self, place: _Place) -> str:
        if place.name not in self.schemas:
            return place.name
        return f"{place.home}-item" if place.home.endswith(place.name) else f"{place.home}-{place.name}"


class _Place(NamedTuple):
    """Place of a shape in a component: `holder[key]`, or the whole component without a holder.

    shape  the schema without its description, as canonical JSON
    name   name for a component of this shape
    """

    shape: bytes
    home: str
    name: str
    holder: Any = None
    key: Any = None


_ROUNDS = 4


def _places(value: Any, home: str, name: str, holder: Any = None, key: Any = None) -> Iterator[_Place]:
    """Places of shapes that generators make a type of: objects with members, and lists of values."""
    if isinstance(value, list):
        for number, each in enumerate(value):
            yield from _places(each, home, name, value, number)
    if not isinstance(value, dict):
        return
    if holder is None or value.get("properties") or len(value.get("enum", ())) > 1:
        plain = {key: each for key, each in value.items() if key not in {"description", "title"}}
        yield _Place(msgspec.json.encode(plain, order="sorted"), home, name, holder, key)
    for word, each in value.items():
        if word == "properties":
            for member, inner in each.items():
                yield from _places(inner, home, member.strip("@").replace("_", "-"), each, member)
        elif word not in {"enum", "required", "examples"}:
            yield from _places(each, home, name, value, word)


_SCHEMAS = "#/components/schemas/"
_CHOICES = ("oneOf", "anyOf", "if", "then", "else")
_UNREAD = {"$schema", "$id", "$defs", *_CHOICES}


def _with_choice(whole: Mapping[str, Any], made: dict[str, Any]) -> dict[str, Any]:
    """Schema of an object whose condition, which generators misread, stands in a sentence: one member of several."""
    if "properties" not in whole:
        return made | {word: whole[word] for word in _CHOICES if word in whole}
    choices = whole.get("oneOf") or whole.get("anyOf") or whole.get("else", {}).get("oneOf")
    if not choices:
        return made
    names = [name for choice in choices for name in choice["required"]]
    number = "At least one" if "anyOf" in whole else "Exactly one"
    excepted = ", and none of them for `kind` `schema`" if "else" in whole else ""
    one_of = join_words([f"`{name}`" for name in names], "or")
    about = f"{made.get('description', '')} {number} of {one_of} is there{excepted}."
    return made | {"description": about.strip(), "x-waypost-one-of": names}


class _Shared:
    """Parts that several operations repeat, as components: problem answers, headers, parameters."""

    def __init__(self) -> None:
        self.components: dict[str, dict[str, Any]] = {"responses": {}, "headers": {}, "parameters": {}}

    def hoisted(self, paths: dict[str, Any]) -> dict[str, Any]:
        """Paths with references in place of the repeated parts."""
        return {
            path: {method: self._operation(operation) for method, operation in methods.items()}
            for path, methods in paths.items()
        }

    def _operation(self, operation: dict[str, Any]) -> dict[str, Any]:
        made = dict(operation)
        if "parameters" in operation:
            made["parameters"] = [self._put("parameters", each["name"], each) for each in operation["parameters"]]
        made["responses"] = {
            status: self._response(status, answer) for status, answer in operation["responses"].items()
        }
        return made

    def _response(self, status: str, answer: dict[str, Any]) -> dict[str, Any]:
        made = dict(answer)
        if "headers" in answer:
            made["headers"] = {name: self._put("headers", name, each) for name, each in answer["headers"].items()}
        if status == "304":
            return self._put("responses", "not-modified", made)
        return self._put("responses", f"problem-{status}", made) if status >= "4" else made

    def _put(self, kind: str, name: str, value: dict[str, Any]) -> dict[str, Any]:
        """Reference to the component with this value. Further values of a name are numbered."""
        held = self.components[kind]
        number, key = 1, name
        while held.setdefault(key, value) != value:
            number += 1
            key = f"{name}-{number}"
        return {"$ref": f"#/components/{kind}/{key}"}


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
