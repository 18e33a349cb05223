"""Transport over standard input and output, a message a line."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from io import FileIO, RawIOBase
from typing import Any, BinaryIO

import anyio
import msgspec
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from waypost.mcp.wire import MOST_BYTES, Rejected, checked, too_long, with_own_error_text

_CHUNK = 1 << 16
DRAIN_S = 10.0
"""Longest wait for answers after the end of the input; a client that does not want them ends the process."""


class _Head(msgspec.Struct):
    """Id of an outgoing message, and the method of one that is a request."""

    id: Any = None
    method: Any = None


class Output:
    """Standard output for the SDK: whole messages, errors in our own words."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._lock = anyio.Lock()
        self._unanswered: set[Any] = set()
        self._all_answered = asyncio.Event()

    def expect(self, message: dict[str, Any]) -> None:
        """Note whether an incoming message will be answered, or withdraws one that would be."""
        if message.get("method") == "notifications/cancelled":
            cancelled = message.get("params", {}).get("requestId")
            self._unanswered -= {cancelled} if isinstance(cancelled, int | str) else set()
        elif "method" in message and "id" in message:
            self._unanswered.add(message["id"])

    async def drain(self) -> None:
        """Wait for the answers that are still to be written, up to DRAIN_S."""
        with anyio.move_on_after(DRAIN_S):
            while self._unanswered:
                self._all_answered.clear()
                await self._all_answered.wait()

    async def write(self, text: str) -> None:
        message = text.encode()
        await self.send(with_own_error_text(message))
        head = msgspec.json.decode(message, type=_Head)
        if head.method is None:
            self._unanswered.discard(head.id)
            self._all_answered.set()

    async def send(self, message: bytes) -> None:
        async with self._lock:
            await anyio.to_thread.run_sync(self._write, message.strip() + b"\n")

    def _write(self, data: bytes) -> None:
        with suppress(BrokenPipeError):  # the client left; its end of standard input says so too
            self._file.write(data)
            self._file.flush()

    async def flush(self) -> None:
        """No-op: `write` flushes."""


class Input:
    """Standard input for the SDK: valid messages only. Invalid lines are answered at once."""

    def __init__(self, source: RawIOBase, output: Output) -> None:
        self._source = source
        self._output = output

    async def __aiter__(self) -> AsyncIterator[str]:
        lines: asyncio.Queue[bytes | Rejected] = asyncio.Queue(maxsize=1)
        loop = asyncio.get_running_loop()

        def read() -> None:
            # After an interrupt the file or the loop is closed, or what was put is cancelled: nothing is to be read.
            with suppress(ValueError, RuntimeError, CancelledError):
                for line in lines_of(self._source):
                    taken = lines.put(line)
                    try:
                        asyncio.run_coroutine_threadsafe(taken, loop).result()
                    finally:
                        taken.close()

        # A daemon: nothing can interrupt a read, and a thread that is waited for would keep Ctrl-C from ending us.
        threading.Thread(target=read, name="standard input", daemon=True).start()
        while line := await lines.get():
            try:
                if isinstance(line, Rejected):
                    raise line
                if line.strip():
                    self._output.expect(checked(line.strip()))
                    yield line.decode()
            except Rejected as rejected:
                await self._output.send(rejected.answer)
        await self._output.drain()  # the SDK ends what is under way once its input ends


def lines_of(source: RawIOBase) -> Iterator[bytes | Rejected]:
    """Lines of a file, a rejection for each above the limit, and at the end empty bytes.

    Unbuffered, because Python's buffer has a lock that a waiting read holds: closing the file would wait for it too.
    """
    held, beginning = bytearray(), b""
    while chunk := source.read(_CHUNK):
        first, *more = chunk.split(b"\n")
        held += first
        for line in more:
            if beginning or len(held) > MOST_BYTES:
                yield too_long(beginning or bytes(held))
            else:
                yield bytes(held) + b"\n"
            held, beginning = bytearray(line), b""
        if len(held) > MOST_BYTES:
            beginning = beginning or bytes(held[:4096])
            held.clear()
    if beginning:
        yield too_long(beginning)
    elif held:
        yield bytes(held)
    yield b""


def run(server: Server[Any], close: Callable[[], Awaitable[None]]) -> None:
    """Serve over standard input and output until the client closes standard input, then await `close`."""
    # The protocol keeps standard output to itself: what anything else prints there goes to standard error.
    with (
        os.fdopen(os.dup(sys.stdout.fileno()), "wb") as out,
        FileIO(os.dup(sys.stdin.fileno())) as source,
    ):
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        with open(os.devnull, "rb") as nothing:  # noqa: PTH123  a descriptor, not a path
            os.dup2(nothing.fileno(), sys.stdin.fileno())
        try:
            anyio.run(_serve, server, source, out, close)
        except BaseExceptionGroup as group:
            # An interrupt closes the SDK's streams in any order: what is sent into one that is closed is not an error.
            if group.split((anyio.BrokenResourceError, anyio.ClosedResourceError))[1]:
                raise
            raise KeyboardInterrupt from None


async def _serve(server: Server[Any], source: RawIOBase, out: BinaryIO, close: Callable[[], Awaitable[None]]) -> None:
    output = Output(out)
    files: Any = (Input(source, output), output)  # the SDK iterates over the one, writes to and flushes the other
    try:
        async with stdio_server(*files) as (read, write):
            await server.run(read, write, server.create_initialization_options())
    finally:
        # On this loop: connections to a service belong to it. Shielded, because an interrupt cancels what is under way.
        with anyio.CancelScope(shield=True):
            await close()
