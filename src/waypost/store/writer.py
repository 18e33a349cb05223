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

from waypost.store.faults import StoreClosed, StoreError, of_disk
from waypost.store.turn import Turn

Result = TypeVar("Result")
Work = Callable[[sqlite3.Connection], Result]
Outcome = tuple[Any, BaseException | None]
Hear = Callable[[list[Outcome], BaseException | None], object]
"""Is told, by the writing thread, what became of each piece of work; or, of none, why everything is lost."""


class Quick:
    """Work that one statement may do.

    once  does all of it by one statement, or nothing; whether it did. Raises IntegrityError
    work  does it in a transaction, as any other work
    """

    __slots__ = ("once", "work")

    def __init__(self, once: Callable[[sqlite3.Connection], bool], work: Work[Any]) -> None:
        self.once = once
        self.work = work

    def __call__(self, db: sqlite3.Connection) -> Any:
        return self.work(db)


class _Gathered:
    """Several pieces of work that each stand for themselves. Which they are is asked when their turn has come.

    It is its own future, with as much of one as the writer needs: nobody can give it up or wait for it.
    """

    __slots__ = ("_hear", "_one", "_take", "_works")

    def __init__(
        self, take: Callable[[], Sequence[Work[Any] | Quick]], hear: Hear, one: Callable[[Work[Any]], Any]
    ) -> None:
        self._take = take
        self._hear = hear
        self._one = one
        self._works: Sequence[Work[Any] | Quick] | None = None

    @property
    def works(self) -> Sequence[Work[Any] | Quick]:
        if self._works is None:
            self._works = self._take()
        return self._works

    def set_running_or_notify_cancel(self) -> bool:
        return True

    def set_result(self, outcomes: list[Outcome]) -> None:
        self._hear(outcomes, None)

    def set_exception(self, fault: BaseException) -> None:
        _ = self.works  # those who have gathered hear of it too
        self._hear([], fault)

    def is_done_at_once(self, db: sqlite3.Connection) -> bool:
        """Do it without a transaction around it, if it is one statement: SQLite makes its own of that.

        Each statement gives the interpreter to other threads and has to ask for it again.
        """
        works = self.works
        if len(works) != 1 or not isinstance(works[0], Quick):
            return False
        try:
            return works[0].once(db)
        except sqlite3.IntegrityError:
            return False  # in a transaction it is told which piece of work that was

    def alone(self, db: sqlite3.Connection) -> list[Outcome]:
        """Do it in a transaction of its own: one piece of work that fails is undone with that."""
        return [(self.works[0](db), None)] if len(self.works) == 1 else self(db)

    def __call__(self, db: sqlite3.Connection) -> list[Outcome]:
        outcomes: list[Outcome] = []
        for work in self.works:
            try:
                outcomes.append((self._one(work), None))
            except BaseException as fault:  # it belongs to whoever waits for it
                if not db.in_transaction:
                    raise
                outcomes.append((None, of_disk(fault) or fault))
        return outcomes


_Waiting = tuple[Work[Any], "Future[Any] | _Gathered"]

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
        done: list[tuple[Future[Any] | _Gathered, Any]] = []
        failed: list[tuple[Future[Any] | _Gathered, BaseException]] = []
        first, whose = batch[0] if batch else (None, None)
        alone = len(batch) == 1  # then the transaction is what is undone
        try:
            if alone and whose and isinstance(first, _Gathered):
                if first.is_done_at_once(self._db):
                    return partial(whose.set_result, [(None, None)])
                batch = [(first.alone, whose)]
            self._db.execute("BEGIN IMMEDIATE")
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

    def together(self, take: Callable[[], Sequence[Work[Any] | Quick]], hear: Hear) -> None:
        """Queue what gathers until its turn has come, as pieces of work that each stand for themselves.

        For those who answer many at once: they are woken once, and not once for each. `take` is called once, by the
        writing thread, before `hear`. Raises StoreClosed.
        """
        gathered = _Gathered(take, hear, self._one)
        with self._lock:
            if self._closed:
                raise StoreClosed
            self._queue.put((gathered, gathered))

    def _lost(self, batch: list[_Waiting], fault: BaseException) -> None:
        """Nothing of this transaction is kept, and everybody in it is told so."""
        with suppress(sqlite3.Error):  # whoever waits must hear of it all the same
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
        for _, future in batch:
            told = StoreError(f"the store could not write: {fault}")
            told.__cause__ = fault
            future.set_exception(told)
