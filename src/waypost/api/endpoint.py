"""Declarations of endpoints: the `opt` of Litestar's route handlers, and the view of it that all else reads."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypedDict, TypeVar

from litestar.handlers import HTTPRouteHandler

Scopes = tuple[str, ...]
T = TypeVar("T")
Handle = Callable[..., Awaitable[T]]
Handler = TypeVar("Handler", bound=HTTPRouteHandler)

PUBLIC = "public"
"""No key is needed; limits count by address."""
ANY_KEY = "any key"
"""Any valid key is enough, whatever its scopes."""
SESSION = "session"
"""A signed-in browser session, not a key."""
_NONE: Mapping[str, Any] = MappingProxyType({})

JSON = "application/json"
PROBLEM = "application/problem+json"
FORM = "application/x-www-form-urlencoded"
PAGE = "text/html; charset=utf-8"
KIB = 1024


class Body(NamedTuple):
    """The body that an endpoint takes.

    schema    name of the file `schemas/api/<schema>.schema.json`
    limit     bytes at most
    depth     how deeply objects and arrays may be nested
    nodes     values at most, all objects and arrays counted with what they hold
    others    further media types, which the handler reads itself
    optional  an empty body is valid
    media     its usual media type
    examples  name -> a valid body, for the documents
    """

    schema: str
    limit: int = 8 * KIB
    depth: int = 32
    nodes: int = 20_000
    others: tuple[str, ...] = ()
    optional: bool = False
    media: str = JSON
    examples: Mapping[str, Any] = _NONE


class Parameter(NamedTuple):
    """One parameter of a request. `schema` is its JSON Schema, of type string or integer; members of a path are
    strings."""

    name: str
    about: str
    schema: Mapping[str, Any] = MappingProxyType({"type": "string"})
    required: bool = False
    place: Literal["path", "query", "header"] = "query"


class Answer(NamedTuple):
    """One kind of answer that is no problem. `schema` is as in `Body`; empty for an answer without a JSON body."""

    about: str
    schema: str = ""
    media: str = JSON
    example: Any = None
    headers: Mapping[str, str] = _NONE
    others: tuple[str, ...] = ()


class Contract(TypedDict, total=False):
    """The `opt` of a route handler. Only `scopes` and `answers` must be there.

    scopes      the scopes of which a key must have one; or (PUBLIC,), (ANY_KEY,), (SESSION,)
    limit       the limit that counts its requests, from `limits.POLICIES`; empty where none does
    cache       the Cache-Control of its answers; with "public" first they are conditional too
    problems    codes besides those that come with its parts (see `Endpoint.codes`)
    cors        pages of configured origins may read it
    form_limit  the limit, by address, for a body that is a form of a page: those who send one need no key
    deprecated, sunset  seconds since 1970 (RFC 9745, RFC 8594)
    slash       its path ends in a slash; without one the site answers
    """

    scopes: Scopes
    limit: str
    answers: Mapping[int, Answer]
    body: Body
    parameters: tuple[Parameter, ...]
    problems: tuple[str, ...]
    cache: str
    cors: bool
    form_limit: str
    deprecated: int
    sunset: int
    slash: bool


class Endpoint(NamedTuple):
    """One method of one path: a route handler as the rest of the API reads it.

    path     with path members in braces: `/v1/schema/{type}`
    handle   the handler's own function
    members  of the path, by name
    """

    method: str
    path: str
    name: str
    summary: str
    about: str
    tag: str
    handle: Handle[Any]
    scopes: Scopes
    answers: Mapping[int, Answer]
    limit: str = ""
    body: Body | None = None
    query: tuple[Parameter, ...] = ()
    members: Mapping[str, Parameter] = _NONE
    headers: tuple[Parameter, ...] = ()
    problems: tuple[str, ...] = ()
    cache: str = "no-store"
    idempotent: bool = False
    form_limit: str = ""
    cors: bool = False
    deprecated: int | None = None
    sunset: int | None = None

    @property
    def public(self) -> bool:
        return self.scopes == (PUBLIC,)

    @property
    def is_page(self) -> bool:
        """Whether people meet it in a browser: it answers with a page, and its problems are pages too."""
        return any("text/html" in {*answer.others, answer.media.partition(";")[0]} for answer in self.answers.values())

    @property
    def conditional(self) -> bool:
        """Whether its answers carry an ETag and may be answered with 304."""
        return self.cache.startswith("public")

    def codes(self) -> list[str]:
        """Every problem that it may answer with."""
        found = {
            "key-in-url",
            "unknown-host",
            "uri-too-long",
            "internal",
            "invalid-request",
            "not-ready",
            "quota-exceeded",
        }
        if not self.public:
            found |= {"unauthenticated", "key-expired", "key-revoked", "address-not-allowed"}
            if self.scopes not in {(ANY_KEY,), (SESSION,)}:
                found.add("insufficient-scope")
        if self.body:
            found |= {
                "malformed-json", "empty-body", "duplicate-member", "too-deep", "bad-header",
                "body-too-large", "unsupported-media-type", "invalid-request",
            }  # fmt: skip
        if self.headers:
            found |= {"bad-header"}
        if self.members:
            found |= {"not-found"}
        if self.idempotent:
            found |= {"idempotency-in-progress", "idempotency-mismatch", "bad-header"}
        return sorted(found | set(self.problems))


def endpoint_of(handler: HTTPRouteHandler) -> Endpoint:
    """The endpoint that a route handler declares."""
    (method,) = handler.http_methods
    (path,) = handler.paths
    contract = dict(handler.opt)
    for name in ("hot", "resource"):
        contract.pop(name, None)
    parameters: tuple[Parameter, ...] = contract.pop("parameters", ())
    slash = "/" if contract.pop("slash", False) else ""
    return Endpoint(
        method=method,
        path=re.sub(r"{(\w+):str}", r"{\1}", path) + slash,
        name=str(handler.operation_id or ""),
        summary=handler.summary or "",
        about=handler.description or "",
        tag=(handler.tags or [""])[0],
        handle=handler.fn,
        query=tuple(parameter for parameter in parameters if parameter.place == "query"),
        members={parameter.name: parameter for parameter in parameters if parameter.place == "path"},
        headers=tuple(parameter for parameter in parameters if parameter.place == "header"),
        idempotent=getattr(handler.fn, "idempotent", False),
        **{"scopes": (), "answers": _NONE, **contract},
    )


def hot(handler: Handler) -> Handler:
    """Mark a route whose requests skip Litestar's routing and dependencies: its function is called by our own ASGI
    handler (`app.HotRoute`). The order of its checks is the same."""
    handler.opt["hot"] = True
    return handler
