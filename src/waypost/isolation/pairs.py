"""Connected pairs of sockets between the processes of a machine, asyncio transports on them, and shared memory."""

from __future__ import annotations

import asyncio
import mmap
import os
import socket
from collections.abc import Callable
from multiprocessing import reduction
from typing import Any

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


class SharedMemory:
    """Memory of two processes, without a name in the file system; takes room at the first write.

    Picklable as an argument of a process of multiprocessing.
    """

    def __init__(self, file: int, size: int) -> None:
        self._size = size
        self._file = file
        self._map = mmap.mmap(file, size)

    def view(self, at: int, size: int) -> memoryview:
        """`size` bytes from the byte `at`, to write to."""
        return memoryview(self._map)[at : at + size]

    def read(self, at: int, size: int) -> bytes:
        return self._map[at : at + size]

    def __reduce__(self) -> tuple[Any, ...]:
        return _mapped, (reduction.DupFd(self._file), self._size)

    def __del__(self) -> None:
        # The map stays valid without the file's descriptor, which each process closes for itself.
        os.close(self._file)


def _mapped(file: Any, size: int) -> SharedMemory:
    return SharedMemory(file.detach(), size)


def shared_memory(size: int) -> SharedMemory | None:
    """Shared memory of some bytes, or None on systems without unnamed memory."""
    if not hasattr(os, "memfd_create"):
        return None
    try:
        file = os.memfd_create("waypost")
        os.ftruncate(file, size)
    except OSError:
        return None
    return SharedMemory(file, size)
