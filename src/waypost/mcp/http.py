"""Streamable HTTP transport in front of a service: every caller brings a key of the service.

The service checks scopes and limits at every call. The transport checks the key too, because lists and resources are
for holders of a key only. A session of the handshake protocol belongs to the key of the first request.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import unquote

import msgspec
import uvicorn
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from waypost.client import AsyncClient, ClientError, NoAnswer
from waypost.client.clients import connections
from waypost.client.transport import Request, read_as
from waypost.mcp.answers import STOP
from waypost.mcp.arrival import BoundedArrival, Holders, deletion
from waypost.mcp.remote import RemoteBackend
from waypost.mcp.server import Context, Handlers, make_server
from waypost.mcp.wire import MOST_BYTES, REPEATED, has_repeated_member, with_own_error_text
from waypost.models.api_key import PATTERN
from waypost.net.listen import listen
from waypost.registry import Registry, load
from waypost.registry import world as worlds

PATH = "/mcp"
SESSIONS, IDLE_S = 1000, 600.0
KNOWN_S, KNOWN = 30.0, 1024
"""Lifetime in seconds, and size, of the cache of accepted keys. Calls of tools never use the cache."""
_SINGLE = frozenset(
    {b"host", b"authorization", b"origin", b"content-type", b"mcp-session-id", b"mcp-protocol-version", b"mcp-method",
     b"mcp-name"}
)  # fmt: skip
_KEY = re.compile(PATTERN)
_LOCAL = ("127.0.0.1", "localhost", "[::1]")
_WHOAMI: Request[dict[str, Any]] = Request(
    method="GET", path="/v1/organization", read=read_as(dict[str, Any]), repeatable=True
)


class Door:
    """Clients of the service by key, over one pool of connections."""

    def __init__(self, service: str) -> None:
        self._service = service
        self._transport = connections()
        self._known: OrderedDict[bytes, float] = OrderedDict()

    def client(self, key: str) -> AsyncClient:
        """Client with a caller's key, not to be closed, because connections are shared."""
        return AsyncClient(self._service, key, transport=self._transport)

    async def refusal(self, key: str, address: str) -> tuple[int, str] | None:
        """(status, code) for a key rejected by the service, None for an accepted key."""
        # With the address, since a key may be limited to some.
        digest = hashlib.sha256(f"{address} {key}".encode()).digest()
        if self._known.get(digest, 0) > time.monotonic():
            return None
        try:
            headers = {"x-forwarded-for": address}
            await self.client(key).send(msgspec.structs.replace(_WHOAMI, headers=headers))
        except ClientError:
            return 401, "unauthenticated"
        except NoAnswer as error:
            denied = error.http_status in {401, 403, 429}
            return (error.http_status, error.problem) if denied else (503, "not-ready")
        self._known[digest] = time.monotonic() + KNOWN_S
        while len(self._known) > KNOWN:
            self._known.popitem(last=False)
        return None

    async def close(self) -> None:
        await self._transport.aclose()


def key_of(headers: Any) -> str:
    """Key in an Authorization header; empty without one."""
    scheme, _, key = headers.get("authorization", "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" else ""


class Application:
    """ASGI application with the one path PATH."""

    def __init__(self, door: Door, server: Server[Any], hosts: Sequence[str]) -> None:
        self._door = door
        self._holders = Holders(IDLE_S)
        names = [name for host in hosts for name in (host, f"{host}:*")]
        origins = [f"{scheme}://{name}" for scheme in ("http", "https") for name in names]
        self._manager = StreamableHTTPSessionManager(
            server,
            security_settings=TransportSecuritySettings(allowed_hosts=names, allowed_origins=origins),
            session_idle_timeout=IDLE_S,
            max_sessions=SESSIONS,
            max_request_body_size=MOST_BYTES,
        )

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)

    async def _live(self, receive: Any, send: Any) -> None:
        await receive()
        async with self._manager.run():
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await self._door.close()
        await send({"type": "lifespan.shutdown.complete"})

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["path"].rstrip("/") != PATH:
            await _deny(send, 404, "not-found")
            return
        if _KEY.search(unquote(scope["query_string"].decode("latin-1"))):
            await _deny(
                send, 400, "a key is in the address, where logs may have it; rotate it, and send it as a header"
            )
            return
        names = [name for name, _ in scope["headers"] if name in _SINGLE]
        if len(names) > len(set(names)):
            await _deny(send, 400, "a header is there twice, and two readers may take different ones")
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        key, address = key_of(headers), (scope.get("client") or ("", 0))[0]
        denied = await self._door.refusal(key, address) if key else (401, "unauthenticated")
        if denied:
            await _deny(send, *denied)
            return
        # Not the key itself: the SDK keeps it for as long as the session lives.
        holder = hashlib.sha256(key.encode()).hexdigest()
        token = AccessToken(token=holder, client_id=holder, scopes=[])
        # White space around a value is not a part of it (RFC 9110 section 5.5); parsers leave it at the end.
        trimmed = {"headers": [(name, value.strip(b" \t")) for name, value in scope["headers"]]}
        await self._bounded(scope | trimmed | {"user": AuthenticatedUser(token)}, receive, send, holder)

    async def _bounded(self, scope: Any, receive: Any, send: Any, holder: str) -> None:
        """Answer within the bounds of a key, so that no key takes all sessions or all connections."""
        if not self._holders.begin(holder):
            await _deny(send, 429, "too many requests of this key at the same time; wait for their end")
            return
        own_words = OwnWords(send)
        try:
            body = await _body(receive) if scope["method"] == "POST" else ()
            if has_repeated_member(b"".join(message.get("body", b"") for message in body)):
                await _deny(send, 400, REPEATED)
                return
            await self._manager.handle_request(scope, _replayed(body, receive), own_words)
        finally:
            self._holders.end(holder)
        session = own_words.session
        if scope["method"] == "DELETE":
            self._holders.drop(holder, dict(scope["headers"]).get(b"mcp-session-id", b"").decode("latin-1"))
        elif session:
            for oldest in self._holders.use(holder, session):
                await self._manager.handle_request(deletion(scope, oldest), _empty, _ignored)


async def _body(receive: Any) -> Sequence[dict[str, Any]]:
    """Messages with the body of a request, up to the limit; the SDK rejects a longer one."""
    messages: list[dict[str, Any]] = []
    size = 0
    while size <= MOST_BYTES:
        message = await receive()
        messages.append(message)
        size += len(message.get("body", b""))
        if message["type"] != "http.request" or not message.get("more_body"):
            break
    return messages


def _replayed(messages: Sequence[dict[str, Any]], receive: Any) -> Any:
    """ASGI `receive` that begins with messages received before."""
    left = deque(messages)

    async def receive_again() -> Any:
        return left.popleft() if left else await receive()

    return receive_again


async def _empty() -> dict[str, Any]:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _ignored(_message: Any) -> None:
    """ASGI `send` of a request that no one made."""


async def _deny(send: Any, status: int, code: str) -> None:
    body = msgspec.json.encode(
        {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": f"{STOP} refused: {code or 'denied'}"}}
    )
    headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
    if status == 401:
        headers.append((b"www-authenticate", b'Bearer realm="waypost"'))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


_HTTP_ERRORS = {
    404: "there is no such session; begin with initialize",
    405: "the method must be POST, GET or DELETE",
    406: "the header Accept must name application/json and text/event-stream",
    413: "the message is too long",
}


class OwnWords:
    """ASGI `send` with rewritten errors; see `wire.with_own_error_text`.

    session  session of the answer, empty without one
    """

    def __init__(self, send: Callable[[Any], Any]) -> None:
        self._send = send
        self.session = ""
        self._start: Any = None
        self._streams = False
        self._body = b""

    async def __call__(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self._start = message
            if message["status"] < 400:
                self.session = dict(message["headers"]).get(b"mcp-session-id", b"").decode("latin-1")
            media = dict(message["headers"]).get(b"content-type", b"")
            self._streams = media.startswith(b"text/event-stream")
            if self._streams:
                await self._send(message)
        elif self._streams:
            lines = message.get("body", b"").split(b"\n")
            await self._send(message | {"body": b"\n".join(map(_event_line, lines))})
        else:
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._whole()

    async def _whole(self) -> None:
        headers = [(name, value) for name, value in self._start["headers"] if name != b"content-length"]
        body = (
            with_own_error_text(self._body)
            if dict(headers).get(b"content-type", b"").startswith(b"application/json")
            else b""
        )
        status = self._start["status"]
        # The SDK answers some errors of HTTP in plain text, some with nothing at all, and others with the code of any
        # invalid request: an agent's builder would look for the error in the message.
        is_of_http = status in _HTTP_ERRORS and b"-32600" in body
        if is_of_http or (not body and (self._body or status >= 400)):
            await _deny(self._send, status, _HTTP_ERRORS.get(status, "the request does not follow the protocol"))
            return
        headers.append((b"content-length", str(len(body)).encode()))
        await self._send(self._start | {"headers": headers})
        await self._send({"type": "http.response.body", "body": body})


def _event_line(line: bytes) -> bytes:
    start = b"data: "
    if not line.startswith(start + b"{"):
        return line
    end = b"\r" if line.endswith(b"\r") else b""
    return start + with_own_error_text(line[len(start) :].rstrip(b"\r")) + end


def application(service: str, hosts: Sequence[str], timeout_s: float | None, version: str) -> Application:
    """Application in front of a service. `hosts`: names of the server in addition to the machine's own."""
    registry, door = load(), Door(service)
    handlers = Handlers(registry, worlds.load(), lambda context: _backend(door, registry, context), timeout_s)
    return Application(door, make_server(handlers, version), [*_LOCAL, *hosts])


def _backend(door: Door, registry: Registry, context: Context) -> RemoteBackend:
    request: Any = context.request
    return RemoteBackend(door.client(key_of(request.headers)), registry, request.client.host if request.client else "")


def run(service: str, host: str, port: int, hosts: Sequence[str], timeout_s: float | None, version: str) -> None:
    """Serve until a signal. The first line on standard output is the address."""
    app = application(service, hosts, timeout_s, version)
    with listen(host, port) as sock:
        where = f"[{host}]" if ":" in host else host
        print(f"serving http://{where}:{sock.getsockname()[1]}{PATH}", flush=True)
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            lifespan="on",
            # One parser wherever others are installed: h11 limits headers, and rejects two lengths and two hosts.
            http=BoundedArrival,
            ws="none",
            limit_concurrency=500,
            timeout_graceful_shutdown=5,
        )
        uvicorn.Server(config).run(sockets=[sock])
