"""What an attacker tried once, and what must come of it."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import re
import socket
import time
import weakref
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from tests.api.conftest import Api, codes

from waypost.api import request as calls
from waypost.isolation.documents import Arriving, NoRoom
from waypost.service import body as strict
from waypost.service import page_work
from waypost.store import relationships

CLAIM = {"entity": {"name": "Acme"}, "domain": "shop.example.com", "relationship_type": "official_payment"}
FIXTURE = {"items": [{"url": "https://allow.test/pay", "intended_action": "payment"}]}


def submitted(api: Api, key: str, **changed: Any) -> str:
    """The id of a new claim."""
    return str(api.call("POST", "/v1/relationships", key=key, json=CLAIM | changed).json()["relationship_id"])


def test_no_one_reviews_their_own_claim_with_a_colleagues_key(api: Api) -> None:
    colleagues, _ = api.key("relationships")
    _, own = api.key("keys", "relationships", "review")

    text = api.call("POST", f"/v1/keys/{colleagues.id}/rotate", key=own).json()["key"]
    claim = submitted(api, text)
    answer = api.call("POST", f"/v1/review-queue/{claim}/approve", key=own, json={"reason": "it is ours"})

    assert answer.json()["code"] == "conflict"
    assert api.state.read(lambda db: relationships.get(db, claim)).state != "accepted"


def test_a_key_with_less_quota_exchanges_none_with_more(api: Api) -> None:
    usual, _ = api.key("domain")
    small, _ = api.key("domain", limits={"lookups": 2})
    _, admin = api.key("keys", "domain", limits={"lookups": 2})

    assert api.call("POST", f"/v1/keys/{usual.id}/rotate", key=admin).json()["code"] == "conflict"
    assert api.call("POST", f"/v1/keys/{small.id}/rotate", key=admin).status_code == 201


def test_no_key_gets_more_quota_than_the_operator_gives(open_api: Callable[..., Api]) -> None:
    api = open_api(quotas={"lookups": 5})
    _, admin = api.key("keys", "domain")
    required = {"name": "more", "scopes": ["domain"]}

    too_much = api.call("POST", "/v1/keys", key=admin, json=required | {"limits": {"lookups": 6}})

    assert codes(too_much) == ["#/limits/lookups: refused"]
    assert api.call("POST", "/v1/keys", key=admin, json=required | {"limits": {"lookups": 5}}).status_code == 201


def test_answers_to_a_test_key_do_not_serve_live_keys(api: Api) -> None:
    _, test = api.key("agent", environment="test")
    _, live = api.key("agent")
    named = {"Idempotency-Key": "the-same"}

    displayed = api.call("POST", "/v1/agent-safety/batch", key=test, json=FIXTURE, headers=named)
    answer = api.call("POST", "/v1/agent-safety/batch", key=live, json=FIXTURE, headers=named)

    assert displayed.json()["results"][0]["action_allowed"] is True
    assert answer.json()["results"][0]["action_allowed"] is False
    assert "idempotency-replayed" not in answer.headers


def test_a_receipt_is_never_made_out_to_another_organization(api: Api) -> None:
    _, key = api.key("agent", organization=api.other)
    payload = {"url": "https://shop.example.com/pay", "intended_action": "payment", "include": ["receipt"]}

    answer = api.call("POST", "/v1/agent-safety", key=key, json=payload | {"audience": api.acme.id})

    assert codes(answer) == ["#/audience: refused"]
    assert api.call("POST", "/v1/agent-safety", key=key, json=payload | {"audience": api.other.id}).status_code == 200


def test_doubt_about_a_domain_hides_what_stood_below_it(api: Api) -> None:
    _, agent = api.key("relationships", organization=api.other)
    _, reviewer = api.key("review", organization=api.other)
    below = submitted(api, agent, relationship_type="official_site")
    whole = submitted(api, agent, domain="example.com", relationship_type="official_site")
    for each in (below, whole):
        api.call("POST", f"/v1/review-queue/{each}/approve", key=reviewer, json={"reason": "seen"})
    _, reader = api.key("official", organization=api.other)
    assert len(api.call("GET", "/v1/official?q=acme", key=reader).json()["results"]) == 2

    api.state.store.write(lambda db: relationships.dispute(db, whole, "somebody", api.clock.now, "stolen"))

    assert api.call("GET", "/v1/official?q=acme", key=reader).json()["results"] == []


_POST = {
    "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http",
    "path": "/api/ai/snippet", "raw_path": b"/api/ai/snippet", "query_string": b"", "root_path": "",
    "headers": [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")],
    "client": ("192.0.2.7", 4711), "server": ("127.0.0.1", 8000),
}  # fmt: skip


def test_a_body_that_never_begins_times_out_too(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "READ_TIMEOUT_S", 0.01)
    sent: list[Any] = []

    async def never() -> dict[str, Any]:
        await asyncio.Event().wait()
        return {}

    async def send(message: Any) -> None:
        sent.append(message)

    async def request() -> None:
        async with asyncio.timeout(5):
            await api.app(dict(_POST), never, send)

    asyncio.run(request())

    assert sent[0]["status"] == 408
    assert (b"connection", b"close") in sent[0]["headers"]
    assert json.loads(sent[1]["body"])["code"] == "body-too-slow"


def test_body_that_arrives_late_in_parts_is_read_completely(api: Api) -> None:
    sent: list[Any] = []
    body = b'{"kind": "schema", "site": {"name": "A", "domain": "a.example.com"}}'
    parts = [(body[:20], True), (body[20:40], True), (body[40:], False)]

    async def slowly() -> dict[str, Any]:
        for _ in range(3):  # waits more than once, so that it must be gone on with more than once
            await asyncio.sleep(0.001)
        part, more = parts.pop(0)
        return {"type": "http.request", "body": part, "more_body": more}

    async def send(message: Any) -> None:
        sent.append(message)

    api.run(api.app(dict(_POST), slowly, send))

    assert sent[0]["status"] == 200
    assert parts == []


@pytest.mark.parametrize("path", ["/./index.html", "/a/../index.html", "/a//index.html", "/././", "/./_headers"])
def test_a_file_of_the_site_has_one_spelling(open_api: Callable[..., Api], tmp_path: Path, path: str) -> None:
    site = tmp_path / "site"
    (site / "a").mkdir(parents=True)
    for name in ("index.html", "a/index.html", "_headers"):
        (site / name).write_text("hello")
    api = open_api(site=str(site))
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b""}

    scope = {
        "type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "query_string": b"",
        "headers": [(b"host", b"127.0.0.1")], "client": ("192.0.2.7", 4711),
    }  # fmt: skip
    asyncio.run(api.app(scope, receive, send))

    assert sent[0]["status"] == 404
    assert not api.app.site._held


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("/v1/validate", {"json": {"data": {"@context": "https://schema.org", "@type": "Thing"}}}),
        ("/v1/validate", {"content": b"<p>x", "headers": {"Content-Type": "text/html"}}),
        ("/v1/validate", {"content": b'{"data": {}}', "headers": {"Content-Type": "application/x-ndjson"}}),
        (
            "/v1/snippets/news",
            {"json": {"data": {"@context": "https://schema.org", "@type": "NewsArticle", "name": "n"}}},
        ),
        ("/v1/snippets/news", {"json": {"document": {"name": "n"}}}),
        ("/api/ai/snippet", {"json": {"kind": "news", "document": {"name": "n"}}}),
        ("/api/ai/snippet", {"json": {"kind": "news", "markup": "<p itemscope>"}}),
        ("/api/ai/snippet", {"json": {"kind": "schema", "site": {"name": "n"}}}),
    ],
)
def test_request_processes_neither_read_nor_check_foreign_documents(
    api: Api, monkeypatch: pytest.MonkeyPatch, path: str, sent: dict[str, Any]
) -> None:
    _, key = api.key("validate", "snippets")
    here = os.getpid()

    def deny(*_: Any, **__: Any) -> None:
        assert os.getpid() != here, "read in the process that answers requests"

    for name in ("validate_page", "validate_data", "from_request", "strict"):
        monkeypatch.setattr(page_work, name, deny)
    monkeypatch.setattr(strict, "read", deny)

    answer = api.call("POST", path, key=key, **sent)

    assert answer.status_code in {200, 422}


class Line:
    """A connection's transport, as far as a test looks at it."""

    def __init__(self) -> None:
        self.written = b""
        self.writes = self.unread = self.reads = 0
        self.aborted = False
        self.closed = asyncio.Event()

    def get_extra_info(self, _: str) -> None:
        return None

    def write(self, data: bytes) -> None:
        self.written += data
        self.writes += 1

    def writelines(self, parts: Iterable[bytes]) -> None:
        self.write(b"".join(parts))

    def can_write_eof(self) -> bool:
        return False

    def close(self) -> None:
        self.closed.set()

    def abort(self) -> None:
        self.aborted = True

    def get_write_buffer_size(self) -> int:
        self.unread -= self.reads
        return self.unread

    def pause_reading(self) -> None:
        """Bytes that the test sends arrive all the same."""

    resume_reading = pause_reading

    def is_closing(self) -> bool:
        return self.closed.is_set()


def connected(body: bytes = b"", served: Any = None) -> tuple[Any, Line]:
    """A connection that was just made, and its transport. Its application answers 204, or 200 with a body."""
    uvicorn = pytest.importorskip("uvicorn")
    from uvicorn.server import ServerState

    from waypost.api.protocol import Wire

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        headers = [(b"content-length", str(len(body)).encode())] if body else []
        await send({"type": "http.response.start", "status": 200 if body else 204, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    line = Line()
    wire = Wire(uvicorn.Config(served or app, log_config=None, lifespan="off"), ServerState(), {})
    wire.connection_made(line)  # type: ignore[arg-type]
    return wire, line


@pytest.mark.parametrize("size", [5, 100_000])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_head_and_body_of_an_answer_are_one_write(method: str, size: int) -> None:
    body = b"a" * size

    async def request() -> Line:
        wire, line = connected(body)
        wire.data_received(f"{method} / HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        await asyncio.gather(*wire.tasks)
        return line

    line = asyncio.run(request())

    head, _, sent = line.written.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 ")
    assert sent == (b"" if method == "HEAD" else body)
    assert line.writes == 1


_GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.mark.parametrize("sent", [b"", b"GET / HT", _GET, _GET * 9, b"no http\r\n\r\n"])
def test_a_lost_connection_is_freed_at_once(sent: bytes) -> None:
    async def lose() -> weakref.ref[Any]:
        wire, _ = connected(b"a")
        if sent:
            wire.data_received(sent)
        await asyncio.gather(*wire.tasks)
        await asyncio.sleep(0)  # the task ends one turn before its callbacks
        wire.connection_lost(None)
        await asyncio.gather(*wire.tasks)  # of the second of several requests
        await asyncio.sleep(0)
        return weakref.ref(wire)

    async def is_freed() -> bool:
        gone = await lose()
        await asyncio.sleep(0)
        return gone() is None

    gc.disable()
    try:
        assert asyncio.run(is_freed())
    finally:
        gc.enable()


def test_request_that_arrived_before_a_held_up_timer_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("waypost.api.protocol.HEAD_S", 0.01)

    async def request() -> Line:
        wire, line = connected(b"a")
        time.sleep(0.02)
        await asyncio.sleep(0.001)  # its timers run before it reads
        assert not line.closed.is_set()
        wire.data_received(_GET)
        await asyncio.gather(*wire.tasks)
        return line

    assert asyncio.run(request()).written.startswith(b"HTTP/1.1 200 ")


def test_requests_faster_than_their_answers_are_not_stored() -> None:
    from waypost.api.protocol import MOST_PIPELINED

    async def flood() -> Line:
        wire, line = connected(b"a")
        for _ in range(3):
            wire.data_received(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 1000)
            assert len(wire.pipeline) <= MOST_PIPELINED
        while wire.tasks:
            await asyncio.gather(*wire.tasks)
            await asyncio.sleep(0)
        return line

    line = asyncio.run(flood())

    assert line.written.count(b"HTTP/1.1 200 ") == MOST_PIPELINED + 1
    assert line.written.count(b"connection: close") == 1
    assert line.closed.is_set()


@pytest.mark.parametrize(("reads", "is_aborted"), [(0, True), (100, True), (20_000, False)])
def test_client_that_stops_reading_its_answer_is_cut_off(
    reads: int, is_aborted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("waypost.api.protocol.STUCK_S", 0.01)

    async def wait() -> bool:
        wire, line = connected()
        line.unread, line.reads = 200_000, reads
        wire.pause_writing()
        await asyncio.sleep(0.1)
        wire.resume_writing()
        return line.aborted

    assert asyncio.run(wait()) is is_aborted


@pytest.mark.parametrize("ends", ["after its answer", "after a wait for the next request"])
def test_a_client_that_never_reads_is_cut_off(ends: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer is too short for the transport to stop writing, and too long for the buffers of the system."""
    monkeypatch.setattr("waypost.api.protocol.STUCK_S", 0.01)

    async def wait() -> bool:
        loop = asyncio.get_running_loop()
        wire, _ = connected(b"a" * 40_000)
        wire.timeout_keep_alive = 0.01
        ours, theirs = socket.socketpair()
        for end in (ours, theirs):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        transport, _ = await loop.create_connection(lambda: wire, sock=ours)
        close = "Connection: close\r\n" if ends == "after its answer" else ""
        with theirs:
            theirs.send(f"GET / HTTP/1.1\r\nHost: x\r\n{close}\r\n".encode())
            async with asyncio.timeout(5):
                while not transport.is_closing() or wire in wire.connections:
                    assert transport.get_write_buffer_size() < 64 << 10
                    await asyncio.sleep(0.01)
            return wire.cycle.response_complete

    assert asyncio.run(wait())


@pytest.mark.parametrize(
    ("first", "more"),
    [
        ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", "\r\n"),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n", "a"),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\na\r\n"),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "X: y\r\n"),
    ],
    ids=["line ends", "body", "chunks", "trailers"],
)
def test_bytes_after_an_answer_do_not_hold_the_connection(
    first: str, more: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("waypost.api.protocol.HEAD_S", 0.05)

    async def drip() -> Line:
        wire, line = connected()
        wire.data_received(first.encode())
        await asyncio.gather(*wire.tasks)
        for _ in range(100):
            if line.closed.is_set():
                break
            wire.data_received(more.encode())
            await asyncio.sleep(0.01)
        return line

    line = asyncio.run(drip())

    assert line.written.startswith(b"HTTP/1.1 204 ")
    assert line.closed.is_set()


CHUNKED = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"


def answers_to(data: Iterable[bytes], served: Any = None) -> tuple[list[bytes], bool]:
    """(statuses of the answers, whether the connection was closed) after some data, one packet each."""

    async def request() -> Line:
        wire, line = connected(served=served)
        for each in data:
            wire.data_received(each)
        while wire.tasks:
            await asyncio.gather(*wire.tasks)
            await asyncio.sleep(0)
        return line

    line = asyncio.run(request())
    return re.findall(rb"HTTP/1\.1 (\d+) ", line.written), line.closed.is_set()


@pytest.mark.parametrize("piece", [b"x: y\r\n" * 1000, b"x: " + b"y" * 5000, b"a" * 5000])
def test_endless_trailers_are_not_stored(piece: bytes) -> None:
    """One connection without a key took 1.4 GB in ten seconds."""

    async def flood() -> tuple[Line, int]:
        wire, line = connected()
        wire.data_received(CHUNKED + b"0\r\nx: ")
        sent = 0
        while not line.closed.is_set() and sent < 1_000_000:
            wire.data_received(piece)
            sent += len(piece)
        return line, sent

    line, sent = asyncio.run(flood())

    assert sent < 50_000
    assert problem_of(line.written)["code"] == "head-too-large"


def test_a_trailer_is_not_a_header_of_the_request() -> None:
    seen: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        seen.append([name for name, _ in scope["headers"]])
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    report = answers_to(
        [CHUNKED + b"1\r\na\r\n0\r\nAuthorization: Bearer x\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n"], app
    )

    assert report == ([b"204"], False)
    assert seen == [[b"host", b"transfer-encoding"]]


REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.mark.parametrize(
    ("data", "statuses"),
    [
        ([REQUEST + b"nonsense\r\n\r\n"], [b"204", b"400"]),
        ([REQUEST * 3 + b"nonsense\r\n\r\n" + REQUEST], [b"204", b"204", b"204", b"400"]),
        ([REQUEST + CHUNKED + b"zz\r\n"], [b"204", b"400"]),
        ([REQUEST + b"GET / HTTP/1.1\r\nX: ", b"a" * 30_000], [b"204", b"431"]),
        ([CHUNKED + b"zz\r\n"], [b"400"]),
        ([b"GET /?" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n"], [b"414"]),
        ([REQUEST.replace(b"1.1", b"2.0")], [b"400"]),
        ([REQUEST.replace(b" HTTP/1.1", b"")], [b"400"]),
        ([REQUEST.replace(b"1.1", b"1.0")], [b"204"]),
        ([CHUNKED.replace(b"1.1", b"1.0") + b"0\r\n\r\n"], [b"400"]),
        ([REQUEST + CHUNKED.replace(b"1.1", b"1.0")], [b"204", b"400"]),
    ],
    ids=[
        "nonsense behind a request", "nonsense behind three", "a body's nonsense behind a request",
        "a head without an end behind a request", "a body's nonsense", "a target of 100 kB", "HTTP/2.0", "no version",
        "HTTP/1.0", "chunks of HTTP/1.0", "chunks of HTTP/1.0 behind a request",
    ],
)  # fmt: skip
def test_garbage_is_answered_after_the_requests_before_it(data: list[bytes], statuses: list[bytes]) -> None:
    """An answer of its own at once would be taken for the answer to the request that still runs."""
    assert answers_to(data) == (statuses, True)


def test_an_error_after_an_early_answer_sends_no_second() -> None:
    async def request() -> Line:
        wire, line = connected()
        wire.data_received(CHUNKED)
        await asyncio.gather(*wire.tasks)
        wire.data_received(b"zz\r\n")
        return line

    line = asyncio.run(request())

    assert line.written.count(b"HTTP/1.1 ") == 1
    assert line.closed.is_set()


@pytest.mark.parametrize(("body", "is_answered"), [(b"ab", True), (b"a", False)], ids=["a whole request", "a part"])
def test_client_that_closes_its_side_still_gets_its_answer(body: bytes, is_answered: bool) -> None:
    async def request() -> tuple[Any, Line]:
        wire, line = connected()
        line.can_write_eof = lambda: True  # type: ignore[method-assign]
        wire.data_received(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n" + body)
        stays = wire.eof_received()
        await asyncio.gather(*wire.tasks)
        return stays, line

    stays, line = asyncio.run(request())

    assert bool(stays) is is_answered
    assert not is_answered or (line.written.startswith(b"HTTP/1.1 204 ") and line.closed.is_set())


def test_the_end_of_the_clients_side_ends_a_batch() -> None:
    async def request() -> tuple[Any, Line]:
        wire, line = connected()
        line.can_write_eof = lambda: True  # type: ignore[method-assign]
        wire.data_received(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab")
        setattr(wire.cycle, calls.ENDS_WITH_CLIENT, True)  # as `Call.while_connected` does
        stays = wire.eof_received()
        await asyncio.gather(*wire.tasks)
        return stays, line

    stays, _ = asyncio.run(request())

    assert stays is None


@pytest.mark.parametrize("path", ["/healthz", "/v1/schema", "/v1/agent-safety", "/nowhere"])
def test_a_connection_stays_open_after_an_answer_to_head(api: Api, path: str) -> None:
    statuses, is_closed = answers_to([f"{method} {path} HTTP/1.1\r\nHost: testserver\r\n\r\n".encode()
                                      for method in ("HEAD", "GET")], api.app)  # fmt: skip

    assert len(statuses) == 2
    assert not is_closed


def test_endless_headers_are_not_stored() -> None:
    async def flood() -> Line:
        wire, line = connected()
        wire.data_received(b"GET / HTTP/1.1\r\nHost: x\r\nX: ")
        for _ in range(100):
            if line.closed.is_set():
                break
            wire.data_received(b"a" * 1000)
        return line

    line = asyncio.run(flood())

    assert line.closed.is_set()
    assert line.written.startswith(b"HTTP/1.1 431 ")
    assert problem_of(line.written)["code"] == "head-too-large"


@pytest.mark.parametrize("ends", ["by the client", "by nobody"])
@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"GET / HTTP/1.1\r\nHost: x\r\nX: ", b"431"),
        (b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 8000000\r\n\r\n", b"204"),
    ],
    ids=["head too large", "body that nobody reads"],
)
def test_a_client_that_is_still_sending_gets_the_answer(
    head: bytes, status: bytes, ends: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A close while bytes are unread would reset the connection, and the reset would discard the answer."""
    monkeypatch.setattr("waypost.api.protocol.LINGER_S", 20 if ends == "by the client" else 4)

    def send(port: int) -> bytes:
        with socket.create_connection(("127.0.0.1", port), timeout=10) as line:
            line.sendall(head)
            for _ in range(20):
                line.sendall(b"a" * 200_000)
                time.sleep(0.005)
            if ends == "by the client":
                line.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: line.recv(65536), b""))

    async def serve() -> bytes:
        wires = []

        def connect() -> Any:
            wires.append(connected()[0])
            return wires[-1]

        server = await asyncio.get_running_loop().create_server(connect, "127.0.0.1", 0)
        async with server:
            answer = await asyncio.to_thread(send, server.sockets[0].getsockname()[1])
            async with asyncio.timeout(10):
                while wires[0] in wires[0].connections:
                    await asyncio.sleep(0.01)
        return answer

    answer = asyncio.run(serve())

    assert answer.startswith(b"HTTP/1.1 " + status)
    assert answer.count(b"HTTP/1.1") == 1


@pytest.mark.parametrize("is_sent", [True, False], ids=["a request on its way", "no request"])
def test_open_connection_ends_with_the_service_after_its_request(
    is_sent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy may send a POST at the moment of the end, and may not repeat it."""
    monkeypatch.setattr("waypost.api.protocol.LAST_S", 20 if is_sent else 0.01)
    request = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"

    async def end() -> tuple[bytes, bytes]:
        wire, line = connected()
        wire.data_received(request)
        await asyncio.gather(*wire.tasks)
        first, line.written = line.written, b""
        wire.shutdown()
        assert not line.closed.is_set()
        if is_sent:
            wire.data_received(request)
            await asyncio.gather(*wire.tasks)
        async with asyncio.timeout(10):
            await line.closed.wait()
        return first, line.written

    first, last = asyncio.run(end())

    assert b"connection: close" not in first
    assert last.startswith(b"HTTP/1.1 204 ") is is_sent
    assert (b"connection: close" in last) is is_sent


def problem_of(answer: bytes) -> dict[str, Any]:
    """The problem document of an answer as it went over the wire; its headers are there once."""
    head, _, body = answer.partition(b"\r\n\r\n")
    names = [each.partition(b":")[0].lower() for each in head.split(b"\r\n")[1:]]
    assert len(names) == len(set(names))
    assert b"content-type: application/problem+json" in head.split(b"\r\n")
    assert f"content-length: {len(body)}".encode() in head
    document: dict[str, Any] = json.loads(body)
    return document


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02",
        b"GET / HTTP/1.1\r\nHost: x\r\nno header\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
    ],
)
def test_garbage_is_answered_with_a_problem_document(sent: bytes) -> None:
    async def send() -> Line:
        wire, line = connected()
        wire.data_received(sent)
        return line

    line = asyncio.run(send())

    assert line.closed.is_set()
    assert (problem_of(line.written)["code"], problem_of(line.written)["status"]) == ("malformed-http", 400)


@pytest.mark.parametrize("name", ["Host", "Authorization", "Content-Type", "Idempotency-Key"])
def test_a_header_with_one_value_is_there_once(shared: Api, name: str) -> None:
    twice = [(name.lower().encode(), b"a"), (name.lower().encode(), b"b")]

    problem = sent_raw(shared, [(b"host", b"x"), *twice] if name != "Host" else twice)

    assert (problem["status"], problem["code"]) == (400, "bad-header")
    assert [(each["header"], each["code"]) for each in problem["errors"]] == [(name, "single")]


@pytest.mark.parametrize("coding", ["gzip, chunked", "gzip", "identity", ", chunked"])
def test_a_body_in_another_transfer_coding_is_rejected(shared: Api, coding: str) -> None:
    async def body() -> AsyncIterator[bytes]:
        yield b'{"url": "https://allow.test/", "intended_action": "visit"}'

    sent = {"content-type": "application/json", "transfer-encoding": coding}
    rejected = shared.call("POST", "/v1/agent-safety", key=shared.key("agent")[1], headers=sent, content=body())

    assert (rejected.status_code, rejected.json()["code"]) == (415, "unsupported-media-type")


@pytest.mark.parametrize("headers", [[], [(b"host", b"")]], ids=["none", "empty"])
def test_a_request_without_a_host_is_rejected(shared: Api, headers: list[tuple[bytes, bytes]]) -> None:
    problem = sent_raw(shared, headers)

    assert (problem["status"], problem["code"]) == (400, "bad-header")
    assert [(each["header"], each["code"]) for each in problem["errors"]] == [("Host", "required")]


def test_endless_headers_are_rejected(shared: Api) -> None:
    assert sent_raw(shared, [(b"host", b"x"), (b"x-much", b"a" * 30_000)])["code"] == "head-too-large"


def sent_raw(api: Api, headers: list[tuple[bytes, bytes]]) -> dict[str, Any]:
    """Problem of a request with exactly these headers; httpx sends a Host header of its own, and each header once."""
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http", "method": "GET", "path": "/healthz", "raw_path": b"/healthz", "query_string": b"",
        "headers": headers, "client": ("192.0.2.7", 1), "scheme": "http", "http_version": "1.1",
    }  # fmt: skip
    asyncio.run(api.app(scope, receive, send))
    answer: dict[str, Any] = json.loads(sent[1]["body"])
    return answer


@pytest.mark.parametrize("begun", [b"", b"GET / HTTP/1.1\r\nHost: x\r\n", b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /"])
def test_headers_that_do_not_come_are_not_waited_for(monkeypatch: pytest.MonkeyPatch, begun: bytes) -> None:
    pytest.importorskip("uvicorn")
    from waypost.api import protocol as wires

    monkeypatch.setattr(wires, "HEAD_S", 0.01)

    async def wait() -> None:
        wire, line = connected()
        wire.data_received(begun)
        async with asyncio.timeout(2):
            await line.closed.wait()

    asyncio.run(wait())


def test_a_complete_request_is_answered_however_large_its_body() -> None:
    async def request() -> Line:
        wire, line = connected()
        wire.data_received(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n")
        for _ in range(100):
            wire.data_received(b"a" * 1000)
            await asyncio.sleep(0)
        await asyncio.gather(*wire.tasks)
        return line

    assert asyncio.run(request()).written.startswith(b"HTTP/1.1 204 ")


@pytest.mark.parametrize("around", ["{}", "trace-{}", "{}.1"])
def test_a_key_in_a_wrong_header_leaves_no_trace(api: Api, around: str) -> None:
    _, key = api.key("agent")
    mistaken = around.format(key)

    answer = api.call("GET", "/v1/limits", key=key, headers={"X-Request-ID": mistaken})
    rejected = api.call("POST", "/v1/agent-safety/batch", key=key, json=FIXTURE, headers={"Idempotency-Key": mistaken})

    assert answer.status_code == 200
    assert key not in f"{answer.headers}{answer.text}"
    assert rejected.json()["code"] == "bad-header"


def test_memory_per_holder_and_kind_is_bounded_and_returned() -> None:
    arriving = Arriving(most=100, most_of_one=60)

    with arriving.of("address", "192.0.2.1") as first, arriving.of("address", "192.0.2.2") as second:
        first.take(60)
        with pytest.raises(NoRoom):
            first.take(1)
        second.take(40)
        with pytest.raises(NoRoom):
            second.take(1)
        with arriving.of("organization", "org-1") as another:
            another.take(60)

    assert not arriving.held


def test_a_body_without_room_gets_a_retry_time(api: Api) -> None:
    api.state.arriving = Arriving(most=100_000, most_of_one=50_000)

    def body(length: int) -> bytes:
        recipe = {"@context": "https://schema.org", "@type": "Recipe", "name": "Soup"}
        script = f'<script type="application/ld+json">{json.dumps(recipe)}</script>'
        return json.dumps({"kind": "recipe", "markup": script + "x" * length}).encode()

    async def pieces(sent: bytes) -> AsyncIterator[bytes]:
        for start in range(0, len(sent), 10_000):
            yield sent[start : start + 10_000]

    def send(sent: bytes) -> Any:
        headers = {"content-type": "application/json"}
        return api.call("POST", "/api/ai/snippet", content=pieces(sent), headers=headers)

    rejected, taken = send(body(60_000)), send(body(30_000))

    assert (rejected.status_code, rejected.json()["code"], rejected.headers["retry-after"]) == (503, "not-ready", "10")
    assert taken.status_code == 200, taken.text
    assert not api.state.arriving.held
