"""Decisions of an event loop on their way to the store's writer.

Those of one turn of the loop are one batch: the writer is woken once for all, and the loop once for all answers.
"""

from __future__ import annotations

import asyncio

from waypost.store.decisions import DecisionRecord
from waypost.store.errors import StoreClosed
from waypost.store.writer import Writer

_Batch = tuple[list[DecisionRecord], list[asyncio.Future[None]]]


class DecisionQueue:
    """The decisions that each running event loop has given in its present turn."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._batches: dict[asyncio.AbstractEventLoop, _Batch] = {}

    def submit(self, row: DecisionRecord) -> asyncio.Future[None]:
        """Store a decision. It is durable when the future is done; do not answer before. The future raises StoreError.

        Cancelling the future does not take the decision back.
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
