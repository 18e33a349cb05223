"""Request as an endpoint sees it (`Call`) and answer of an endpoint (`Reply`)."""

from __future__ import annotations

import asyncio
import math
import re
import types
from collections.abc import Awaitable, Callable, Collection, Coroutine, Generator, Mapping
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qsl, unquote_plus

import msgspec
from litestar.response import Response

from waypost.api.endpoint import JSON, Body, Endpoint, Parameter
from waypost.formats.ip_addresses import network_of
from waypost.isolation.documents import LEAST_BYTES, Document, NoRoom
from waypost.isolation.fair_queue import Turn
from waypost.models.api_key import PATTERN
from waypost.service import body as strict
from waypost.service.problems import ErrorItem, ProblemError

if TYPE_CHECKING:
    from waypost.api.limits import Allowed
    from waypost.api.state import ServiceState
    from waypost.models.api_key import Key
    from waypost.registry import Registry

T = TypeVar("T")
Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]

EXCHANGE = "waypost.exchange"
"""Key of the exchange in the ASGI scope."""
INTO = "into"
"""Attribute of a request in the server: the Document for the arriving body, or None."""
NO_ORGANIZATION = "none"
"""Name that no organization has, since ids are UUIDs: what is stored of live keys stays hidden from test keys."""
ENDS_WITH_CLIENT = "ends_with_client"
"""Attribute of a request in the server: the end of the client's side ends the request too."""
READ_TIMEOUT_S = 10.0
MOST_HERE = 16 << 10
"""Bytes of JSON that are read on the event loop; 256 KiB made to take long would hold it up for 28 ms."""
_MOST_QUERY = 32
_KEY = re.compile(PATTERN)
_KEY_NAMES = frozenset({"key", "api_key", "apikey", "api-key", "access_token", "token", "authorization"})
_ROTATE = "send the key in the Authorization header; the one in the address may stand in logs by now, so rotate it"
_CHARSET = re.compile(r"charset\s*=\s*\"?([^\";\s]+)", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


class Reply(Response[bytes]):
    """HTTP answer. Names in `headers` are lower-case.

    decision_id  for the log
    problem      problem code of an error answer
    stored       body to store for an idempotent replay, if different from `content`
    """

    __slots__ = ("decision_id", "problem", "stored")

    media_type: str
    status_code: int

    def __init__(
        self,
        content: bytes = b"",
        status_code: int = 200,
        media_type: str = JSON,
        headers: Mapping[str, str] | None = None,
        *,
        decision_id: str = "",
        problem: str = "",
    ) -> None:
        # Litestar's constructor is skipped: its checks of cookies, encoders and headers would dominate the request.
        self.content = content
        self.status_code = status_code
        self.media_type = media_type
        self.headers = {} if headers is None else {**headers}
        self.decision_id = decision_id
        self.problem = problem
        self.stored: bytes | None = None

    def to_asgi_response(self, *_: Any, **__: Any) -> Any:
        """Litestar's hook: the exchange completes the headers and sends the answer."""

        async def send_reply(scope: Any, receive: Any, send: Any) -> None:  # noqa: ARG001 - ASGI's signature
            await scope[EXCHANGE].send(self, send)

        return send_reply


def json_reply(
    document: Any, status: int = 200, headers: Mapping[str, str] | None = None, decision_id: str = ""
) -> Reply:
    """Answer with a JSON body."""
    return Reply(msgspec.json.encode(document), status, JSON, headers, decision_id=decision_id)


@types.coroutine
def _resumed(coroutine: Generator[Any, Any, Any], waits_for: Any) -> Generator[Any, Any, Any]:
    """Drive a coroutine that was started by hand to its end, as `yield from` does (PEP 380).

    Lets `_received` start reading without a timeout: nearly every body is complete at once, and a timer for each
    request takes a twentieth of a decision.
    """
    while True:
        try:
            sent = yield waits_for
        except BaseException as error:  # noqa: BLE001 - the coroutine gets it, whatever it is
            resume = partial(coroutine.throw, error)
        else:
            resume = partial(coroutine.send, sent)
        try:
            waits_for = resume()
        except StopIteration as done:
            return done.value


class Call:
    """Request to an endpoint.

    caller   key of the request; None on public endpoints
    address  client address, behind trusted proxies by X-Forwarded-For
    members  path parameters by name
    allowed  verdicts of the limits that counted the request
    """

    __slots__ = (
        "_body", "_headers", "_receive", "address", "allowed", "caller", "endpoint", "members", "query", "request_id",
        "scope", "session", "state",
    )  # fmt: skip

    def __init__(
        self,
        state: ServiceState,
        endpoint: Endpoint,
        scope: Mapping[str, Any],
        receive: Receive | None,
        request_id: str,
        received: Mapping[bytes, bytes],
    ) -> None:
        self.state = state
        self.endpoint = endpoint
        self.scope = scope
        self.request_id = request_id
        self.members: Mapping[str, str] = scope.get("path_params") or {}
        self.query: dict[str, str] = {}
        self.caller: Key | None = None
        self.session: Any = None
        self.allowed: list[Allowed] = []
        self.address = ""
        self._receive = receive
        self._headers = received
        self._body: bytes | Document | None = None

    @property
    def registry(self) -> Registry:
        return self.state.registry

    @property
    def key(self) -> Key:
        """Key of the request. Only for endpoints that require a key."""
        assert self.caller is not None
        return self.caller

    @property
    def owner(self) -> str:
        """Organization with the records that the key reads. For a test key an organization without any."""
        return self.key.organization if self.key.environment == "live" else NO_ORGANIZATION

    def header(self, name: str) -> str:
        """Header value, empty if missing. Repeated headers are joined (RFC 9110 section 5.3)."""
        return self._headers.get(name.encode(), b"").decode("latin-1")

    def has_header(self, name: str) -> bool:
        """Whether a header was sent, empty or not."""
        return name.encode() in self._headers

    @property
    def bytes_in(self) -> int:
        """Size in bytes of the body read so far."""
        return len(self._body or b"")

    def number(self, name: str, default: int) -> int:
        return int(self.query.get(name, default))

    async def raw(self) -> bytes:
        """Body bytes. Raises ProblemError for a body over the limit, compressed, incomplete or too slow."""
        if isinstance(self._body, bytes):
            return self._body
        if self._body is not None:
            return bytes(self._body)
        body = self.endpoint.body
        if body is None:
            return b""
        self._check_length(body)
        return await self._received_whole(body)

    async def _received_whole(self, body: Body) -> bytes:
        """Body bytes, after the check of their announced length. Raises ProblemError."""
        try:
            data = await self._received(body.limit)
        except TimeoutError:
            raise _too_slow() from None
        except NoRoom:
            raise _no_room() from None
        if len(data) > body.limit:
            raise _too_large(body)
        self._body = data
        return data

    async def while_connected(self, work: Coroutine[Any, Any, T]) -> T:
        """Result of work that is of no use without the client. Raises ProblemError, and cancels it, once it is gone.

        Call it after the body was read.
        """
        # A client that gives up closes its side, as does one that only sends no more: an answer to the latter is rare.
        cycle = getattr(self._receive, "__self__", None)
        if hasattr(cycle, ENDS_WITH_CLIENT):
            setattr(cycle, ENDS_WITH_CLIENT, True)
        running, gone = asyncio.ensure_future(work), asyncio.ensure_future(self._gone())
        try:
            await asyncio.wait({running, gone}, return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                return running.result()
            raise ProblemError("not-ready", "the client has ended the connection")
        finally:
            running.cancel()
            gone.cancel()
            # The work has ended, and given back what it held, before the request does.
            await asyncio.gather(running, gone, return_exceptions=True)

    async def _gone(self) -> None:
        """Wait for the end of the connection."""
        assert self._receive is not None
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def for_worker(self) -> bytes | Document:
        """Body for `in_worker`: a long body in shared memory, written on arrival.

        Raises as `raw` does.
        """
        body = self.endpoint.body
        if self._body is not None or body is None:
            return self._body or b""
        announced = self._check_length(body)
        document = self.state.pool.documents.take(announced) if announced >= LEAST_BYTES else None
        if document is not None:
            try:
                if await self._received_into(document):
                    self._body = document
                    return document
            except TimeoutError:
                raise _too_slow() from None
        return await self._received_whole(body)

    def _check_length(self, body: Body) -> int:
        """Announced bytes of the body, or 0. Raises ProblemError for a compressed or oversized body."""
        # Not supported: a compressed body could expand far beyond the limit.
        if self._headers.get(b"content-encoding", b"") not in {b"", b"identity"}:
            raise self._unsupported("send the body without a Content-Encoding")
        length = self._headers.get(b"content-length", b"")
        # A body without a length is in chunks; behind another coding a proxy may see another body (RFC 9112, 6.1).
        if not length and self._headers.get(b"transfer-encoding", b"chunked").lower() != b"chunked":
            raise self._unsupported("send the body without a Transfer-Encoding other than chunked")
        announced = int(length) if length.isdigit() else 0
        if announced > body.limit:
            raise _too_large(body)
        return announced

    async def _received_into(self, document: Document) -> bool:
        """Write the body to a document; false on a server without `INTO`. Raises TimeoutError and ProblemError."""
        assert self._receive is not None
        cycle = getattr(self._receive, "__self__", None)
        if not hasattr(cycle, INTO):  # another server, or one whose parts are wrapped
            return False
        setattr(cycle, INTO, document)
        try:
            async with asyncio.timeout(READ_TIMEOUT_S):
                more = True
                while more:
                    message = await self._receive()
                    if message["type"] == "http.disconnect":
                        raise _incomplete()
                    document.append(message["body"])  # what arrived before
                    more = message["more_body"]
        finally:
            # What arrives late must not be written: the slot may be another document's by then.
            setattr(cycle, INTO, None)
        return True

    async def _received(self, limit: int) -> bytes:
        """Body bytes, cut off once they exceed `limit`. Raises TimeoutError, NoRoom and ProblemError."""
        assert self._receive is not None
        awaitable = self._receive()
        if not isinstance(awaitable, Coroutine):  # of a server in another language, which only `await` can drive
            async with asyncio.timeout(READ_TIMEOUT_S):
                return await self._rest(await awaitable, limit)
        receiving = awaitable.__await__()
        try:
            waits_for = next(receiving)
        except StopIteration as done:  # the server had the first part ready, usually the whole body
            first: Message = done.value
            if not first.get("more_body", False):
                data: bytes = first.get("body", b"")
                return data
            async with asyncio.timeout(READ_TIMEOUT_S):
                return await self._rest(first, limit)
        async with asyncio.timeout(READ_TIMEOUT_S):  # a client may announce a body and never send it
            return await self._rest(await _resumed(receiving, waits_for), limit)

    async def _rest(self, first: Message, limit: int) -> bytes:
        """Body bytes from the first message on. Raises NoRoom and ProblemError."""
        assert self._receive is not None
        if first["type"] == "http.disconnect":
            raise _incomplete()
        parts: list[bytes] = [first.get("body", b"")]
        length, more = len(parts[0]), first.get("more_body", False)
        owner = ("organization", self.caller.organization) if self.caller else ("address", network_of(self.address))
        with self.state.arriving.of(*owner) as room:
            while more and length <= limit:
                message = await self._receive()
                if message["type"] == "http.disconnect":
                    raise _incomplete()
                parts.append(message.get("body", b""))
                length += len(parts[-1])
                room.take(len(parts[-1]))
                more = message.get("more_body", False)
            return b"".join(parts)

    def media(self) -> str:
        """Media type of the body, without parameters. Raises ProblemError for a charset other than UTF-8."""
        essence, is_utf8 = _media_of(self.header("content-type"))
        if not is_utf8:
            raise self._unsupported("the body must be encoded as UTF-8")
        return essence

    def _unsupported(self, detail: str) -> ProblemError:
        body = self.endpoint.body
        accepted = ", ".join((JSON, *(body.others if body else ())))
        return ProblemError("unsupported-media-type", detail, headers={"accept-post": accepted})

    def _check_json(self) -> None:
        if self.media() != JSON:
            raise self._unsupported(f"the body must be {JSON}")

    async def json_for_worker(self) -> bytes | Document:
        """JSON body for `in_worker`. Raises ProblemError."""
        self._check_json()
        return await self.for_worker()

    async def document(self) -> Any:
        """JSON body, valid by its schema. Raises ProblemError."""
        body = self.endpoint.body
        assert body is not None
        self._check_json()
        raw = await self.for_worker()
        if isinstance(raw, bytes) and len(raw) <= MOST_HERE:
            return strict.read(raw, body, self.registry)
        from waypost.service.page_work import read_body

        # Without the examples, which are for the documents and cannot be pickled.
        return await self.in_worker(read_body, raw, body._replace(examples={}))

    async def optional_document(self) -> Any:
        """JSON body, or an empty object for an empty body. Raises ProblemError."""
        return await self.document() if (await self.raw()).strip() else {}

    async def in_worker(self, work: Callable[..., T], *arguments: Any) -> T:
        """Result of `work(*arguments)` in a worker process, in the turn of the organization or the address.

        Raises as `Pool.run` does.
        """
        holder = self.caller.organization if self.caller else ""
        return await self.state.pool.run(work, *arguments, turn=Turn(holder, network_of(self.address)))

    async def struct(self, shape: type[T], dec_hook: Callable[[type, Any], Any] | None = None) -> T:
        """JSON body as an instance of the struct `shape`. Raises ProblemError."""
        return strict.typed(await self.document(), shape, dec_hook)

    def accepts(self, *media: str) -> str:
        """Media type that the Accept header prefers; without the header the first. Raises ProblemError if none fits.

        Litestar's `Accept.best_match` treats a type with `q=0` as acceptable, against RFC 9110 section 12.4.2.
        """
        accepted = self.header("accept")
        if not accepted:
            return media[0]
        # A stable sort: of equal weights the first of the header wins.
        for pattern, quality in sorted(_weighted(accepted), key=lambda pair: -pair[1]):
            if quality > 0:
                for name in media:
                    if pattern in {"*/*", name, f"{name.partition('/')[0]}/*"}:
                        return name
        raise ProblemError("not-acceptable", f"the answer is available as {', '.join(media)}")


@lru_cache(maxsize=64)
def _media_of(content_type: str) -> tuple[str, bool]:
    """(media type without parameters, whether the charset is UTF-8 or a part of UTF-8)"""
    essence, _, parameters = content_type.partition(";")
    charset = _CHARSET.search(parameters) if parameters else None
    return essence.strip().lower(), charset is None or charset[1].lower() in {"utf-8", "utf8", "us-ascii"}


def _weighted(accepted: str) -> list[tuple[str, float]]:
    """(media range, quality) in header order (RFC 9110 section 12.5.1); an invalid weight counts as 1."""
    found = []
    for part in accepted.split(","):
        kind, *parameters = (piece.strip().lower() for piece in part.split(";"))
        weight = next((parameter[2:] for parameter in parameters if parameter.startswith("q=")), "1")
        try:
            quality = float(weight)
        except ValueError:
            quality = 1.0
        found.append((kind, quality if math.isfinite(quality) else 1.0))
    return found


def joined(sent: list[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Header values by name; the values of a repeated header joined (RFC 9110 section 5.3)."""
    # Repeated headers are rare: the loop runs only if the dictionary lost some.
    headers = dict(sent)
    if len(headers) < len(sent):
        headers = {}
        for name, value in sent:
            headers[name] = headers[name] + b", " + value if name in headers else value
    return headers


def _incomplete() -> ProblemError:
    return ProblemError("malformed-json", "the body is not complete")


def _too_slow() -> ProblemError:
    # The rest may still come, so no other request follows on the connection (RFC 9110, section 15.5.9).
    return ProblemError(
        "body-too-slow", f"the body was not complete after {READ_TIMEOUT_S:g} seconds", headers={"connection": "close"}
    )


def _no_room() -> ProblemError:
    return ProblemError(
        "not-ready", "too many long bodies are arriving; send it again later", headers={"retry-after": "10"}
    )


def _too_large(body: Body) -> ProblemError:
    return ProblemError("body-too-large", f"the body may have {body.limit} bytes")


def check_no_key(path: str, raw: bytes, known: Collection[str] | None) -> None:
    """Check that neither path nor query string holds an API key. Raises ProblemError, without the key.

    Runs before the key, the scope and the limits: a key in a URL reaches logs and has to be replaced, by any sender.
    known  parameters that may have the name of a credential; None: every name may, as on a page of the site
    """
    if "wp_" in path and _KEY.search(path):
        raise ProblemError("key-in-url", _ROTATE)
    if not raw:
        return
    text = unquote_plus(raw.decode("latin-1"), encoding="latin-1")
    names = {part.partition("=")[0].strip().lower() for part in text.split("&")} if known is not None else ()
    if _KEY.search(text) or any(name in _KEY_NAMES and name not in (known or ()) for name in names):
        raise ProblemError("key-in-url", _ROTATE)


def read_query(raw: bytes, known: tuple[Parameter, ...]) -> dict[str, str]:
    """Parameters of the query string. Raises ProblemError for unknown, repeated, missing or invalid parameters."""
    if not raw and not known:
        return {}
    try:
        pairs = parse_qsl(
            raw.decode("ascii"), keep_blank_values=True, max_num_fields=_MOST_QUERY, encoding="utf-8", errors="strict"
        )
    except (UnicodeDecodeError, ValueError):
        raise ProblemError("invalid-request", "the query string cannot be read") from None
    by_name = {parameter.name: parameter for parameter in known}
    errors: list[ErrorItem] = []
    found: dict[str, str] = {}
    for name, value in pairs:
        # An unknown name is repeated only if it is harmless in a log or a page.
        if name not in by_name:
            errors.append(_at(name if name.isidentifier() else "?", "unknown-parameter", "there is no such parameter"))
        elif name in found:
            errors.append(_at(name, "repeated", "the parameter is there twice"))
        else:
            found[name] = value
            errors += _value_errors(by_name[name], value)
    errors += [
        _at(parameter.name, "required", "the parameter is missing")
        for parameter in known
        if parameter.required and parameter.name not in found
    ]
    if errors:
        raise ProblemError("invalid-request", errors=errors)
    return found


def _value_errors(query: Parameter, value: str) -> list[ErrorItem]:
    """Errors of a parameter value by the JSON Schema keywords that query parameters use."""
    schema = query.schema
    if schema.get("type") == "integer":
        least, most = schema.get("minimum", 0), schema.get("maximum", 1 << 53)
        # At most 16 digits, so that int() stays cheap.
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


def _at(parameter: str, code: str, detail: str) -> ErrorItem:
    return {"parameter": parameter, "code": code, "detail": detail}
