"""Transport over standard input and output, a message a line."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, BinaryIO

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from waypost.mcp.wire import MOST_BYTES, Rejected, checked, own_words, too_long


class Output:
    """Standard output for the SDK: whole messages, errors in our own words."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._lock = anyio.Lock()

    async def write(self, text: str) -> None:
        await self.send(own_words(text.encode()))

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

    def __init__(self, file: BinaryIO, output: Output) -> None:
        self._file = file
        self._output = output

    async def __aiter__(self) -> AsyncIterator[str]:
        while line := await anyio.to_thread.run_sync(self._line, abandon_on_cancel=True):
            try:
                if isinstance(line, Rejected):
                    raise line
                if line.strip():
                    checked(line.strip())
                    yield line.decode()
            except Rejected as rejected:
                await self._output.send(rejected.answer)

    def _line(self) -> bytes | Rejected:
        """Next line, or a rejection of a line above the limit."""
        line = self._file.readline(MOST_BYTES + 2)
        if len(line) <= MOST_BYTES + 1:
            return line
        beginning = line[:4096]
        while line and not line.endswith(b"\n"):
            line = self._file.readline(1 << 20)
        return too_long(beginning)


def run(server: Server[Any]) -> None:
    """Serve over standard input and output until the client closes standard input."""
    # The protocol keeps standard output to itself: what anything else prints there goes to standard error.
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as out, os.fdopen(os.dup(sys.stdin.fileno()), "rb") as source:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        with open(os.devnull, "rb") as nothing:  # noqa: PTH123  a descriptor, not a path
            os.dup2(nothing.fileno(), sys.stdin.fileno())
        anyio.run(_serve, server, source, out)


async def _serve(server: Server[Any], source: BinaryIO, out: BinaryIO) -> None:
    output = Output(out)
    files: Any = (Input(source, output), output)  # the SDK iterates over the one, writes to and flushes the other
    async with stdio_server(*files) as (read, write):
        await server.run(read, write, server.create_initialization_options())
