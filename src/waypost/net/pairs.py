"""Connected pairs of sockets between the processes of a machine, and asyncio transports on them."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

_ROOM = 4 << 20
End = socket.socket
Made = Callable[[], asyncio.BaseProtocol]


def socket_pair() -> tuple[End, End]:
    """Two stream sockets, connected with each other."""
    pair = socket.socketpair()
    for end in pair:
        # A page goes through in a few pieces instead of many; the system takes what it allows.
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _ROOM)
    return pair


async def connected(end: End, protocol: Made) -> asyncio.Transport:
    """Transport of the running loop on one end of a pair."""
    loop = asyncio.get_running_loop()
    end.setblocking(False)
    is_unix = end.family == getattr(socket, "AF_UNIX", None)
    create = loop.create_unix_connection if is_unix else loop.create_connection
    transport, _ = await create(protocol, sock=end)
    return transport


def receive_exactly(end: End, size: int) -> bytes | None:
    """The next `size` bytes; None at the end of the stream."""
    parts = bytearray(size)
    view, at = memoryview(parts), 0
    while at < size:
        if not (count := end.recv_into(view[at:])):
            return None
        at += count
    return bytes(parts)
