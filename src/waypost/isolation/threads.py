"""Threads for providers that may hang: no store or list holds up an answer past the deadline.

The threads are daemons and few: a hanging provider costs a thread, and no process waits at the end for such a thread.
"""

from __future__ import annotations

import asyncio
import os
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from functools import partial
from typing import Any, TypeVar

Result = TypeVar("Result")

MOST = 8
"""Most threads; with so many providers hanging, further calls wait and run out of time."""
LEAST_S = 0.05
"""Least seconds for a provider, where the network has used up the time."""


Call = tuple[Callable[[], object], Future[Any]]


class ProviderThreads:
    """Calls of providers in other threads, with the caller's context. The threads end with the object.

    most  threads at most; further calls wait
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._calls: queue.SimpleQueue[Call | None] = queue.SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._started = 0

    def submit(self, provide: Callable[[], Result]) -> Future[Result]:
        """Future result of a provider. Not thread-safe: for a single event loop."""
        if self._process != os.getpid():  # a forked process has no threads
            self._begin()
        future: Future[Result] = Future()
        # The thread sees the organization of the request.
        context = copy_context()
        self._calls.put((partial(context.run, provide), future))
        if not self._idle.acquire(blocking=False) and self._started < self._most:
            self._started += 1
            arguments = (self._calls, self._idle)
            threading.Thread(target=_work, args=arguments, name="waypost-provider", daemon=True).start()
        return future

    def __del__(self) -> None:
        for _ in range(self._started):
            self._calls.put(None)


def _work(calls: queue.SimpleQueue[Call | None], idle: threading.Semaphore) -> None:
    """Run calls until None. Holds no reference to the object, so that the object can end."""
    while (call := calls.get()) is not None:
        provide, future = call
        try:
            future.set_result(provide())
        except BaseException as error:  # noqa: BLE001  the caller raises it
            future.set_exception(error)
        # A thread that waits for the next call must not keep the objects of the last one.
        del call, provide, future
        idle.release()


async def within(future: Future[Result], seconds: float) -> Result:
    """Result of a provider. Raises TimeoutError after some seconds, and the errors of the provider."""
    if not future.done():
        waiting = asyncio.wrap_future(future)
        # The error is raised below, or no one waits for it any more: asyncio must not report it with a traceback.
        waiting.add_done_callback(lambda done: done.cancelled() or done.exception())
        await asyncio.wait({waiting}, timeout=max(seconds, LEAST_S))
    return future.result(0)
