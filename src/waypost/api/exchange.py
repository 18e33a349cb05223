"""From a request to an answer: who asks, whether they may, what they get, and what is noted of it.

The order is fixed: method, then key, then scope, then limits, and only then is anything of the request read. Nothing
of a request but its route, its key's id and what the endpoint says is ever noted.
"""

from __future__ import annotations

import hashlib
import re
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping
from email.utils import formatdate, parsedate_to_datetime
from typing import TYPE_CHECKING, Any

import msgspec

from waypost.api.auth import admitted
from waypost.api.endpoint import JSON, PROBLEM, Endpoint
from waypost.api.idempotency import once
from waypost.api.problems import Refused, told
from waypost.api.request import Call, Message, Receive, Reply
from waypost.errors import WaypostError
from waypost.formats.ids import new_id
from waypost.models.api_key import PATTERN

if TYPE_CHECKING:
    from waypost.api.state import Running

Send = Callable[[Message], Awaitable[None]]
Scope = Mapping[str, Any]

SITE = "(site)"
"""What the files of the site are called in the log: their paths are their own business."""
_MOST_TARGET = 8192
_REQUEST_ID = re.compile(rf"(?!.*{PATTERN})[A-Za-z0-9._-]{{1,128}}")
"""It goes into the log and into the answer: a key that stands there by mistake must not."""
_NAMING = frozenset({b"x-request-id", b"traceparent"})
_TRACE = re.compile(r"00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}")
_SECURITY = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)
_USUAL = frozenset({"cache-control", "content-type", "vary"})
"""Headers that nearly every answer of an endpoint has, and the same ones."""


class Route:
    """The endpoints of one path, as an ASGI application."""

    def __init__(self, running: Running, endpoints: tuple[Endpoint, ...]) -> None:
        self.running = running
        self.path = endpoints[0].path
        self.methods = {each.method: each for each in endpoints}
        if "GET" in self.methods:
            self.methods |= {"HEAD": self.methods["GET"]}  # type: ignore[dict-item]
        self._usual = {each.method: _usual(each) for each in endpoints if each.deprecated is None}
        self.shared = any(each.cors for each in endpoints)
        self.allow = ", ".join(sorted({*self.methods, *(("OPTIONS",) if self.shared else ())}))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = time.perf_counter()
        running = self.running
        request_id, trace = _named(scope)
        method = scope["method"]
        endpoint = self.methods.get(method)
        call: Call | None = None
        extra: dict[str, str] = {}
        code = ""
        try:
            _sound(scope, running)
            if self.shared:
                extra = shared(scope, running.settings.cors_origins)
            if endpoint is None and self.shared and method == "OPTIONS":
                await self._send(
                    Reply(b"", 204, "", {"allow": self.allow}),
                    None,
                    None,
                    extra | self._preflight(extra),
                    request_id,
                    send,
                )
                return
            if endpoint is None:
                raise Refused(
                    "method-not-allowed", more={"allow": self.allow.split(", ")}, headers={"allow": self.allow}
                )
            call = Call(running, endpoint, scope, receive, request_id)
            extra |= await admitted(call)
            if self.path != SITE:  # links to pages carry whatever others put there
                _ = call.query  # a parameter that nobody knows is told, whoever reads it
            answer = await (once(call) if endpoint.idempotent else endpoint.handle(call))
            if endpoint.conditional and answer.status == 200:
                answer = conditional(call, answer)
        except WaypostError as fault:
            answer, code = refusal(running, fault, request_id)
            if call is not None and call.endpoint.is_page:
                answer = _as_page(call, answer)
        except Exception as fault:  # noqa: BLE001 - nobody is shown a trace; a caller treats this as a stop
            running.logs.failure(request_id=request_id, route=self.path, fault=fault)
            answer, code = refusal(running, Refused("internal"), request_id)
        if call is not None and answer.status >= 400:
            for allowed in call.allowed:
                running.limits.forgive(allowed)
        await self._send(answer, call, endpoint, extra, request_id, send, head=method == "HEAD")
        running.noted(
            request_id=request_id,
            trace_id=trace,
            route=self.path,
            method=method if method in self.methods else "other",
            status=answer.status,
            seconds=time.perf_counter() - began,
            call=call,
            bytes_out=len(answer.data),
            problem=code,
            decision_id=answer.decision_id,
        )

    async def _send(
        self,
        answer: Reply,
        call: Call | None,
        endpoint: Endpoint | None,
        extra: Mapping[str, str],
        request_id: str,
        send: Send,
        *,
        head: bool = False,
    ) -> None:
        headers = self._headers(answer, call, endpoint, extra)
        headers.append((b"x-request-id", request_id.encode()))
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if head else answer.data})

    def _headers(
        self, answer: Reply, call: Call | None, endpoint: Endpoint | None, extra: Mapping[str, str]
    ) -> list[tuple[bytes, bytes]]:
        if answer.status == 200 and answer.media == JSON and endpoint is not None and endpoint.method in self._usual:
            told = {**extra, **answer.headers}
            if _USUAL.isdisjoint(told):
                headers = self._usual[endpoint.method].copy()
                headers += _written(told)
                headers.append((b"content-length", b"%d" % len(answer.data)))
                return headers
        own = {"cache-control": endpoint.cache if endpoint and answer.status < 400 else "no-store"}
        if answer.media and (answer.data or answer.status != 304):
            own["content-type"] = answer.media
        if call is not None and not call.endpoint.public:
            own["vary"] = "Authorization"
        if endpoint and endpoint.deprecated is not None:
            own |= deprecation(endpoint, self.running.settings.site_url)
        own |= extra
        own |= answer.headers
        if "vary" in extra and own["vary"] != extra["vary"]:
            own["vary"] = f"{extra['vary']}, {own['vary']}"
        if answer.status not in {204, 304}:  # RFC 9110 section 8.6 forbids it in the one, and it would lie in the other
            own["content-length"] = str(len(answer.data))
        return [*_SECURITY, *_written(own)]

    def _preflight(self, allowed: Mapping[str, str]) -> dict[str, str]:
        """The answer to a browser that asks before it sends; nothing for an origin that is not among the configured."""
        if "access-control-allow-origin" not in allowed:
            return {}
        return {
            "access-control-allow-methods": ", ".join(sorted(self.methods)),
            "access-control-allow-headers": "content-type",
            "access-control-max-age": "600",
        }


def _usual(endpoint: Endpoint) -> list[tuple[bytes, bytes]]:
    """What every answer of an endpoint begins with that is JSON and no problem."""
    own = {"cache-control": endpoint.cache, "content-type": JSON}
    if not endpoint.public:
        own["vary"] = "Authorization"
    return [*_SECURITY, *_written(own)]


def _written(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode("latin-1", "replace")) for name, value in headers.items()]


def shared(scope: Scope, origins: tuple[str, ...]) -> dict[str, str]:
    """What lets a page of a configured origin read an answer: never with credentials, never just whoever asks."""
    if not origins:
        return {}
    origin = next((value for name, value in scope["headers"] if name == b"origin"), b"").decode("latin-1")
    allowed = {"access-control-allow-origin": origin} if origin in origins else {}
    return {"vary": "Origin", **allowed}


def refusal(running: Running, fault: WaypostError, request_id: str) -> tuple[Reply, str]:
    """(the answer that a problem is, its code)"""
    problem = told(fault, _as_uuid(request_id), running.settings.site_url)
    if problem.status >= 500 and not isinstance(fault, Refused):
        running.logs.failure(request_id=request_id, route="", fault=fault)
    body = problem.body | {"request_id": request_id}
    return Reply(msgspec.json.encode(body), problem.status, PROBLEM, problem.headers), problem.body["code"]


def _as_page(call: Call, problem: Reply) -> Reply:
    """A problem as people read it, where a browser asked."""
    from waypost.api.console.pages import refused, wanted

    return refused(call, problem) if wanted(call) else problem


def _as_uuid(request_id: str) -> str:
    """`instance` is a UUID; a caller's own request id that is none gets one made from it."""
    try:
        return str(uuid.UUID(request_id))
    except ValueError:
        return str(uuid.uuid5(uuid.NAMESPACE_OID, request_id))


def _named(scope: Scope) -> tuple[str, str]:
    """The request's id and trace id: the caller's own where they are well formed, else new ones."""
    request_id = trace = ""
    for name, value in scope["headers"]:
        if name not in _NAMING:
            continue
        if name == b"x-request-id" and _REQUEST_ID.fullmatch(text := value.decode("latin-1")):
            request_id = text
        elif name == b"traceparent" and (found := _TRACE.fullmatch(value.decode("latin-1"))):
            trace = found[1]
    if not request_id:
        request_id = new_id()
        return request_id, trace or request_id.replace("-", "")
    return request_id, trace or new_id().replace("-", "")


def _sound(scope: Scope, running: Running) -> None:
    """What must hold of any request before anything else is asked."""
    if len(scope.get("raw_path") or b"") + len(scope.get("query_string", b"")) > _MOST_TARGET:
        raise Refused("uri-too-long")
    allowed = running.settings.allowed_hosts
    if allowed:
        host = next((value for name, value in scope["headers"] if name == b"host"), b"").decode("latin-1").lower()
        name = host if host.endswith("]") else host.rpartition(":")[0] if ":" in host else host
        if name not in allowed and host not in allowed:
            raise Refused("unknown-host")


def conditional(call: Call, answer: Reply) -> Reply:
    """RFC 9110 section 13: a strong ETag, and 304 where the caller has these bytes already."""
    etag = answer.headers.get("etag") or f'"{hashlib.sha256(answer.data).hexdigest()[:32]}"'
    headers = {**answer.headers, "etag": etag}
    held = call.header("if-none-match")
    if held:
        if held.strip() == "*" or etag in {each.strip().removeprefix("W/") for each in held.split(",")}:
            return Reply(b"", 304, answer.media, headers)
    elif (since := call.header("if-modified-since")) and (changed := headers.get("last-modified")):
        try:
            if parsedate_to_datetime(changed) <= parsedate_to_datetime(since):
                return Reply(b"", 304, answer.media, headers)
        except (TypeError, ValueError):
            pass  # RFC 9110 section 13.1.3: a date that is none is ignored
    return answer._replace(headers=headers)


def deprecation(endpoint: Endpoint, site_url: str) -> dict[str, str]:
    """RFC 9745 and RFC 8594: since when not to rely on it, until when it answers."""
    headers = {
        "deprecation": f"@{endpoint.deprecated}",
        "link": f'<{site_url}/docs/versioning/>; rel="deprecation"; type="text/html"',
    }
    if endpoint.sunset is not None:
        headers["sunset"] = formatdate(endpoint.sunset, usegmt=True)
    return headers
