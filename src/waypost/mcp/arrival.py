"""Bounds of requests that arrive slowly, and of the sessions and requests of a key, over HTTP.

uvicorn counts every connection and waits for a first request without end: 500 connections that send nothing, without
any key, would keep all others out.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from typing import Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

ARRIVAL_S = 20.0
"""Seconds in which a request must be complete, from the connection or from its first byte."""
MOST_ARRIVING = 250
"""Connections without a complete request; a further one ends the oldest. Half of all connections."""
SESSIONS_OF_KEY = 50
REQUESTS_OF_KEY = 100
"""Requests of a key at the same time, with the open streams of its sessions."""
_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class BoundedArrival(H11Protocol):
    """Connection that ends where a request takes longer than `ARRIVAL_S` to arrive."""

    arriving: ClassVar[dict[BoundedArrival, asyncio.TimerHandle]] = {}
    """Connections without a complete request, the oldest first."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()
        if len(self.arriving) > MOST_ARRIVING:
            next(iter(self.arriving)).expire()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state in {h11.IDLE, h11.SEND_BODY} and not self.transport.is_closing():
            self._watch()
        else:
            self._forget()

    def _watch(self) -> None:
        # The first byte begins the time: those that come one by one do not prolong it.
        if self not in self.arriving:
            self.arriving[self] = self.loop.call_later(ARRIVAL_S, self.expire)

    def _forget(self) -> None:
        if timer := self.arriving.pop(self, None):
            timer.cancel()

    def expire(self) -> None:
        """End the connection, with a response where none has begun."""
        self._forget()
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            self.transport.write(_TOO_SLOW)
        self.transport.close()


class Holders:
    """Sessions and requests of each key, by a digest of the key."""

    def __init__(self, idle_s: float) -> None:
        self._idle_s = idle_s
        self._sessions: dict[str, OrderedDict[str, float]] = {}
        self._requests: dict[str, int] = {}

    def begin(self, holder: str) -> bool:
        """Whether a request may begin; `end` must follow if so."""
        count = self._requests.get(holder, 0)
        if count >= REQUESTS_OF_KEY:
            return False
        self._requests[holder] = count + 1
        return True

    def end(self, holder: str) -> None:
        """End a request that has begun."""
        self._requests[holder] -= 1
        if not self._requests[holder]:
            del self._requests[holder]

    def use(self, holder: str, session: str) -> list[str]:
        """Note a session in use. Returns sessions beyond `SESSIONS_OF_KEY`, the longest unused, to be ended."""
        now = time.monotonic()
        own = self._sessions.setdefault(holder, OrderedDict())
        own[session] = now
        own.move_to_end(session)
        while next(iter(own.values())) < now - self._idle_s:
            own.popitem(last=False)
        return [own.popitem(last=False)[0] for _ in range(len(own) - SESSIONS_OF_KEY)]

    def drop(self, holder: str, session: str) -> None:
        """Forget a session that its holder has ended."""
        own = self._sessions.get(holder, OrderedDict())
        own.pop(session, None)
        if not own:
            self._sessions.pop(holder, None)


def deletion(scope: Any, session: str) -> Any:
    """ASGI scope that ends a session, for the holder and the host of a request."""
    headers = [(name, value) for name, value in scope["headers"] if name in {b"host", b"authorization"}]
    return scope | {"method": "DELETE", "headers": [*headers, (b"mcp-session-id", session.encode())]}
