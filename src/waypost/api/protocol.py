"""HTTP protocol of uvicorn with limits on request heads: size and time."""

from __future__ import annotations

from asyncio import Transport
from asyncio.events import TimerHandle

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST_HEAD = 24 << 10
"""Bytes of an incomplete request head: request line (8 KiB) and headers (16 KiB)."""
HEAD_S = 10.0
"""Seconds for a complete head, from the first byte; for a new connection, from the connection's start."""
_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class Wire(HttpToolsProtocol):
    """HTTP connection that is closed when the head is too large (431) or too slow."""

    _waiting: TimerHandle | None = None
    _head = 0

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._begin()

    def connection_lost(self, exc: Exception | None) -> None:
        self._done()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._begin()

    def on_headers_complete(self) -> None:
        self._done()
        super().on_headers_complete()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        # `_waiting` is None once the head is complete; bytes of a body are not counted.
        if self._waiting is None:
            return
        self._head += len(data)
        if self._head > MOST_HEAD:
            self._done()
            self.transport.write(_TOO_LARGE)
            self.transport.close()

    def _begin(self) -> None:
        if self._waiting is None:
            self._head = 0
            self._waiting = self.loop.call_later(HEAD_S, self._late)

    def _done(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _late(self) -> None:
        self._waiting = None
        self.transport.close()
