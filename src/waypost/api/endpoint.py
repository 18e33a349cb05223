"""Endpoint declarations: the `opt` of Litestar's route handlers, and `Endpoint`, the form in which other modules read
them."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict, TypeVar

from waypost.operations.table import ANY_KEY as ANY_KEY  # noqa: PLC0414 - handlers import it from here
from waypost.operations.table import PUBLIC as PUBLIC  # noqa: PLC0414 - handlers import it from here
from waypost.operations.table import Answer as Answer  # noqa: PLC0414 - handlers import it from here
from waypost.service.body import JSON as JSON  # noqa: PLC0414 - handlers import it from here
from waypost.service.body import KIB as KIB  # noqa: PLC0414 - handlers import it from here
from waypost.service.body import Body as Body  # noqa: PLC0414 - handlers import it from here

if TYPE_CHECKING:
    from litestar.handlers import HTTPRouteHandler

Scopes = tuple[str, ...]
T = TypeVar("T")
Handle = Callable[..., Awaitable[T]]
Handler = TypeVar("Handler", bound="HTTPRouteHandler")

SESSION = "session"
"""Scope of endpoints that need a signed-in browser session instead of a key."""
_NONE: Mapping[str, Any] = MappingProxyType({})

PROBLEM = "application/problem+json"
FORM = "application/x-www-form-urlencoded"
PAGE = "text/html; charset=utf-8"
_SAFE = frozenset({"GET", "HEAD", "QUERY"})
"""Safe methods (RFC 9110, section 9.2.1; RFC 10008)."""
_QUERY_CACHE = "private, max-age=30"


class Parameter(NamedTuple):
    """Request parameter in the path, the query string or a header.

    schema  JSON Schema of type string or integer; parameters in the path are strings
    """

    name: str
    about: str
    schema: Mapping[str, Any] = MappingProxyType({"type": "string"})
    required: bool = False
    place: Literal["path", "query", "header"] = "query"


class Contract(TypedDict, total=False):
    """Declaration in the `opt` of a route handler. Only `scopes` and `answers` are required.

    scopes      scopes of which a key needs at least one; or (PUBLIC,), (ANY_KEY,), (SESSION,)
    limit       name of the limit from `limits.POLICIES` that counts the requests; empty for no limit
    cache       Cache-Control of successful answers; if "public" comes first, conditional requests work too
    problems    problem codes in addition to the usual codes (see `Endpoint.codes`)
    cors        whether pages of the configured origins may read the answers
    form_limit  name of the limit, by address, for a body that is a browser form; forms need no key
    deprecated, sunset  seconds since 1970 (RFC 9745, RFC 8594)
    slash       whether the path ends in a slash; without the slash the site answers
    live        whether requests change something live, which a test key may not
    only_400    whether a body of another kind, or one that its schema refuses, is answered with 400, as AuthZEN asks
    echoes_id   whether an X-Request-ID comes back that the log does not take, as AuthZEN asks
    as_query    operation id of the same request by QUERY (RFC 10008), for a POST that is safe
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
    live: bool
    only_400: bool
    echoes_id: bool
    as_query: str


class Endpoint(NamedTuple):
    """Method of a path: a route handler as the rest of the API reads it.

    path     with parameters in braces: `/v1/schema/{type}`
    handle   function of the route handler
    members  parameters of the path by name
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
    live: bool = False
    only_400: bool = False
    echoes_id: bool = False
    as_query: str = ""

    def by_query(self) -> Endpoint:
        """The same endpoint by QUERY, which is safe: answers may be stored by the caller for a short time."""
        about = "The same as by POST. QUERY (RFC 10008) is safe: requests can be repeated and responses cached."
        return self._replace(
            method="QUERY", name=self.as_query, summary=f"{self.summary.removesuffix(' by POST')} by QUERY",
            about=about, cache=_QUERY_CACHE, as_query="",
        )  # fmt: skip

    def status_of(self, status: int) -> int:
        """Status of this endpoint's answer for a problem that elsewhere has `status`."""
        return 400 if self.only_400 and status in {415, 422} else status

    @property
    def public(self) -> bool:
        return self.scopes == (PUBLIC,)

    @property
    def takes_idempotency_key(self) -> bool:
        """Whether an Idempotency-Key may be sent: it has an effect, or repetitions change nothing."""
        return self.idempotent or self.method in _SAFE

    @property
    def is_page(self) -> bool:
        """Whether browsers use the endpoint: answers are HTML pages, and problems are pages too."""
        return any("text/html" in {*answer.others, answer.media.partition(";")[0]} for answer in self.answers.values())

    @property
    def conditional(self) -> bool:
        """Whether answers carry an ETag and conditional requests may get a 304."""
        return self.cache.startswith(("public", "private"))

    def codes(self) -> list[str]:
        """Sorted problem codes of the endpoint, for the OpenAPI document."""
        # Errors of the checks that every request passes (see `exchange.py`).
        found = {
            "bad-header",
            "head-too-large",
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
        if self.live:
            found.add("not-permitted")
        if self.body:
            found |= {
                "malformed-json", "empty-body", "duplicate-member", "too-deep", "bad-header",
                "body-too-large", "body-too-slow", "unsupported-media-type", "invalid-request",
            }  # fmt: skip
        if self.headers:
            found |= {"bad-header"}
        if self.members:
            found |= {"not-found"}
        if self.idempotent:
            found |= {"idempotency-in-progress", "idempotency-mismatch", "bad-header"}
        elif not self.takes_idempotency_key:
            found.add("idempotency-unsupported")
        return sorted(found | set(self.problems))


def endpoint_of(handler: HTTPRouteHandler) -> Endpoint:
    """Endpoint that a route handler declares."""
    (method,) = handler.http_methods
    (path,) = handler.paths
    contract = dict(handler.opt)
    # Added by `hot` and by `App`; no parts of the contract.
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
    """Mark a route whose requests skip Litestar's routing and dependency injection.

    `app.HotRoute` calls the handler function directly, after the same checks in the same order.
    """
    handler.opt["hot"] = True
    return handler
