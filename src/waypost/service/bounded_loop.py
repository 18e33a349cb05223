"""Event loop of a synchronous call, left within a bounded time whatever still runs in it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, TypeVar

LEAVE_S = 0.25
"""Seconds that tasks get to end after they were cancelled; the rest is abandoned."""

Result = TypeVar("Result")


class BoundedLoop:
    """Event loop that runs coroutines one after another and ends with the block.

    `asyncio.Runner` waits at its end until every task has ended, so a probe that swallows its cancellation, or a name
    lookup that hangs in a thread, would hold up an answer that was ready.
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
    """Wait a bounded time until all have ended; their errors are no one's."""
    done, _ = await asyncio.wait([asyncio.ensure_future(each) for each in running], timeout=LEAVE_S)
    for task in done:
        with suppress(asyncio.CancelledError):
            task.exception()
