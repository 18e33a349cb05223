"""Queue of decisions from event loops to the store's writer.

Decisions of a turn of the loop form a batch: the writer is woken once per batch, and the loop once per batch.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from waypost.store.decisions import DecisionRecord
from waypost.store.errors import StoreClosed, StoreError
from waypost.store.writer import Writer

SAVE_S = 3.0
"""Seconds that an answer waits for its decision to be durable."""

_Batch = tuple[list[DecisionRecord], list[asyncio.Future[None]]]


class DecisionQueue:
    """Decisions of the present turn, by running event loop."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._batches: dict[asyncio.AbstractEventLoop, _Batch] = {}

    def submit(self, row: DecisionRecord) -> asyncio.Future[None]:
        """Store a decision, which is durable when the future is done; do not answer before. Raises StoreError then.

        Cancelling the future does not cancel the insertion.
        """
        loop = asyncio.get_running_loop()
        batch = self._batches.get(loop)
        if batch is None:
            batch = self._batches[loop] = ([], [])
            loop.call_soon(self._submit_batch, loop)
        future: asyncio.Future[None] = loop.create_future()
        batch[0].append(row)
        batch[1].append(future)
        return future

    def _submit_batch(self, loop: asyncio.AbstractEventLoop) -> None:
        rows, futures = self._batches.pop(loop)
        loop.call_later(SAVE_S, _give_up, futures)
        try:
            self._writer.submit_batch(loop, rows, futures)
        except StoreClosed as error:
            for future in futures:
                if not future.done():
                    future.set_exception(error)


def _give_up(futures: Iterable[asyncio.Future[None]]) -> None:
    """End the wait for a store that hangs. The outcome is unknown: a decision may become durable, unanswered."""
    for future in futures:
        if not future.done():
            future.set_exception(StoreError("the store does not answer in time"))
