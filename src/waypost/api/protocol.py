"""HTTP protocol of uvicorn with limits on request heads, size and time, and problem documents for what is not HTTP."""

from __future__ import annotations

from asyncio import Transport
from asyncio.events import TimerHandle
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import msgspec
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from waypost.api.endpoint import PROBLEM
from waypost.api.exchange import MOST_HEAD, MOST_TARGET
from waypost.api.request import ENDS_WITH_CLIENT, INTO
from waypost.formats.ids import new_id
from waypost.net.listen import STUCK_S, discard_unsent
from waypost.service.problems import ProblemError, to_problem

HEAD_S = 10.0
"""Seconds for a complete head, from the first byte; for a new connection, from the connection's start."""
TURN_S = 0.05
"""Seconds after `HEAD_S` for what had arrived in time: a held-up event loop runs its timers before it reads. A close
with bytes unread is a reset, after which a client does not know whether it was served (RFC 9112, section 9.6)."""
LINGER_S = 5.0
"""Seconds for which a connection is read on whose request was answered before it had arrived. A close with bytes unread
resets the connection, and a reset discards the answer that the client has not read yet (RFC 9112, section 9.6). Enough
for 20 MB at 4 MB/s (benchmarks/README.md)."""
LAST_S = 0.3
"""Seconds at the end of the service for a request that is on its way on a kept connection. No busy connection then
loses an answer (benchmarks/README.md); one without a request for so long can lose one at any value."""
MOST_PIPELINED = 16
"""Requests of a connection that wait behind the one that is answered; a packet of 64 KiB may hold 1,400."""
LEAST_READ = 16 << 10
"""Bytes that a client reads in `STUCK_S` seconds of what the buffers of the system have no room for."""


class _TooManyPipelined(Exception):
    """More requests are on the way than a connection may have; ends the parsing."""


class _OtherVersion(Exception):
    """A request of another version than HTTP/1.0 and 1.1, which httptools would take for 1.1; ends the parsing."""


class _UnclearEnd(Exception):
    """A body in chunks of HTTP/1.0, which knows no chunks: a proxy may see another end (RFC 9112, section 6.1)."""


class _Nowhere(list[tuple[bytes, bytes]]):
    """Headers that are not kept."""

    def append(self, _: tuple[bytes, bytes]) -> None:
        pass


class Wire(HttpToolsProtocol):
    """HTTP connection that is closed when the head is too large (431) or too slow, or answers are not read."""

    _waiting: TimerHandle | None = None
    _unread: TimerHandle | None = None
    _is_head_open = False
    _is_full = False
    _is_lingering = False
    _is_ending = False
    _head = 0
    _framing = 0
    _rejected = ""
    url = b""
    """Target of the request that arrives; uvicorn sets it with the first request only."""

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.transport = _OneWrite(transport, self._watch, self._reads_on)  # type: ignore[assignment]
        self._wait()

    def shutdown(self) -> None:
        """End the connection after the running request, or after one that a proxy is sending just now.

        Closed at once, such a request would be reset, and a proxy may not repeat a POST.
        """
        self._is_ending = True
        if self.cycle is None or self.cycle.response_complete:
            self.loop.call_later(LAST_S, super().shutdown)
        else:
            super().shutdown()

    def connection_lost(self, exc: Exception | None) -> None:
        self._done()
        self._is_read()
        super().connection_lost(exc)
        # Each request that waits holds the connection, and the connection the request. The collector frees such a cycle
        # late: what has survived a collection waits for twenty more.
        for cycle, _ in self.pipeline:
            cycle.on_response = _nothing  # type: ignore[assignment]
        self.pipeline.clear()
        self.transport.release()  # type: ignore[attr-defined]

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        if not self.transport.is_closing():  # a transport closes once all is read
            self._is_read()
        super().resume_writing()

    def _watch(self) -> None:
        """Abort the connection unless the client goes on reading: what it leaves unread stays in memory."""
        if self._unread is None:
            left = self.transport.get_write_buffer_size()
            self._unread = self.loop.call_later(STUCK_S, self._check_read, left)

    def _check_read(self, before: int) -> None:
        self._unread = None
        if self.transport.get_write_buffer_size() > before - LEAST_READ:
            discard_unsent(self.transport.get_extra_info("socket"))
            self.transport.abort()
        else:
            self._watch()

    def _is_read(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def on_message_begin(self) -> None:
        if len(self.pipeline) >= MOST_PIPELINED:
            raise _TooManyPipelined
        super().on_message_begin()
        self._is_head_open, self._head, self._framing = True, 0, 0

    def on_headers_complete(self) -> None:
        self._done()
        if self.parser.get_http_version() not in _VERSIONS:
            raise _OtherVersion
        if self.parser.get_http_version() == "1.0" and any(name == b"transfer-encoding" for name, _ in self.headers):
            raise _UnclearEnd
        super().on_headers_complete()
        # uvicorn would append the trailers of a body to the headers, with all that a proxy took out of these.
        self.headers = _Nowhere()
        if self._is_ending:
            self.cycle.keep_alive = False
        setattr(self.cycle, INTO, None)
        setattr(self.cycle, ENDS_WITH_CLIENT, False)

    def on_body(self, body: bytes) -> None:
        """Write a part of a body to the application's document, or keep the part for `receive`."""
        # uvicorn keeps 64 KiB, stops reading, and wakes the application for each such piece.
        self._framing = 0
        cycle = self.cycle
        document = getattr(cycle, INTO)
        if document is None or cycle.body or cycle.response_complete:
            super().on_body(body)
        else:
            document.append(body)

    def on_response_complete(self) -> None:
        self.transport.flush()  # type: ignore[attr-defined]
        is_last = not self.pipeline
        super().on_response_complete()
        if is_last and self._rejected:
            self._reject(self._rejected)

    def eof_received(self) -> bool | None:  # type: ignore[override]
        """Keep the connection for the answer if the client ended its side after a whole request."""
        cycle = self.cycle
        if cycle is None or cycle.response_complete or cycle.more_body or cycle.disconnected:
            return None
        if getattr(cycle, ENDS_WITH_CLIENT):
            return None
        cycle.keep_alive = False
        return self.transport.can_write_eof()

    def data_received(self, data: bytes) -> None:
        if self._is_full:
            return
        self._framing += len(data)
        super().data_received(data)
        if self._framing > MOST_HEAD and not self._is_head_open and self.cycle is not None and self.cycle.more_body:
            # Extensions of a chunk or trailers, which httptools collects without a limit.
            self._reject_last("head-too-large")
            return
        if not self._is_head_open:  # bytes of a body are not counted
            if self.cycle is not None and self.cycle.response_complete:
                # Line ends, or a body that no one reads any more: uvicorn waits for the next request without an end.
                self._wait()
            return
        # Most heads arrive whole: a timer for each would take a twentieth of a decision.
        self._wait()
        self._head += len(data)
        if self._head > MOST_HEAD:
            self._reject_last("head-too-large")

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - the signature of uvicorn
        """Answer what the parser cannot read. uvicorn's own answer is plain text."""
        if len(self.pipeline) >= MOST_PIPELINED:
            # The client asks again for what has no answer (RFC 9112, section 9.3.2).
            self._done()
            self._is_full, self.cycle.keep_alive = True, False
            return
        self._reject_last("uri-too-long" if len(self.url) > MOST_TARGET else "malformed-http")

    def _reject_last(self, code: str) -> None:
        """Reject what arrived last, after the answers to the requests before it."""
        self._done()
        self._is_full = True
        cycle = self.cycle
        is_body = cycle is not None and cycle.more_body
        if is_body and cycle.response_complete:  # answered before its body came; a second answer would be another's
            self._linger()
        elif is_body and self.pipeline:
            self.pipeline.popleft()  # this request, the last that came
            self._rejected = code
        elif cycle is None or cycle.response_complete or is_body:
            self._reject(code)
        else:
            self._rejected = code

    def _reject(self, code: str) -> None:
        """Write a problem document by hand, since there is no request that the application could answer."""
        if self.transport.is_closing():
            return
        request_id = new_id()
        state = getattr(self.app, "state", None)
        problem = to_problem(ProblemError(code), request_id, state.settings.site_url if state else "")
        body = msgspec.json.encode(problem.body)
        head = [
            f"HTTP/1.1 {problem.status} {HTTPStatus(problem.status).phrase}",
            *(f"{name.decode()}: {value.decode()}" for name, value in self.server_state.default_headers),
            f"content-type: {PROBLEM}",
            f"content-length: {len(body)}",
            "cache-control: no-store",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            f"x-request-id: {request_id}",
            "connection: close",
        ]
        self.transport.write("\r\n".join([*head, "", ""]).encode("latin-1") + body)
        self._linger()

    def _reads_on(self) -> bool:
        """Whether bytes are still arriving behind the last answer; the connection then closes later."""
        cycle = self.cycle
        if self._is_lingering or cycle is None or cycle.keep_alive or self.transport.is_closing():
            return False
        if not (cycle.more_body or self._is_full):
            return False
        self._linger()
        return True

    def _linger(self) -> None:
        """Send no more, discard what arrives, and close with the client or after LINGER_S seconds."""
        self._done()
        self._is_full = self._is_lingering = True
        self.pipeline.clear()
        self.flow.resume_reading()
        if self.cycle is not None:
            self.cycle.disconnected = True  # its answer would come after the last one
            self.cycle.message_event.set()
        if not self.transport.can_write_eof():  # TLS
            self.transport.close()
            return
        self.transport.write_eof()
        self._waiting = self.loop.call_later(LINGER_S, self._late)

    def _wait(self) -> None:
        if self._waiting is None:
            self._waiting = self.loop.call_later(HEAD_S, self._wait_a_turn)

    def _wait_a_turn(self) -> None:
        """Close the connection after one more turn of the event loop, unless bytes arrive in it."""
        self._waiting = self.loop.call_later(TURN_S, self._late)

    def _done(self) -> None:
        self._is_head_open = False
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _late(self) -> None:
        self._waiting = None
        self.transport.close()


class _OneWrite:
    """Transport that sends the head of an answer together with the beginning of its body.

    uvicorn writes the two apart, each in a packet of its own, which wakes the client twice. `Exchange.send` and uvicorn
    itself give the body right after the head.

    on_unread  called by `close` if bytes are left that the client has to read first
    reads_on   called by `close`; whether the connection stays open for what the client is still sending
    """

    def __init__(self, transport: Transport, on_unread: Callable[[], object], reads_on: Callable[[], bool]) -> None:
        self._transport = transport
        self._on_unread = on_unread
        self._reads_on = reads_on
        self._head = b""
        self.is_closing = transport.is_closing
        self.get_extra_info = transport.get_extra_info

    def write(self, data: bytes) -> None:
        if self._head:
            head, self._head = self._head, b""
            if len(data) <= _MOST_JOINED:
                self._transport.write(head + data)
            else:  # without a copy
                self._transport.writelines((head, data))
        elif data.startswith(_FINAL) and data.endswith(b"\r\n\r\n"):
            self._head = data
        else:
            self._transport.write(data)

    def release(self) -> None:
        """Forget the lost connection, for freeing at once; thousands would take the collector 0.1 s."""
        self._on_unread = self._reads_on = _nothing

    def flush(self) -> None:
        """Send a head without a body, as of an answer to HEAD."""
        if self._head:
            self.write(b"")

    def close(self) -> None:
        self.flush()
        if not self._reads_on():
            self._transport.close()
        if self._transport.get_write_buffer_size():
            self._on_unread()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


def _nothing() -> bool:
    return False


_MOST_JOINED = 32 << 10
_VERSIONS = frozenset({"1.0", "1.1"})
_FINAL = tuple(f"HTTP/1.1 {first}".encode() for first in "2345")
"""Beginning of an answer's head; a head of 1xx has no body."""
