"""The one thread that writes. Those who wait at the same time share a transaction and the one wait for the disk.

Each piece of work has its own savepoint: one that fails is undone alone and gets its own error; the others
keep their results. Nobody is told of success before the commit is on the disk.
"""

from __future__ import annotations

import queue
import sqlite3
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from waypost.store.faults import StoreClosed, StoreFault, of_disk
from waypost.store.turn import Turn

Result = TypeVar("Result")
Work = Callable[[sqlite3.Connection], Result]
Outcome = tuple[Any, BaseException | None]
_Waiting = tuple[Work[Any], "Future[Any]"]

MOST_TOGETHER = 512
"""Pieces of work that share a transaction at the most: nobody waits for more than these."""


class Writer:
    """Takes a connection over: no other thread may use it until `close` has returned, which leaves it open."""

    def __init__(self, db: sqlite3.Connection, turn: Turn) -> None:
        self._db = db
        self._turn = turn
        self._queue: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="waypost-writer", daemon=True)
        self._thread.start()

    def submit(self, work: Work[Result]) -> Future[Result]:
        """Queue a piece of work. Its future has the result once it is durable, or the error. Raises StoreClosed."""
        future: Future[Result] = Future()
        with self._lock:
            if self._closed:
                raise StoreClosed
            self._queue.put((work, future))
        return future

    def close(self) -> None:
        """Finish what is queued and take no more. A second call does nothing."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        last = False
        while not last and (first := self._queue.get()) is not None:
            ours = self._turn.take()  # meanwhile others may join
            batch, last = self._joined(first)
            if not ours:
                self._lost(batch, TimeoutError("the database is locked by another process"))
                continue
            try:
                tell = self._commit(batch)
            finally:
                self._turn.give()
            tell()

    def _joined(self, first: _Waiting) -> tuple[list[_Waiting], bool]:
        """Everything that waits; and whether nothing comes after it."""
        batch: list[_Waiting] = []
        waiting: _Waiting | None = first
        while waiting is not None:
            if waiting[1].set_running_or_notify_cancel():
                batch.append(waiting)
            if len(batch) == MOST_TOGETHER:
                return batch, False
            try:
                waiting = self._queue.get_nowait()
            except queue.Empty:
                return batch, False
        return batch, True

    def _commit(self, batch: list[_Waiting]) -> Callable[[], None]:
        """Do the work in one transaction. What it returns tells those who wait: nobody's turn need last for that."""
        done: list[tuple[Future[Any], Any]] = []
        failed: list[tuple[Future[Any], BaseException]] = []
        try:
            self._db.execute("BEGIN IMMEDIATE")
            alone = len(batch) == 1  # then the transaction is what is undone
            for work, future in batch:
                try:
                    done.append((future, work(self._db) if alone else self._one(work)))
                except BaseException as fault:  # it belongs to whoever waits for it
                    failed.append((future, of_disk(fault) or fault))
                    if not self._db.in_transaction:
                        raise
            self._db.execute("ROLLBACK" if alone and failed else "COMMIT")
        except BaseException as fault:  # noqa: BLE001 - the same
            return partial(self._lost, batch, fault)

        def tell() -> None:
            for future, result in done:
                future.set_result(result)
            for future, why in failed:
                future.set_exception(why)

        return tell

    def _one(self, work: Work[Any]) -> Any:
        self._db.execute("SAVEPOINT one")
        try:
            result = work(self._db)
        except BaseException:
            # A full disk undoes the whole transaction by itself, and with it the savepoint.
            if self._db.in_transaction:
                self._db.execute("ROLLBACK TO one")
                self._db.execute("RELEASE one")
            raise
        self._db.execute("RELEASE one")
        return result

    def together(self, works: Sequence[Work[Any]]) -> Future[list[Outcome]]:
        """Queue several pieces of work as one that each stand for themselves. Raises StoreClosed.

        For those who answer many at once: they are woken once, and not once for each.
        """

        def each(db: sqlite3.Connection) -> list[Outcome]:
            outcomes: list[Outcome] = []
            for work in works:
                try:
                    outcomes.append((self._one(work), None))
                except BaseException as fault:  # it belongs to whoever waits for it
                    if not db.in_transaction:
                        raise
                    outcomes.append((None, of_disk(fault) or fault))
            return outcomes

        return self.submit(each)

    def _lost(self, batch: list[_Waiting], fault: BaseException) -> None:
        """Nothing of this transaction is kept, and everybody in it is told so."""
        with suppress(sqlite3.Error):  # whoever waits must hear of it all the same
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
        for _, future in batch:
            told = StoreFault(f"the store could not write: {fault}")
            told.__cause__ = fault
            future.set_exception(told)
