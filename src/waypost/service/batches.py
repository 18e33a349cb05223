"""Batches of checks: side by side within a share of the network checks, under one deadline, results in order.

The one mechanism of the API's batch, of AuthZEN evaluations, of the agents' server and of `waypost check --batch`.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")

LONGEST_S = 30.0
"""Longest deadline of a batch in seconds: proxies give up after 60."""
_AHEAD = 4
"""Checks begun or waiting for each place, so that a slow check at the front holds up no other."""
PLACE_UNTIL: ContextVar[float | None] = ContextVar("place_until", default=None)
"""End of the batch, by `time.monotonic`, until which a check waits for a place. None outside a batch."""


def batch_s(items: int, at_once: int, within_s: float) -> float:
    """Seconds for a batch: `within_s` for each round of checks at the same time, at most `LONGEST_S`."""
    return min(within_s * math.ceil(items / max(at_once, 1)), max(LONGEST_S, within_s))


async def in_order(
    works: Iterable[Callable[[], Awaitable[T]]], *, at_once: int, ends_in_s: float | None = None
) -> AsyncGenerator[T, None]:
    """Results of several pieces of work in order, `at_once` at the same time.

    ends_in_s  seconds until the deadline of the batch; None for none

    With one at a time, the next begins after the reader took the result before. Closing the iterator, or cancelling
    the reading task, cancels the running work.
    """
    free = asyncio.Semaphore(at_once)
    ahead = at_once * _AHEAD if at_once > 1 else 1
    waiting: deque[asyncio.Task[T]] = deque()
    ends = None if ends_in_s is None else time.monotonic() + ends_in_s

    async def run(work: Callable[[], Awaitable[T]]) -> T:
        async with free:
            PLACE_UNTIL.set(ends)
            return await work()

    try:
        for work in works:
            waiting.append(asyncio.create_task(run(work)))
            if len(waiting) >= ahead:
                await asyncio.wait({waiting[0]})
                yield waiting.popleft().result()
        while waiting:
            await asyncio.wait({waiting[0]})
            yield waiting.popleft().result()
    finally:
        # All at once: none may begin in a place that another has left.
        for task in waiting:
            task.cancel()
        # Their errors are no one's: the reader has ended.
        await asyncio.gather(*waiting, return_exceptions=True)
