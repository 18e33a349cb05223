"""Workers of a caller without an event loop: messages of a worker as they come, results of many in order."""

from __future__ import annotations

import pickle
import selectors
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from waypost.errors import WaypostError
from waypost.isolation.start import NotStarted, end_of, start_worker, took_too_long
from waypost.isolation.worker import HEAD, LENGTH, Limits

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext

    from waypost.isolation.pairs import End

Item = TypeVar("Item")
Result = TypeVar("Result")
_READ_BYTES = 1 << 18
"""Most bytes of a read: more than a worker sends during a pause."""
_PAUSE_S = 0.004
"""Pause before the results of parts are read: a wake-up for each costs more than to read it."""
_JOIN_S = 5
AHEAD = 4
"""Parts for each worker that may be under way or done behind the next result."""
MOST_IDLE_DEATHS = 3
"""Deaths of workers before their first item, before the run is given up."""


class WorkerEnded(Exception):
    """End of a worker in the middle of its work. `outcome` is "timed_out", "out_of_memory", "failed" or "crashed"."""

    def __init__(self, outcome: str, reason: str) -> None:
        super().__init__(reason)
        self.outcome, self.reason = outcome, reason


class Worker:
    """Worker process that does one piece of work at a time for a synchronous caller.

    deadline_s  seconds between two messages at most; None sets no limit
    cpu_s       processor time between two messages; 0 sets no limit

    Raises WorkerEnded where no process can be started.
    """

    end: End

    def __init__(
        self,
        context: BaseContext,
        limits: Limits = Limits(),  # noqa: B008 - immutable
        *,
        deadline_s: float | None = None,
        cpu_s: float = 0,
        others: Iterable[Worker] = (),
    ) -> None:
        try:
            self.end, self._process = start_worker(context, limits, inherited=[each.end for each in others])
        except (NotStarted, OSError) as error:
            raise WorkerEnded("crashed", f"no process can be started: {error}") from None
        self._received = bytearray()
        self._milliseconds = int(cpu_s * 1000)
        self.deadline_s = deadline_s
        self.is_busy, self.stays = False, True

    def fileno(self) -> int:
        return self.end.fileno()

    def begin(self, work: Callable[..., Any], *arguments: Any) -> None:
        """Send a piece of work: a module-level function and picklable arguments."""
        call = pickle.dumps((work, arguments, False), protocol=5)
        self.is_busy = True
        self.end.settimeout(self.deadline_s)
        with suppress(OSError):  # of an ended worker: `arrived` says why
            self.end.sendall(HEAD.pack(self._milliseconds, len(call), 0, 0, 0) + call)

    def arrived(self) -> Generator[Any, None, Any]:
        """Messages of the work that one read brings; the result of work that sends none is the return value.

        Waits for the first byte. Raises WorkerEnded, also for an error of the work, and a WaypostError of the work.
        """
        self.end.settimeout(self.deadline_s)
        try:
            data = self.end.recv(_READ_BYTES)
        except OSError as error:
            raise self._ended(late=isinstance(error, TimeoutError)) from None
        if not data:
            raise self._ended()
        self._received += data
        at, result = 0, None
        while len(self._received) >= at + LENGTH:
            end = at + LENGTH + int.from_bytes(self._received[at : at + LENGTH], "big")
            if len(self._received) < end:
                break
            kind, value, self.stays = pickle.loads(memoryview(self._received)[at + LENGTH : end])  # noqa: S301 - ours
            at = end
            if kind == "message":
                yield value
                continue
            self.is_busy, result = False, value
            if kind == "problem":
                raise value
            if kind != "result":
                self.close()
                raise WorkerEnded(
                    *(("out_of_memory", value) if kind == "too heavy" else ("failed", f"failed ({value})"))
                )
        del self._received[:at]
        return result

    def stream(self, work: Callable[..., Any], *arguments: Any, pause_s: float = 0.0) -> Generator[Any, None, Any]:
        """Messages of a piece of work, or its result as the return value. `pause_s`: for further messages to arrive.

        Raises WorkerEnded.
        """
        self.begin(work, *arguments)
        result = None
        while self.is_busy:
            if pause_s:
                time.sleep(pause_s)
            result = yield from self.arrived()
        return result

    def result(self, work: Callable[..., Result], *arguments: Any) -> Result:
        """Result of a piece of work. Raises WorkerEnded."""
        running = self.stream(work, *arguments)
        while True:
            try:
                next(running)
            except StopIteration as end:
                found: Result = end.value
                return found

    def kill(self) -> None:
        """End the process at once; safe to call from another thread."""
        with suppress(OSError, ValueError):
            self._process.kill()

    def close(self) -> None:
        """End the process, and wait for its end."""
        self.kill()
        self.end.close()
        self._process.join(_JOIN_S)

    def _ended(self, *, late: bool = False) -> WorkerEnded:
        # The stream closes before the status is there: a wait, so that the status is not that of our kill.
        if not late:
            self._process.join(_JOIN_S)
        self.close()
        if late or took_too_long(self._process):
            return WorkerEnded("timed_out", "it takes too long")
        return WorkerEnded("crashed", end_of(self._process))


def results_in_order(
    work: Callable[..., Iterator[Result]],
    items: Sequence[Item],
    *arguments: Any,
    start: Callable[[Iterable[Worker]], Worker],
    workers: int,
    at_a_time: int,
) -> Iterator[Result | WorkerEnded]:
    """Result of each item, in order; the end of its worker for an item that has ended two.

    work       yields a result for each item of a part: `work(part, *arguments)`
    start      starts a worker beside others
    at_a_time  items of a part

    Raises WaypostError where workers end before their first item.
    """
    waiting = deque(_Part(n, items[n : n + at_a_time]) for n in range(0, len(items), at_a_time))
    done: dict[int, Result | WorkerEnded] = {}
    idle: list[Worker] = []
    running: dict[Worker, _Part[Item]] = {}
    idle_deaths = at = 0
    with selectors.DefaultSelector() as selector:
        try:
            while at < len(items):
                while waiting and len(running) < workers and waiting[0].next < at + AHEAD * workers * at_a_time:
                    worker = idle.pop() if idle else start([*idle, *running])
                    running[worker] = part = waiting.popleft()
                    selector.register(worker, selectors.EVENT_READ)
                    worker.begin(_announced, work, part.left, arguments)
                selector.select()
                time.sleep(_PAUSE_S)
                for key, _ in selector.select(0):
                    worker = cast("Worker", key.fileobj)
                    part = running[worker]
                    try:
                        for message in worker.arrived():
                            part.take(message, done)
                    except WorkerEnded as end:
                        selector.unregister(worker)
                        del running[worker]
                        waiting.extendleft(part.rest(end, done))
                        idle_deaths += not part.is_begun
                        if idle_deaths > MOST_IDLE_DEATHS:
                            raise WaypostError(
                                "worker processes are ended from outside, perhaps for lack of memory; try --jobs 1"
                            ) from None
                        continue
                    if not worker.is_busy:
                        selector.unregister(worker)
                        del running[worker]
                        if worker.stays:
                            idle.append(worker)
                        else:
                            worker.close()
                while at in done:
                    yield done.pop(at)
                    at += 1
        finally:
            for worker in (*idle, *running):
                worker.close()


def _announced(work: Callable[..., Iterator[Result]], part: Sequence[Item], arguments: Sequence[Any]) -> Iterator[Any]:
    """Results of a part behind a first message, which says that the worker has begun."""
    yield None
    yield from work(part, *arguments)


class _Part(Generic[Item]):
    """Consecutive items for a worker. `next` is the number of the first without a result."""

    def __init__(self, first: int, items: Sequence[Item], *, is_again: bool = False) -> None:
        self.next, self.left, self._is_again = first, items, is_again
        self.is_begun = False

    def take(self, message: Any, done: dict[int, Any]) -> None:
        if self.is_begun:
            done[self.next] = message
            self.next, self.left = self.next + 1, self.left[1:]
        self.is_begun = True

    def rest(self, end: WorkerEnded, done: dict[int, Any]) -> Iterator[_Part[Item]]:
        """Parts to do after the end of the worker, the first of them last."""
        if not self.is_begun:
            yield self
        elif self.left:
            if self.left[1:]:
                yield _Part(self.next + 1, self.left[1:])
            # Of the items the first without a result ended the worker, or it was ended from outside.
            if self._is_again:
                done[self.next] = end
            else:
                yield _Part(self.next, self.left[:1], is_again=True)
