"""Metrics listener: GET /metrics in Prometheus text, on a loopback port of its own."""

from __future__ import annotations

import asyncio
import errno
from asyncio import StreamReader, StreamWriter
from collections.abc import Callable
from types import TracebackType
from typing import Self

from waypost.api.metrics import MEDIA_TYPE

HOST = "127.0.0.1"
TIMEOUT_S = 5.0
_MOST_HEAD = 8192


class Admin:
    """HTTP/1.1 server with a single resource, /metrics.

    Several worker processes try to listen on the same port. The first succeeds; when the first ends, the next attempt
    of another process succeeds.

    text  function that returns the counters in Prometheus text
    """

    def __init__(self, port: int, text: Callable[[], str]) -> None:
        self._port = port
        self._text = text
        self._server: asyncio.Server | None = None

    async def listen(self) -> None:
        """Start listening, unless a process listens already. Raises OSError, except for a port in use."""
        if self._server is not None:
            return
        try:
            self._server = await asyncio.start_server(self._converse, HOST, self._port, limit=_MOST_HEAD)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise

    @property
    def address(self) -> tuple[str, int] | None:
        """(host, port) of the listening socket; None while another process listens."""
        return self._server.sockets[0].getsockname()[:2] if self._server else None

    async def __aenter__(self) -> Self:
        await self.listen()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.close()

    async def _converse(self, reader: StreamReader, writer: StreamWriter) -> None:
        try:
            async with asyncio.timeout(TIMEOUT_S):
                writer.write(await self._answer(reader))
                await writer.drain()
        except (TimeoutError, OSError):
            pass  # the client is gone
        finally:
            writer.close()

    async def _answer(self, reader: StreamReader) -> bytes:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            return _written("400 Bad Request", b"")
        words = head.split(b"\r\n", 1)[0].split(b" ")
        if len(words) != 3 or not words[2].startswith(b"HTTP/1."):
            return _written("400 Bad Request", b"")
        if words[1].partition(b"?")[0] != b"/metrics":
            return _written("404 Not Found", b"only /metrics is here\n")
        if words[0] not in {b"GET", b"HEAD"}:
            return _written("405 Method Not Allowed", b"", "allow: GET, HEAD\r\n")
        return _written("200 OK", self._text().encode(), with_body=words[0] == b"GET")


def _written(status: str, body: bytes, extra: str = "", *, with_body: bool = True) -> bytes:
    head = (
        f"HTTP/1.1 {status}\r\ncontent-type: {MEDIA_TYPE}\r\ncontent-length: {len(body)}\r\n"
        f"cache-control: no-store\r\nconnection: close\r\n{extra}\r\n"
    )
    return head.encode() + (body if with_body else b"")
