"""Event loop of a synchronous call, left within a bounded time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, TypeVar

LEAVE_S = 0.25
"""Seconds for cancelled tasks to end; the rest is abandoned."""

Result = TypeVar("Result")


class BoundedLoop:
    """Event loop for coroutines one after another, closed at the end of the block.

    `asyncio.Runner` waits for every task, so a probe with a swallowed cancellation, or a name lookup hanging in a
    thread, would hold up a ready answer.
    """

    def __enter__(self) -> Self:
        """Raises RuntimeError inside a running event loop, as `asyncio.Runner` does."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            self._loop = asyncio.new_event_loop()
            return self
        raise RuntimeError("this call blocks, and an event loop runs in this thread; await the async one")

    def run(self, coroutine: Coroutine[Any, Any, Result]) -> Result:
        return self._loop.run_until_complete(coroutine)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            tasks = asyncio.all_tasks(self._loop)
            for task in tasks:
                task.cancel()
            if tasks:
                self._loop.run_until_complete(_ended(*tasks))
            self._loop.run_until_complete(_ended(self._loop.shutdown_asyncgens()))
        finally:
            # Waits for no thread of the loop's executor.
            self._loop.close()


async def _ended(*running: Awaitable[Any]) -> None:
    """Wait a bounded time for the end of all; errors are dropped."""
    done, _ = await asyncio.wait([asyncio.ensure_future(each) for each in running], timeout=LEAVE_S)
    for task in done:
        with suppress(asyncio.CancelledError):
            task.exception()
