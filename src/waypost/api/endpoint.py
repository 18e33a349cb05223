"""What an endpoint says of itself. Everything about the API is made from these: routes, guards, limits, documents."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from waypost.api.request import Call, Reply

Method = Literal["GET", "POST", "DELETE"]
Handle = Callable[["Call"], Awaitable["Reply"]]
Scopes = tuple[str, ...]

PUBLIC = "public"
"""No key is asked for; what limits there are count by address."""
ANY_KEY = "any key"
"""Any valid key will do, whatever its scopes."""
SESSION = "session"
"""A signed-in browser session, not a key."""
_NONE: Mapping[str, Any] = MappingProxyType({})

JSON = "application/json"
PROBLEM = "application/problem+json"
FORM = "application/x-www-form-urlencoded"
PAGE = "text/html; charset=utf-8"
KIB = 1024


class Body(NamedTuple):
    """What an endpoint takes.

    schema   name of the file `schemas/api/<schema>.schema.json`
    limit    bytes at most
    depth    how deeply objects and arrays may lie in one another
    nodes    values at most, all objects and arrays counted with what they hold
    others   further media types, which the handler reads itself
    optional an empty body will do
    media    its usual kind
    """

    schema: str
    limit: int = 8 * KIB
    depth: int = 32
    nodes: int = 20_000
    others: tuple[str, ...] = ()
    optional: bool = False
    media: str = JSON


class Query(NamedTuple):
    """One member of the query string.

    schema  its JSON Schema; "type" is string or integer.
    """

    name: str
    about: str
    schema: Mapping[str, Any] = MappingProxyType({"type": "string"})
    required: bool = False


class Answer(NamedTuple):
    """One kind of answer that is no problem. `schema` is as in `Body`; empty for an answer without a body."""

    about: str
    schema: str = ""
    media: str = JSON
    example: Any = None
    headers: Mapping[str, str] = _NONE
    others: tuple[str, ...] = ()


class Endpoint(NamedTuple):
    """One method of one path.

    path      with path members in braces: `/v1/schema/{type}`
    needs     the scopes of which a key must have one; or (PUBLIC,), (ANY_KEY,), (SESSION,)
    policy    the limit that counts its requests, from `limits.POLICIES`; empty where none does
    cache     the Cache-Control of its answers; with "public" first they are conditional too
    problems  codes besides those that come with its parts (see `codes`)
    examples  name -> a body that works, for the documents
    cors      pages of configured origins may read it
    form      the limit, by address, for those who send the body as a form of a page: they need no key
    """

    method: Method
    path: str
    name: str
    summary: str
    about: str
    needs: Scopes
    policy: str
    handle: Handle
    answers: Mapping[int, Answer]
    tag: str
    body: Body | None = None
    query: tuple[Query, ...] = ()
    members: Mapping[str, Query] = _NONE
    headers: tuple[Query, ...] = ()
    problems: tuple[str, ...] = ()
    cache: str = "no-store"
    examples: Mapping[str, Any] = _NONE
    idempotent: bool = False
    form: str = ""
    site: bool = False
    cors: bool = False
    deprecated: int | None = None
    sunset: int | None = None

    @property
    def public(self) -> bool:
        return self.needs == (PUBLIC,)

    @property
    def is_page(self) -> bool:
        """Whether people meet it in a browser: it answers with a page, and a refusal of it is one too."""
        return any("text/html" in {*each.others, each.media.partition(";")[0]} for each in self.answers.values())

    @property
    def conditional(self) -> bool:
        """Whether its answers carry an ETag and a 304 may stand for them."""
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
            if self.needs not in {(ANY_KEY,), (SESSION,)}:
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
