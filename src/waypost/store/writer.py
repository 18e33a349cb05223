"""Writer thread of the store. Jobs waiting at the same time share a transaction and a sync to disk.

Futures are resolved after the commit is on the disk. Every piece of work has a savepoint: failed work is undone
alone, and the error goes to the future of the failed work. Waiting decisions are inserted by a single statement,
without BEGIN and COMMIT: on PostgreSQL that is one round trip, and Python's sqlite3 releases the interpreter lock at
every statement, where waiting for the lock costs more than the insertion.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from waypost.store import decisions
from waypost.store.engines import Connection, Engine
from waypost.store.errors import StoreClosed, StoreError

if TYPE_CHECKING:
    import asyncio

    from waypost.store.decisions import DecisionRecord

    Loop = asyncio.AbstractEventLoop
    AnyFuture = Future[Any] | asyncio.Future[Any]

Result = TypeVar("Result")
Work = Callable[[Connection], Result]

MAX_JOBS = 512
"""Jobs of a transaction at most, which bounds the wait of a job."""


class _Job(NamedTuple):
    """Work with a single future, or rows with a future per row. `loop`: event loop of the futures, if any."""

    work: Work[Any] | None
    futures: Sequence[AnyFuture]
    rows: Sequence[DecisionRecord] = ()
    loop: Loop | None = None


class _Outcome(NamedTuple):
    """Result or error of a future."""

    result: Any = None
    error: BaseException | None = None


_STORED = _Outcome()


class Writer:
    """Owner of an engine's writing connection: no second thread may use it until `close` returns.

    changes  number of commits of work other than decisions
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._queue: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        # Between the check of `_closed` and the queueing: a job behind the end of the queue would never be answered.
        self._lock = threading.Lock()
        self.changes = 0
        self._unavailable: StoreError | None = None
        self._closed = False
        # A daemon, so that a process that ends without `close` does not hang; unacknowledged work is lost, as in a
        # crash.
        self._thread = threading.Thread(target=self._run, name="waypost-writer", daemon=True)
        self._thread.start()

    def submit(self, work: Work[Result]) -> Future[Result]:
        """Queue a piece of work. The future is done when the result is durable. Raises StoreClosed."""
        future: Future[Result] = Future()
        self._put(_Job(work, (future,)))
        return future

    def submit_from(self, loop: Loop, work: Work[Result]) -> asyncio.Future[Result]:
        """Queue a piece of work from an event loop. Cancelling the future cancels no work. Raises StoreClosed.

        The future belongs to `loop` and is resolved in the thread of `loop`.
        """
        future: asyncio.Future[Result] = loop.create_future()
        self._put(_Job(work, (future,), loop=loop))
        return future

    def submit_batch(self, loop: Loop, rows: Sequence[DecisionRecord], futures: Sequence[asyncio.Future[None]]) -> None:
        """Queue decisions from an event loop. `futures[n]` is done when `rows[n]` is durable. Raises StoreClosed."""
        self._put(_Job(None, futures, rows, loop))

    def close(self) -> None:
        """Finish the queued jobs and accept no more. A second call has no effect."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        self._thread.join()

    def _put(self, job: _Job) -> None:
        with self._lock:
            if self._closed:
                raise StoreClosed
            self._queue.put(job)

    def _run(self) -> None:
        last = False
        while not last and (first := self._queue.get()) is not None:
            locked = self._acquire()  # meanwhile more jobs may arrive
            jobs, last = self._drain(first)
            try:
                if not locked:
                    raise self._unavailable or TimeoutError("the database is locked by another process")
                outcomes = self._commit(jobs)
            except BaseException as cause:  # noqa: BLE001 - every future needs an answer
                outcomes = self._lost(jobs, cause)
            finally:
                if locked:
                    self._engine.release()
            for job, resolved in zip(jobs, outcomes, strict=True):  # other processes need not wait for this
                _notify(job, resolved)

    def _acquire(self) -> bool:
        self._unavailable = None
        try:
            return self._engine.acquire()
        except StoreError as error:
            self._unavailable = error
            return False

    def _drain(self, first: _Job) -> tuple[list[_Job], bool]:
        """Jobs queued now, from `first` on, without cancelled jobs; and whether the queue has ended."""
        jobs: list[_Job] = []
        job: _Job | None = first
        while job is not None:
            # Batches of an event loop cannot be cancelled: their rows are inserted all the same.
            future = job.futures[0]
            if not isinstance(future, Future) or future.set_running_or_notify_cancel():
                jobs.append(job)
            if len(jobs) == MAX_JOBS:
                return jobs, False
            try:
                job = self._queue.get_nowait()
            except queue.Empty:
                return jobs, False
        return jobs, True

    def _commit(self, jobs: Sequence[_Job]) -> list[list[_Outcome]]:
        """Commit the jobs; returns outcomes by job. Raises the error of a transaction undone as a whole."""
        if self._is_inserted_at_once(jobs):
            return [[_STORED] * len(job.rows) for job in jobs]
        db = self._engine.writing
        db.execute("BEGIN IMMEDIATE")
        outcomes = [[self._try(job.work)] if job.work else self._insert(job.rows) for job in jobs]
        db.execute("COMMIT")
        self.changes += 1
        with suppress(self._engine.error):  # the jobs are done and durable all the same
            self._engine.after_commit()
        return outcomes

    def _lost(self, jobs: Sequence[_Job], cause: BaseException) -> list[list[_Outcome]]:
        """Undo the transaction. Every future gets a separate error object, since raising adds a traceback."""
        with suppress(self._engine.error):
            if self._engine.writing.in_transaction:
                self._engine.writing.execute("ROLLBACK")
        return [[_Outcome(error=_could_not_write(cause)) for _ in job.futures] for job in jobs]

    def _is_inserted_at_once(self, jobs: Sequence[_Job]) -> bool:
        """Insert the jobs by a single statement, if only decisions wait. False: no row was inserted."""
        if not jobs or any(job.work for job in jobs):
            return False
        try:
            return decisions.put_at_once(self._engine.writing, [row for job in jobs for row in job.rows])
        except self._engine.integrity_error:
            return False  # savepoints will find the row

    def _insert(self, rows: Sequence[DecisionRecord]) -> list[_Outcome]:
        """Insert rows together; after an error singly, which keeps the good rows next to a bad row."""
        outcome = self._try(lambda db: decisions.put(db, *rows))
        if outcome.error is None or len(rows) == 1:
            return [outcome] * len(rows)
        return [outcome for row in rows for outcome in self._insert([row])]

    def _try(self, work: Work[Any]) -> _Outcome:
        """Do the work in a savepoint. Raises the error of work if the whole transaction was undone."""
        db = self._engine.writing
        db.execute("SAVEPOINT job")
        try:
            outcome = _Outcome(work(db))
        except BaseException as error:
            if not db.in_transaction:  # a full disk or a lost connection undoes it, and with it the savepoint
                raise
            db.execute("ROLLBACK TO job")
            outcome = _Outcome(error=self._engine.as_store_error(error) or error)
        db.execute("RELEASE job")
        return outcome


def _could_not_write(cause: BaseException) -> StoreError:
    if isinstance(cause, StoreError):
        return StoreError(str(cause))
    error = StoreError(f"the store could not write: {cause}")
    error.__cause__ = cause
    return error


def _notify(job: _Job, outcomes: Sequence[_Outcome]) -> None:
    """Resolve the futures of a job, in the thread of the event loop if the job has a loop."""
    if job.loop is None:
        _resolve(job.futures, outcomes)
        return
    with suppress(RuntimeError):  # the loop was closed: no task waits
        job.loop.call_soon_threadsafe(_resolve, job.futures, outcomes)


def _resolve(futures: Sequence[AnyFuture], outcomes: Sequence[_Outcome]) -> None:
    for future, outcome in zip(futures, outcomes, strict=True):
        if future.done():  # the task was cancelled; the work is done all the same
            continue
        if outcome.error is None:
            future.set_result(outcome.result)
        else:
            future.set_exception(outcome.error)
