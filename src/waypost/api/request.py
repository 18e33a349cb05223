"""One request as an endpoint sees it, and what it answers with."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Awaitable, Callable, Generator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import parse_qsl

import msgspec

from waypost.api import body as strict
from waypost.api.endpoint import JSON, Body, Endpoint, Query
from waypost.api.problems import Place, Refused

if TYPE_CHECKING:
    from waypost.api.limits import Allowed
    from waypost.api.state import Running
    from waypost.models.api_key import Key
    from waypost.registry import Registry

T = TypeVar("T")
Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]

MEMBERS = "waypost.members"
"""Where the application leaves the members of a path, in the scope."""
READ_TIMEOUT_S = 10.0
_MOST_QUERY = 32
_KEY_NAMES = frozenset({"key", "api_key", "apikey", "api-key", "access_token", "token", "authorization"})
_CHARSET = re.compile(r"charset\s*=\s*\"?([^\";\s]+)", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


class Reply(NamedTuple):
    """An answer. `headers` have lower-case names; `decision_id` is for the log.

    kept  what may be kept of the body for a replay, where that is not all of it
    """

    data: bytes = b""
    status: int = 200
    media: str = JSON
    headers: Mapping[str, str] = {}
    decision_id: str = ""
    kept: bytes | None = None


class _Going:
    """A coroutine that has been begun and waits for something, to be awaited to its end."""

    def __init__(self, coroutine: Generator[Any, Any, Any], waits_for: Any) -> None:
        self._coroutine, self._waits_for = coroutine, waits_for

    def __await__(self) -> Generator[Any, Any, Any]:
        """As `yield from` does it (PEP 380), but beginning with what the coroutine waits for already."""
        waits_for = self._waits_for
        while True:
            try:
                sent = yield waits_for
            except BaseException as fault:  # noqa: BLE001 - the coroutine is told, whatever it is
                going_on = partial(self._coroutine.throw, fault)
            else:
                going_on = partial(self._coroutine.send, sent)
            try:
                waits_for = going_on()
            except StopIteration as done:
                return done.value


def reply(told: Any, status: int = 200, headers: Mapping[str, str] | None = None, decision_id: str = "") -> Reply:
    """An answer in JSON."""
    return Reply(msgspec.json.encode(told), status, JSON, headers or {}, decision_id)


class Call:
    """One request.

    caller   the key that came with it; none on public endpoints
    address  who asks, as the proxies that are trusted tell it
    members  of the path, by their names in the endpoint's path
    allowed  what the limits have counted of it
    """

    __slots__ = (
        "_body",
        "_headers",
        "_query",
        "_receive",
        "address",
        "allowed",
        "caller",
        "endpoint",
        "members",
        "request_id",
        "running",
        "scope",
        "session",
    )  # fmt: skip

    def __init__(
        self, running: Running, endpoint: Endpoint, scope: Mapping[str, Any], receive: Receive, request_id: str
    ) -> None:
        self.running = running
        self.endpoint = endpoint
        self.scope = scope
        self.request_id = request_id
        self.members: Mapping[str, str] = scope.get(MEMBERS) or {}
        self.caller: Key | None = None
        self.session: Any = None
        self.allowed: list[Allowed] = []
        self.address = ""
        self._receive = receive
        self._headers: dict[bytes, bytes] | None = None
        self._query: dict[str, str] | None = None
        self._body: bytes | None = None

    @property
    def registry(self) -> Registry:
        return self.running.registry

    @property
    def key(self) -> Key:
        """The key, on endpoints that ask for one."""
        assert self.caller is not None
        return self.caller

    def header(self, name: str) -> str:
        """A header's value, empty where it is not there. One sent twice is joined, as RFC 9110 section 5.3 has it."""
        found = (self._headers or self._sent()).get(name.encode())
        return found.decode("latin-1") if found else ""

    def _sent(self) -> dict[bytes, bytes]:
        if self._headers is None:
            self._headers = _joined(self.scope["headers"])
        return self._headers

    def has_header(self, name: str) -> bool:
        """Whether a header was sent, though it be empty."""
        return name.encode() in (self._headers or self._sent())

    @property
    def bytes_in(self) -> int:
        """How much of a body was read."""
        return len(self._body or b"")

    @property
    def query(self) -> dict[str, str]:
        """The members of the query string that the endpoint knows. Raises Refused for any other thing in it."""
        if self._query is None:
            self._query = _query(self.scope.get("query_string", b""), self.endpoint.query)
        return self._query

    def number(self, name: str, default: int) -> int:
        return int(self.query.get(name, default))

    async def raw(self, body: Body) -> bytes:
        """The body's bytes, no more than its limit."""
        if self._body is not None:
            return self._body
        sent = self._headers or self._sent()
        if sent.get(b"content-encoding", b"") not in {b"", b"identity"}:
            raise Refused(
                "unsupported-media-type", "send the body without a Content-Encoding", headers=self._accept_post()
            )
        length = sent.get(b"content-length", b"")
        if length.isdigit() and int(length) > body.limit:
            raise _too_large(body)
        try:
            receiving = self._receive().__await__()
            try:
                waits_for = next(receiving)
            except StopIteration as done:  # the first part, which most often is all of it, is there already
                message: Message = done.value
            else:
                async with asyncio.timeout(READ_TIMEOUT_S):  # a body may be told of and never begin
                    message = await _Going(receiving, waits_for)
            data: bytes = message.get("body", b"")
            if message.get("more_body"):
                async with asyncio.timeout(READ_TIMEOUT_S):
                    data = await self._rest(body, [data])
        except TimeoutError:
            raise Refused("malformed-json", f"the body was not complete after {READ_TIMEOUT_S:g} seconds") from None
        if len(data) > body.limit:
            raise _too_large(body)
        self._body = data
        return data

    async def _rest(self, body: Body, parts: list[bytes]) -> bytes:
        length, more = len(parts[0]), True
        while more and length <= body.limit:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise Refused("malformed-json", "the body is not complete")
            parts.append(message.get("body", b""))
            length += len(parts[-1])
            more = message.get("more_body", False)
        return b"".join(parts)

    def media(self) -> str:
        """The kind of the body, without parameters; a charset other than UTF-8 is refused."""
        essence, _, parameters = self.header("content-type").partition(";")
        charset = _CHARSET.search(parameters) if parameters else None
        if charset and charset[1].lower() not in {"utf-8", "utf8", "us-ascii"}:
            raise Refused("unsupported-media-type", "the body must be encoded as UTF-8", headers=self._accept_post())
        return essence.strip().lower()

    def _accept_post(self) -> dict[str, str]:
        body = self.endpoint.body
        return {"accept-post": ", ".join((JSON, *(body.others if body else ())))}

    async def document(self) -> Any:
        """The JSON body, checked against its schema."""
        body = self.endpoint.body
        assert body is not None
        if self.media() != JSON:
            raise Refused("unsupported-media-type", f"the body must be {JSON}", headers=self._accept_post())
        return strict.read(await self.raw(body), body, self.registry)

    async def asked(self, shape: type[T], dec_hook: Callable[[type, Any], Any] | None = None) -> T:
        """The JSON body as a struct."""
        return strict.typed(await self.document(), shape, dec_hook)

    def accepts(self, *media: str) -> str:
        """The first of several kinds, in the order of the caller's wishes, that the Accept header allows."""
        accepted = self.header("accept")
        if not accepted:
            return media[0]
        wishes = sorted(_wishes(accepted), key=lambda wish: -wish[1])
        for wanted, quality in wishes:
            if quality > 0:
                for each in media:
                    if wanted in {"*/*", each, f"{each.partition('/')[0]}/*"}:
                        return each
        raise Refused("not-acceptable", f"the answer can be had as {', '.join(media)}")


def _wishes(accepted: str) -> list[tuple[str, float]]:
    """RFC 9110 section 12.5.1; a weight that cannot be read counts as 1."""
    wishes = []
    for part in accepted.split(","):
        kind, *parameters = (each.strip().lower() for each in part.split(";"))
        weight = next((each[2:] for each in parameters if each.startswith("q=")), "1")
        try:
            quality = float(weight)
        except ValueError:
            quality = 1.0
        wishes.append((kind, quality if math.isfinite(quality) else 1.0))
    return wishes


def _joined(sent: list[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    headers = dict(sent)
    if len(headers) < len(sent):
        headers = {}
        for name, value in sent:
            headers[name] = headers[name] + b", " + value if name in headers else value
    return headers


def _too_large(body: Body) -> Refused:
    return Refused("body-too-large", f"the body may have {body.limit} bytes")


def _query(raw: bytes, known: tuple[Query, ...]) -> dict[str, str]:
    if not raw and not known:
        return {}
    try:
        pairs = parse_qsl(
            raw.decode("ascii"), keep_blank_values=True, max_num_fields=_MOST_QUERY, encoding="utf-8", errors="strict"
        )
    except (UnicodeDecodeError, ValueError):
        raise Refused("invalid-request", "the query string cannot be read") from None
    by_name = {each.name: each for each in known}
    if any(name.lower() in _KEY_NAMES and name not in by_name for name, _ in pairs):
        raise Refused("key-in-url")
    errors: list[Place] = []
    found: dict[str, str] = {}
    for name, value in pairs:
        if name not in by_name:
            errors.append(_at(name if name.isidentifier() else "?", "unknown-parameter", "there is no such parameter"))
        elif name in found:
            errors.append(_at(name, "repeated", "the parameter is there twice"))
        else:
            found[name] = value
            errors += _value_faults(by_name[name], value)
    errors += [
        _at(each.name, "required", "the parameter is missing")
        for each in known
        if each.required and each.name not in found
    ]
    if errors:
        raise Refused("invalid-request", errors=errors)
    return found


def _value_faults(query: Query, value: str) -> list[Place]:
    """What is wrong with a value, by the few keywords that a query's schema has."""
    schema = query.schema
    if schema.get("type") == "integer":
        least, most = schema.get("minimum", 0), schema.get("maximum", 1 << 53)
        if not (value.isascii() and value.isdigit() and len(value) < 17 and least <= int(value) <= most):
            return [_at(query.name, "integer", f"it must be a whole number from {least} to {most}")]
        return []
    if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", 8192):
        bounds = f"{schema.get('minLength', 0)} to {schema.get('maxLength', 8192)}"
        return [_at(query.name, "length", f"it must have {bounds} characters")]
    if "enum" in schema and value not in schema["enum"]:
        return [_at(query.name, "enum", f"it must be one of {', '.join(schema['enum'])}")]
    if _CONTROL.search(value) or ("pattern" in schema and not re.search(schema["pattern"], value)):
        return [_at(query.name, "pattern", "it holds characters that it may not, or lacks what it needs")]
    return []


def _at(parameter: str, code: str, detail: str) -> Place:
    return {"parameter": parameter, "code": code, "detail": detail}
