"""HTTP exchange: identifiers of a request, common checks, headers of the answer, log entry.

The order is fixed: length and host of the request first, then method, key, scope and limits; the rest of the request is
read only after these checks. The log holds the route, the key's id and the values that an endpoint sets, never the
request's URL or body.
"""

from __future__ import annotations

import hashlib
import re
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from email.utils import formatdate, parsedate_to_datetime
from itertools import chain
from operator import methodcaller
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from litestar.exceptions import HTTPException

from waypost import tracing
from waypost.api.auth import admit
from waypost.api.endpoint import PROBLEM, Endpoint
from waypost.api.logs import cause_of
from waypost.api.request import EXCHANGE, Call, Message, Receive, Reply, check_no_key, joined, read_query
from waypost.errors import WaypostError
from waypost.formats.ids import new_id
from waypost.models.api_key import PATTERN
from waypost.service.problems import ProblemError, to_problem

if TYPE_CHECKING:
    from waypost.api.state import ServiceState

Send = Callable[[Message], Awaitable[None]]
Scope = MutableMapping[str, Any]

_OUTAGE = 503
"""Status of an answer without a part of the service, such as the store or a free worker: no error of the program."""
SITE = "(site)"
"""Route of the site's files in the log, where file paths never appear."""
MOST_TARGET = 8192
MOST_HEAD = 24 << 10
"""Bytes of a request head: request line (8 KiB) and headers (16 KiB)."""
_SINGLE = frozenset({b"host", b"authorization", b"content-type", b"content-encoding", b"idempotency-key", b"origin"})
"""Request headers with one value."""
_REQUEST_ID = re.compile(rf"(?!.*{PATTERN})[A-Za-z0-9._-]{{1,128}}")
"""Pattern of an acceptable X-Request-ID. Rejects API keys, since the id goes into the log and the answer."""
_ECHOED_ID = re.compile(rf"(?!.*{PATTERN})[ -~]{{1,256}}")
"""Pattern of an X-Request-ID that an endpoint with `echoes_id` gives back, though the log has one of ours."""
_API_PATHS = ("/v1/", "/api/", "/access/")
_TRACE = re.compile(r"00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}")
_AS_LATIN_1: Callable[[str], bytes] = methodcaller("encode", "latin-1", "replace")
"""Encoding of a header's value; as a function of C, since every answer has a dozen."""
SECURITY = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)
"""Headers of every answer."""


class Resource(NamedTuple):
    """Path with its endpoints by method.

    allow       value of the Allow header
    parameters  names of the query parameters of every method
    accepts     Accept-Query header: the media types of a QUERY (RFC 10008 section 3); empty without one
    """

    path: str
    endpoints: Mapping[str, Endpoint]
    allow: str
    cors: bool
    parameters: frozenset[str] = frozenset()
    accepts: str = ""

    @classmethod
    def of(cls, path: str, endpoints: list[Endpoint]) -> Resource:
        methods = {endpoint.method: endpoint for endpoint in endpoints}
        accepts = ""
        for endpoint in endpoints:
            if endpoint.as_query and endpoint.body:
                methods["QUERY"] = endpoint.by_query()
                accepts = f'"{endpoint.body.media}"'
        cors = any(endpoint.cors for endpoint in endpoints)
        if "GET" in methods:
            methods["HEAD"] = methods["GET"]
        allow = ", ".join(sorted({*methods, *(("OPTIONS",) if cors else ())}))
        names = frozenset(parameter.name for endpoint in endpoints for parameter in endpoint.query)
        return cls(path, methods, allow, cors, names, accepts)


class Exchange:
    """State of a request from arrival until its log entry.

    call     request as the endpoint sees it; None until the method is found among the path's methods
    headers  headers for any answer, errors included: CORS and rate limits
    problem  problem code of an error answer; empty for success
    cause    cause of a 503 answer, for the log
    """

    __slots__ = (
        "_began", "_bytes_out", "_decision_id", "_received", "_status", "call", "cause", "headers", "method", "problem",
        "request_id", "resource", "scope", "state", "trace_id",
    )  # fmt: skip

    def __init__(self, state: ServiceState, scope: Scope) -> None:
        self._began = time.perf_counter()
        self.state = state
        self.scope = scope
        self.method: str = scope["method"]
        self._received = joined(scope["headers"])
        self.request_id, self.trace_id = _identifiers(self._received)
        self.resource: Resource | None = None
        self.call: Call | None = None
        self.headers: dict[str, str] = {}
        self.problem = self.cause = ""
        self._status = self._bytes_out = 0
        self._decision_id = ""

    def begin(self, resource: Resource, receive: Receive | None = None) -> Call | None:
        """Check length, host and method. None if the path lacks the method. Raises ProblemError."""
        self.resource = resource
        _check(self.scope, self._received, self.state)
        if resource.cors:
            # Before any error: a page may read why its request was refused.
            self.headers = cors_headers(self.scope, self.state.settings.cors_origins)
        if resource.accepts:
            self.headers = {**self.headers, "accept-query": resource.accepts}
        path = self.scope["path"]
        has_names = resource.path != SITE or path.startswith(_API_PATHS)
        check_no_key(path, self.scope.get("query_string", b""), resource.parameters if has_names else None)
        endpoint = resource.endpoints.get(self.method)
        if endpoint is None:
            return None
        self.call = Call(self.state, endpoint, self.scope, receive, self.request_id, self._received)
        return self.call

    async def enter(self, resource: Resource, receive: Receive) -> Call | None:
        """Check as `begin` does, then key, scope, limits and query string. Raises ProblemError."""
        call = self.begin(resource, receive)
        if call is not None:
            self.headers |= await admit(call)
            if b"idempotency-key" in self._received and not call.endpoint.takes_idempotency_key:
                # The caller would rely on a repetition without effect.
                raise ProblemError("idempotency-unsupported")
            # After `admit`: a caller without a valid key learns nothing about parameters.
            call.query = read_query(self.scope.get("query_string", b""), call.endpoint.query)
        return call

    def other_method(self) -> Reply:
        """Answer for a method that the path lacks: a CORS preflight, or ProblemError 405 (RFC 9110 section 15.5.6)."""
        resource = self.resource
        assert resource is not None
        if not resource.cors or self.method != "OPTIONS":
            raise ProblemError(
                "method-not-allowed", more={"allow": resource.allow.split(", ")}, headers={"allow": resource.allow}
            )
        headers = {"allow": resource.allow}
        if "access-control-allow-origin" in self.headers:
            headers |= {
                "access-control-allow-methods": ", ".join(sorted(resource.endpoints)),
                "access-control-allow-headers": "content-type",
                "access-control-max-age": "600",
            }
        return Reply(b"", 204, "", headers)

    def reply_to(self, error: Exception) -> Reply:
        """Problem document for an error; an HTML page if a browser requested a page."""
        if isinstance(error, HTTPException) and error.status_code == 400:  # Litestar cannot parse the Host header
            error = ProblemError("unknown-host")
        elif not isinstance(error, WaypostError):
            # The trace goes to the log alone. Callers must treat every 500 as a denial.
            self.state.logs.failure(request_id=self.request_id, route=self._route, error=error)
            error = ProblemError("internal")
        reply = self._problem_reply(error)
        self.problem = reply.problem
        if self.call is not None and self.call.endpoint.is_page:
            from waypost.api.console.pages import accepts_page, problem_page

            return problem_page(self.call, reply) if accepts_page(self.call) else reply
        return reply

    def _problem_reply(self, error: WaypostError) -> Reply:
        """Reply with the problem document for an error. Logs internal errors; of an outage the cause is noted."""
        problem = to_problem(error, _as_uuid(self.request_id), self.state.settings.site_url)
        if isinstance(error, ProblemError):
            pass  # a rejection, which the code explains
        elif problem.status == _OUTAGE:
            self.cause = cause_of(error)
        elif problem.status >= 500:
            self.state.logs.failure(request_id=self.request_id, route=self._route, error=error)
        endpoint = self.call.endpoint if self.call else None
        status = endpoint.status_of(problem.status) if endpoint else problem.status
        body = problem.body | {"request_id": self.request_id, "status": status}
        return Reply(msgspec.json.encode(body), status, PROBLEM, problem.headers, problem=str(body["code"]))

    async def send(self, reply: Reply, send: Send) -> None:
        """Complete the headers and send the answer. An error gives its count back to the daily quota."""
        call = self.call
        if call is not None:
            if call.endpoint.conditional and reply.status_code == 200:
                reply = conditional(call, reply)
            if reply.status_code >= 400:
                for allowed in call.allowed:
                    self.state.limits.forgive(allowed)
        self._status, self._bytes_out, self._decision_id = reply.status_code, len(reply.content), reply.decision_id
        headers = self._header_list(reply)
        await send({"type": "http.response.start", "status": reply.status_code, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if self.method == "HEAD" else reply.content})

    def _header_list(self, reply: Reply) -> list[tuple[bytes, bytes]]:
        endpoint = self.call.endpoint if self.call else None
        own = {"cache-control": endpoint.cache if endpoint and reply.status_code < 400 else "no-store"}
        if reply.media_type and (reply.content or reply.status_code != 304):
            own["content-type"] = reply.media_type
        if endpoint and not endpoint.public:
            # Answers depend on the key: no cache may give one caller's answer to another (RFC 9110, section 12.5.5).
            own["vary"] = "Authorization"
        if endpoint and endpoint.deprecated is not None:
            own |= deprecation(endpoint, self.state.settings.site_url)
        # Later headers win: the endpoint's defaults, those of limits and CORS, those of the answer.
        own |= self.headers
        own |= reply.headers
        if "vary" in self.headers and own["vary"] != self.headers["vary"]:
            own["vary"] = f"{self.headers['vary']}, {own['vary']}"
        # Forbidden for 204; for 304 it would be the length of the full body (RFC 9110 section 8.6).
        if reply.status_code not in {204, 304}:
            own["content-length"] = str(len(reply.content))
        echoed = self.call.header("x-request-id") if self.call and endpoint and endpoint.echoes_id else ""
        own["x-request-id"] = echoed if echoed and _ECHOED_ID.fullmatch(echoed) else self.request_id
        return [*SECURITY, *zip(map(str.encode, own), map(_AS_LATIN_1, own.values()), strict=True)]

    @property
    def _route(self) -> str:
        return self.resource.path if self.resource else ""

    def log(self) -> None:
        """Count the exchange in the metrics and write its log entry. Call after the answer was sent."""
        seconds = time.perf_counter() - self._began
        methods: Mapping[str, Endpoint] = self.resource.endpoints if self.resource else {}
        # An unknown method is text from the client: neither a metric label nor a log field.
        method = self.method if self.method in methods else "other"
        self.state.metrics.answered(
            route=self._route, method=method, status=self._status, seconds=seconds, problem=self.problem
        )
        if tracing.TRACER is not None:
            tracing.note_current(
                method=method,
                route=self._route,
                status=self._status,
                request_id=self.request_id,
                problem=self.problem,
                decision_id=self._decision_id,
            )
        if not self.state.logs.enabled:
            return
        key = self.call.caller if self.call else None
        self.state.logs.request(
            request_id=self.request_id,
            trace_id=self.trace_id,
            route=self._route,
            method=method,
            status=self._status,
            seconds=seconds,
            bytes_in=self.call.bytes_in if self.call else 0,
            bytes_out=self._bytes_out,
            key_id=key.id if key else "",
            org_id=key.organization if key else "",
            problem=self.problem,
            decision_id=self._decision_id,
            cause=self.cause,
        )


def exchange_of(scope: Mapping[str, Any]) -> Exchange:
    """Exchange stored in an ASGI scope."""
    found: Exchange = scope[EXCHANGE]
    return found


def cors_headers(scope: Scope, origins: tuple[str, ...]) -> dict[str, str]:
    """CORS headers for a page of a configured origin; never with credentials, never with a wildcard."""
    if not origins:
        return {}
    origin = next((value for name, value in scope["headers"] if name == b"origin"), b"").decode("latin-1")
    allowed = {"access-control-allow-origin": origin} if origin in origins else {}
    return {"vary": "Origin", **allowed}


def _as_uuid(request_id: str) -> str:
    """UUID for `instance`: the request id, or a UUID derived from a request id of another form."""
    try:
        return str(uuid.UUID(request_id))
    except ValueError:
        return str(uuid.uuid5(uuid.NAMESPACE_OID, request_id))


def _identifiers(received: Mapping[bytes, bytes]) -> tuple[str, str]:
    """(request id, trace id): the caller's if well formed, otherwise new ids."""
    request_id = received.get(b"x-request-id", b"").decode("latin-1")
    trace = _TRACE.fullmatch(received[b"traceparent"].decode("latin-1")) if b"traceparent" in received else None
    if not (request_id and _REQUEST_ID.fullmatch(request_id)):
        request_id = new_id()
        return request_id, trace[1] if trace else request_id.replace("-", "")
    return request_id, trace[1] if trace else new_id().replace("-", "")


def _check(scope: Scope, received: Mapping[bytes, bytes], state: ServiceState) -> None:
    """Check the length of the request target, and for a single Host header of an allowed host. Raises ProblemError."""
    if len(scope.get("raw_path") or b"") + len(scope.get("query_string", b"")) > MOST_TARGET:
        raise ProblemError("uri-too-long")
    _check_headers(scope["headers"], received)
    # An empty one is for targets without an authority, which http has none of (RFC 9110 section 4.2.1).
    if not received.get(b"host"):
        raise _bad_header(b"host", "required", "the header is missing or empty")
    allowed = state.settings.allowed_hosts
    if allowed:
        host = received[b"host"].decode("latin-1").lower()
        # Without the port. An IPv6 literal without a port ends in a bracket and contains colons.
        name = host if host.endswith("]") else host.rpartition(":")[0] if ":" in host else host
        if name not in allowed and host not in allowed:
            raise ProblemError("unknown-host")


def _check_headers(sent: Sequence[tuple[bytes, bytes]], received: Mapping[bytes, bytes]) -> None:
    """Check the size of the headers, and that no header with one value is there twice. Raises ProblemError.

    Two readers of such a request could see different hosts, keys or bodies (RFC 9112 section 3.2).
    """
    # Repeated headers are rare: the loop runs only if the dictionary joined some.
    if len(received) < len(sent):
        names: set[bytes] = set()
        for name, _ in sent:
            if name in _SINGLE and name in names:
                raise _bad_header(name, "single", "the header is there more than once")
            names.add(name)
    if len(b"".join(chain.from_iterable(sent))) > MOST_HEAD:
        raise ProblemError("head-too-large")


def _bad_header(name: bytes, code: str, detail: str) -> ProblemError:
    return ProblemError("bad-header", errors=[{"header": name.decode().title(), "code": code, "detail": detail}])


def conditional(call: Call, reply: Reply) -> Reply:
    """Answer with a strong ETag, or 304 if the caller has the same bytes (RFC 9110 section 13)."""
    etag = reply.headers.get("etag") or f'"{hashlib.sha256(reply.content).hexdigest()[:32]}"'
    headers = {**reply.headers, "etag": etag}
    held = call.header("if-none-match")
    if held:
        # Weak comparison, as for GET (RFC 9110, section 13.1.2).
        if held.strip() == "*" or etag in {value.strip().removeprefix("W/") for value in held.split(",")}:
            return Reply(b"", 304, reply.media_type, headers)
    elif (since := call.header("if-modified-since")) and (changed := headers.get("last-modified")):
        try:
            if parsedate_to_datetime(changed) <= parsedate_to_datetime(since):
                return Reply(b"", 304, reply.media_type, headers)
        except (TypeError, ValueError):
            pass  # RFC 9110 section 13.1.3: an invalid date is ignored
    reply.headers = headers
    return reply


def deprecation(endpoint: Endpoint, site_url: str) -> dict[str, str]:
    """Deprecation, Link and Sunset headers (RFC 9745, RFC 8594)."""
    headers = {
        "deprecation": f"@{endpoint.deprecated}",
        "link": f'<{site_url}/docs/versioning/>; rel="deprecation"; type="text/html"',
    }
    if endpoint.sunset is not None:
        headers["sunset"] = formatdate(endpoint.sunset, usegmt=True)
    return headers
