"""A long body goes to its worker through shared memory, and no other request ever sees it."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn

from waypost.api import request as requests
from waypost.api.endpoint import Body, Endpoint
from waypost.api.protocol import Wire
from waypost.api.request import Call, joined
from waypost.isolation.documents import LEAST_BYTES, Arriving, Documents
from waypost.service.problems import ProblemError

SLOT = 64 << 10
pytestmark = pytest.mark.skipif(Documents(1, SLOT).memory is None, reason="no shared memory without a name here")


@pytest.fixture
def documents() -> Documents:
    return Documents(2, SLOT)


def test_slot_is_free_again_when_its_document_is_gone(documents: Documents) -> None:
    first, second = documents.take(LEAST_BYTES), documents.take(LEAST_BYTES)
    assert first is not None
    assert second is not None
    assert documents.take(LEAST_BYTES) is None

    del first

    assert documents.take(LEAST_BYTES) is not None


def test_a_used_slot_holds_nothing_of_the_last_document(documents: Documents) -> None:
    old = documents.of(b"a" * SLOT)
    del old

    assert bytes(documents.of(b"b" * LEAST_BYTES)) == b"b" * LEAST_BYTES


@pytest.mark.parametrize("size", [0, LEAST_BYTES - 1, SLOT + 1])
def test_a_document_of_any_length_stays_the_same(documents: Documents, size: int) -> None:
    data = b"a" * size

    assert documents.of(data) is data


def test_more_than_a_slot_is_rejected(documents: Documents) -> None:
    document = documents.take(SLOT)
    assert document is not None

    with pytest.raises(ValueError, match="structures"):
        document.append(b"a" * (SLOT + 1))


class _State:
    """The part of a service's state that reading a body needs."""

    def __init__(self, documents: Documents) -> None:
        self.pool = self
        self.documents = documents
        self.arriving = Arriving()


class Reader:
    """Application on the service's HTTP protocol that reads each body for a worker and answers its length and ends."""

    def __init__(self) -> None:
        self.documents = Documents(2, SLOT)
        self.seen: list[str] = []
        self.port = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        endpoint = Endpoint("POST", "/", "", "", "", "", None, (), {}, body=Body("", limit=SLOT))  # type: ignore[arg-type]
        call = Call(_State(self.documents), endpoint, scope, receive, "", joined(scope["headers"]))  # type: ignore[arg-type]
        try:
            found = await call.for_worker()
            data = bytes(found)
            answer = {"kind": type(found).__name__, "bytes": len(data), "letters": sorted(set(data.decode()))}
        except ProblemError as error:
            answer = {"problem": error.code}
        body = json.dumps(answer).encode()
        headers = [(b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def exchange(self, *pieces: bytes, pause_s: float = 0.0, answers: int = 1) -> list[Any]:
        """Answers to a request that is sent in pieces."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause_s)
        found = []
        for _ in range(answers):
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
            found.append(json.loads(await reader.readexactly(length)))
        writer.close()
        return found


@pytest.fixture
def serving() -> Iterator[tuple[asyncio.Runner, Reader]]:
    app = Reader()
    with asyncio.Runner() as runner, socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        app.port = listening.getsockname()[1]
        config = uvicorn.Config(app, http=Wire, log_config=None, lifespan="off", ws="none")
        server = uvicorn.Server(config)

        async def begin() -> asyncio.Task[None]:
            task = asyncio.create_task(server.serve(sockets=[listening]))
            while not server.started:
                await asyncio.sleep(0.01)
            return task

        task = runner.run(begin())
        yield runner, app
        server.should_exit = True
        runner.run(asyncio.wait_for(task, 120))


def head(size: int, *more: str) -> bytes:
    return "\r\n".join(["POST / HTTP/1.1", "host: x", f"content-length: {size}", *more, "", ""]).encode()


def test_body_in_pieces_arrives_in_order_in_shared_memory(serving: tuple[asyncio.Runner, Reader]) -> None:
    runner, app = serving

    (answer,) = runner.run(app.exchange(head(40_000) + b"a" * 100, b"b" * 20_000, b"c" * 19_900, pause_s=0.05))

    assert answer == {"kind": "Document", "bytes": 40_000, "letters": ["a", "b", "c"]}


def test_two_requests_in_one_piece_get_a_body_each(serving: tuple[asyncio.Runner, Reader]) -> None:
    runner, app = serving

    answers = runner.run(app.exchange(head(40_000) + b"a" * 40_000 + head(30_000) + b"b" * 30_000, answers=2))

    assert [(answer["bytes"], answer["letters"]) for answer in answers] == [(40_000, ["a"]), (30_000, ["b"])]


def test_a_body_waits_for_the_answer_to_expect(serving: tuple[asyncio.Runner, Reader]) -> None:
    runner, app = serving

    async def request() -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", app.port)
        writer.write(head(20_000, "expect: 100-continue"))
        first = await reader.readuntil(b"\r\n\r\n")
        writer.write(b"a" * 20_000)
        second = await reader.read(4096)
        writer.close()
        return first + second

    answer = runner.run(asyncio.wait_for(request(), 120))

    assert answer.startswith(b"HTTP/1.1 100")
    assert b'"bytes": 20000' in answer


def test_late_body_never_reaches_another_document_in_its_slot(
    serving: tuple[asyncio.Runner, Reader], monkeypatch: pytest.MonkeyPatch
) -> None:
    runner, app = serving
    monkeypatch.setattr(requests, "READ_TIMEOUT_S", 0.2)
    app.documents = Documents(1, SLOT)

    async def both() -> tuple[Any, bytes]:
        reader, writer = await asyncio.open_connection("127.0.0.1", app.port)
        writer.write(head(60_000) + b"s" * 10_000)
        late = await reader.readuntil(b"}")
        document = app.documents.of(b"o" * 50_000)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(requests, "READ_TIMEOUT_S", 5)
            writer.write(b"s" * 50_000)
            await asyncio.sleep(0.1)
        writer.close()
        return late, bytes(document)

    late, other = runner.run(asyncio.wait_for(both(), 120))

    assert b"body-too-slow" in late
    assert other == b"o" * 50_000


def test_body_without_length_or_slot_is_read_as_bytes(
    serving: tuple[asyncio.Runner, Reader],
) -> None:
    runner, app = serving
    chunked = b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n"
    taken = [app.documents.take(SLOT), app.documents.take(SLOT)]

    (by_chunks,) = runner.run(app.exchange(chunked, b"4e20\r\n" + b"a" * 20_000 + b"\r\n", b"0\r\n\r\n"))
    (without,) = runner.run(app.exchange(head(40_000), b"a" * 40_000))

    assert all(taken) or len(taken) == 2
    assert [by_chunks["kind"], by_chunks["bytes"]] == ["bytes", 20_000]
    assert [without["kind"], without["bytes"]] == ["bytes", 40_000]
