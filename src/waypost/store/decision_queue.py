"""Queue of decisions from event loops to the store's writer.

Decisions of a turn of the loop form a batch: the writer is woken once per batch, and the loop once per batch.
"""

from __future__ import annotations

import asyncio

from waypost.store.decisions import DecisionRecord
from waypost.store.errors import StoreClosed
from waypost.store.writer import Writer

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
        try:
            self._writer.submit_batch(loop, rows, futures)
        except StoreClosed as error:
            for future in futures:
                if not future.done():
                    future.set_exception(error)
