"""Warm worker processes with limits on time and memory, for work that may be expensive.

Workers are forked from the fork server of multiprocessing, with all modules loaded and a document checked. A worker
does one piece of work at a time, and is replaced after many pieces or after growth. Documents travel unpickled, long
ones through memory shared by server and workers (`documents.py`). A worker past the deadline, or dead, costs one piece
of work alone, and is killed and replaced. Work of a worker ended from outside goes to another worker, once. Work waits
in a fair queue (`fair_queue.py`), for a limited time.
"""

from __future__ import annotations

import asyncio
import pickle
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from waypost.errors import NotReady, WaypostError
from waypost.isolation.documents import Document, Documents
from waypost.isolation.fair_queue import FairQueue, QueueFull, Turn
from waypost.isolation.lifeline import kill_fork_server
from waypost.isolation.pairs import connected
from waypost.isolation.process import processor_count
from waypost.isolation.start import FORK_SERVER, PAUSES_S, NotStarted, start_worker, took_too_long, took_too_much_memory
from waypost.isolation.worker import HEAD, LENGTH, TOO_MUCH_MEMORY, Limits
from waypost.tracing import span

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

Result = TypeVar("Result")

WAITING = 256
WAITING_EACH = 64
WAIT_S = 30.0
DEADLINE_S = 60.0  # for work that is blocked; what computes is ended by its processor time
CPU_S = 2.0
CPU_S_A_MEGABYTE = 5.0
MEMORY_BYTES = 256 << 20
GROWTH_BYTES = 128 << 20
PIECES = 1000
NO_TURN = Turn()
_LONGER_WAIT_S = 90.0
"""Most seconds of a longer wait because of earlier work."""
_RETAINED_BYTES = 32 << 20
_NICE = 5
PAUSE_S, MOST_PAUSE_S = 0.1, 5.0
"""Seconds before the next start after more ends in a row than workers, without work; at most."""


class Busy(NotReady):
    """Queue of the pool is full, or the work has waited too long. `retry_after_s` is in seconds."""

    def __init__(self, retry_after_s: int = 1) -> None:
        super().__init__("too much is waiting to be checked; come back later")
        self.retry_after_s = retry_after_s


class WorkerLost(NotReady):
    """Worker process was killed from outside, or could not be started."""

    def __init__(self) -> None:
        super().__init__("a worker process was ended from outside; ask again")


class TooHeavy(WaypostError):
    """Work exceeded the limit on time, memory or size of the result."""

    code, status = "too-heavy", 422

    def __init__(self, reason: str) -> None:
        super().__init__(f"this cannot be checked here: {reason}; use `waypost validate` for it")


class WorkFailed(WaypostError):
    """Exception of the work. Only the type is reported, as the message may contain parts of the document."""

    code, status = "internal", 500

    def __init__(self, kind: str) -> None:
        super().__init__(f"a worker process failed ({kind})")


def _failed(error: WaypostError) -> WaypostError:
    return WorkFailed(type(error).__qualname__)


def usual_workers(processes: int = 1) -> int:
    """Workers of each of several server processes: together as many as cores, and one more each.

    A single holder may use all except one, which is left for the others.
    """
    return max(-(-processor_count() // max(processes, 1)), 1) + 1


class Pool:
    """Pool that runs module-level functions in worker processes, for one event loop at a time.

    workers       processes at once
    each          processes of a holder at once; all except one unless given
    waiting       waiting pieces of work at most, and `waiting_each` of a holder
    wait_s        seconds of a wait at most, and longer by the time allowed for the size of earlier work
    deadline_s    seconds of a piece of work at most
    cpu_s         processor time of a piece of work, and `cpu_s_a_megabyte` more for each megabyte of its arguments
    memory_bytes  address space of a piece of work beyond the space of the idle worker
    growth_bytes  growth of a worker in address space before a replacement
    pieces        pieces of work before a replacement
    preload       modules imported by the fork server
    as_error      picklable error to raise for a WaypostError of the work; a module-level function
    """

    def __init__(
        self,
        *,
        workers: int = 2,
        each: int = 0,
        waiting: int = WAITING,
        waiting_each: int = WAITING_EACH,
        wait_s: float = WAIT_S,
        deadline_s: float = DEADLINE_S,
        cpu_s: float = CPU_S,
        cpu_s_a_megabyte: float = CPU_S_A_MEGABYTE,
        memory_bytes: int = MEMORY_BYTES,
        growth_bytes: int = GROWTH_BYTES,
        pieces: int = PIECES,
        preload: Sequence[str] = (),
        as_error: Callable[[WaypostError], WaypostError] = _failed,
    ) -> None:
        self._most = workers
        self._shares = {"most": waiting, "share": waiting_each, "at_once": each or max(workers - 1, 1)}
        self._wait_s = wait_s
        self.deadline_s = deadline_s
        self._cpu_s = (cpu_s, cpu_s_a_megabyte)
        self._limits = Limits(memory_bytes, growth_bytes, pieces, as_error, retained_bytes=_RETAINED_BYTES, nice=_NICE)
        self._closed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._queue: FairQueue[_Job] = FairQueue(**self._shares)
        self._workers: set[_Worker] = set()
        self._idle: list[_Worker] = []
        self._starting: set[asyncio.Task[None]] = set()
        self._least = 0
        self._admitted_bytes = 0
        self._lost, self._not_before = 0, 0.0
        self.documents = Documents()
        FORK_SERVER.set_forkserver_preload(list(preload))

    async def run(self, work: Callable[..., Result], *arguments: Any, turn: Turn = NO_TURN) -> Result:
        """Result of `work(*arguments)`, computed in a worker process. Function, arguments and result must be picklable.

        A first argument of bytes or a Document reaches the work as bytes, unpickled.
        Raises Busy, WorkerLost, TooHeavy and WorkFailed; and `as_error` of a WaypostError of the work.
        """
        self._attach()
        if self._closed:
            raise Busy
        document: bytes | Document = b""
        has_document = bool(arguments) and isinstance(arguments[0], bytes | Document)
        if has_document:
            document, *arguments = arguments  # type: ignore[assignment]
            document = self.documents.of(document)
        # Documents travel next to the call, so that pickling takes the same short time whatever their size.
        call = pickle.dumps((work, arguments, has_document), protocol=5)
        size = len(call) + len(document)
        fixed, by_size = self._cpu_s
        cpu_s = fixed + by_size * size / 1e6
        # Sixteen long pages are not a flood: whoever is admitted behind them waits for what they may take.
        longer_s = by_size * self._admitted_bytes / 1e6 / self._shares["at_once"]
        wait_s = self._wait_s + min(longer_s, _LONGER_WAIT_S)
        job = _Job(turn, call, document, cpu_s, wait_s, asyncio.get_running_loop().create_future())
        try:
            self._queue.add(turn, job)
        except QueueFull as full:
            raise Busy(full.retry_after_s) from None
        self._admitted_bytes += size
        try:
            self._assign()
            if not job.began:
                job.timer = asyncio.get_running_loop().call_later(job.wait_s, self._give_up, job)
            with span("waypost.pool", work=getattr(work, "__name__", "")):
                result: Result = await job.future
        finally:
            self._admitted_bytes -= size
        return result

    def warm(self) -> None:
        """Start all workers now, and replace each ended worker from now on."""
        self._attach()
        self._least = self._most
        self._assign()

    def close(self) -> None:
        """Kill the workers, and answer running and waiting work with Busy. Call on the loop of the pool."""
        self._closed = True
        for worker in [*self._workers]:
            worker.kill()
            if worker.job is not None:
                worker.job.fail(Busy())
        self._empty(Busy)
        self._workers.clear()
        self._idle.clear()

    async def ended(self, *, at_once: bool = False) -> None:
        """Wait, after `close`, for the end of workers whose start was under way.

        at_once  end a fork server during its start, which takes seconds on a busy machine
        """
        while at_once and self._starting:
            kill_fork_server()
            await asyncio.wait(self._starting, timeout=PAUSES_S[0])
        await asyncio.gather(*self._starting, return_exceptions=True)
        await asyncio.sleep(0)  # transports close in the next turn of the loop

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _attach(self) -> None:
        """Belong to the running loop. Workers of an earlier loop are ended."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            for worker in self._workers:
                worker.kill()
            self._queue = FairQueue(**self._shares)
            self._workers, self._idle, self._starting = set(), [], set()
            self._admitted_bytes = 0
            self._lost, self._not_before = 0, 0.0
            self._loop = loop

    def _assign(self) -> None:
        """Give waiting work to idle workers, and start workers for the rest."""
        while self._idle and len(self._queue):
            # A worker that was killed stays in the list until it is buried; work given to it would never be answered.
            if not self._idle[-1].is_open:
                self._idle.pop()
            elif taken := self._queue.next():
                turn, job = taken
                job.begin()
                self._idle.pop().begin(turn, job)
            else:
                break
        expected = max(self._least, min(self._most, self._busy + len(self._queue)))
        if asyncio.get_running_loop().time() < self._not_before:  # `lost` assigns again after the pause
            return
        for _ in range(expected - len(self._workers) - len(self._starting)):
            task = asyncio.ensure_future(self._start())
            self._starting.add(task)

    @property
    def _busy(self) -> int:
        return len(self._workers) - len(self._idle)

    async def _start(self) -> None:
        """Start a worker. Without success a piece of work is answered with WorkerLost."""
        loop = asyncio.get_running_loop()
        worker = None
        try:
            # In a thread: the fork server may have to be started first, which takes a second.
            ours, process = await loop.run_in_executor(
                None, start_worker, FORK_SERVER, self._limits, self.documents.memory, lambda: self._closed
            )
            worker = _Worker(self, process)
            await connected(ours, lambda: worker)
        except NotStarted:
            if taken := self._queue.next():
                taken[1].begin()
                taken[1].fail(WorkerLost())
                self._queue.done(taken[0], 0)
        finally:
            task = asyncio.current_task()
            if task is not None:
                self._starting.discard(task)
        if self._closed or loop is not self._loop:
            if worker is not None:
                worker.kill()
            return
        if worker is not None:
            self._workers.add(worker)
            self._idle.append(worker)
            self._assign()
        elif len(self._queue):
            self._assign()

    def _give_up(self, job: _Job) -> None:
        """Answer work after too long a wait."""
        if not job.began and not job.future.done():
            self._queue.drop(job.turn, job)
            job.fail(Busy(self._queue.retry_after_s(job.turn)))

    def _empty(self, error: type[Busy]) -> None:
        while taken := self._queue.next():
            taken[1].begin()
            taken[1].fail(error())
            self._queue.done(taken[0], 0)

    def finished(self, worker: _Worker, turn: Turn, seconds: float, *, stays: bool) -> None:
        """Take a worker back after its work; `stays` is false for an ending worker."""
        self._queue.done(turn, seconds)
        self._lost = 0
        if stays:
            self._idle.append(worker)
        else:
            self._workers.discard(worker)
        if not self._closed:
            self._assign()

    def takes_back(self, job: _Job) -> bool:
        """Queue work of a worker ended from outside again; false the second time, and for work without a caller."""
        if self._closed or job.again or job.future.done():
            return False
        job.again, job.began = True, False
        job.timer = asyncio.get_running_loop().call_later(job.wait_s, self._give_up, job)
        self._queue.put_back(job.turn, job)
        return True

    def lost(self, worker: _Worker) -> None:
        """Forget a worker ended without work."""
        self._workers.discard(worker)
        if worker in self._idle:
            self._idle.remove(worker)
        if not self._closed:
            self._pause()
            self._assign()

    def _pause(self) -> None:
        """Start no worker for a while after several ends without work in a row, longer each time."""
        self._lost += 1
        if self._lost <= self._most:
            return
        loop = asyncio.get_running_loop()
        pause_s = min(PAUSE_S * 2 ** min(self._lost - self._most, 10), MOST_PAUSE_S)
        self._not_before = loop.time() + pause_s
        loop.call_later(pause_s + 0.01, self._assign_again)

    def _assign_again(self) -> None:
        if not self._closed:
            self._assign()

    @property
    def is_closed(self) -> bool:
        return self._closed


class _Job:
    """Piece of work. `began`: given to a worker; `again`: to a second worker, for the first was ended from outside."""

    __slots__ = ("again", "began", "call", "cpu_s", "document", "future", "timer", "turn", "wait_s")

    def __init__(
        self,
        turn: Turn,
        call: bytes,
        document: bytes | Document,
        cpu_s: float,
        wait_s: float,
        future: asyncio.Future[Any],
    ) -> None:
        self.turn = turn
        self.call = call
        self.document = document
        self.cpu_s = cpu_s
        self.wait_s = wait_s
        self.future = future
        self.again = self.began = False
        self.timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        self.began = True
        if self.timer is not None:
            self.timer.cancel()

    def succeed(self, result: Any) -> None:
        if not self.future.done():
            self.future.set_result(result)

    def fail(self, error: Exception) -> None:
        # The loop of the future may be over when a pool is closed.
        if not self.future.done() and not self.future.get_loop().is_closed():
            self.future.set_exception(error)


class _Worker(asyncio.Protocol):
    """Worker process, at the other end of a pair of sockets."""

    def __init__(self, pool: Pool, process: BaseProcess) -> None:
        self._pool = pool
        self._process = process
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._received = bytearray()
        self._timer: asyncio.TimerHandle | None = None
        self._turn = NO_TURN
        self._began = 0.0
        self._late = False
        self.job: _Job | None = None

    @property
    def pid(self) -> int | None:
        return self._process.pid

    @property
    def is_open(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]

    def begin(self, turn: Turn, job: _Job) -> None:
        """Send a piece of work."""
        self.job, self._turn, self._began = job, turn, time.monotonic()
        # ITIMER_PROF does not count a worker that sleeps or blocks, so a timer kills it at the deadline.
        self._timer = self._loop.call_later(self._pool.deadline_s, self._too_late)
        assert self._transport is not None
        milliseconds, document = int(job.cpu_s * 1000), job.document
        if isinstance(document, Document):
            self._transport.write(HEAD.pack(milliseconds, len(job.call), 0, document.at, len(document)) + job.call)
        else:
            self._transport.write(HEAD.pack(milliseconds, len(job.call), len(document), 0, 0) + job.call + document)

    def data_received(self, data: bytes) -> None:
        self._received += data
        if len(self._received) < LENGTH:
            return
        length = int.from_bytes(self._received[:LENGTH], "big")
        # An answer may arrive in several pieces.
        if len(self._received) < LENGTH + length:
            return
        answer = memoryview(self._received)[LENGTH:]
        kind, result, stays = pickle.loads(answer)  # noqa: S301 - from our own process
        answer.release()
        self._received = bytearray()
        job = self._released()
        if job is None:
            return
        match kind:
            case "result":
                job.succeed(result)
            case "problem":
                job.fail(result)
            case "too heavy":
                job.fail(TooHeavy(result))
            case _:
                job.fail(WorkFailed(result))
        self._pool.finished(self, self._turn, time.monotonic() - self._began, stays=stays)
        if not stays:
            self.kill()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's signature
        if self._pool.is_closed:
            return
        task = asyncio.ensure_future(self._buried())
        _BURIALS.add(task)
        task.add_done_callback(_BURIALS.discard)

    def kill(self) -> None:
        """End the process at once."""
        with suppress(OSError, AttributeError):
            self._process.kill()
        if self._transport is not None and not self._loop.is_closed():
            self._transport.abort()

    async def _buried(self) -> None:
        """Wait for the end of the process, and answer its work with the reason."""
        job, seconds = self._released(), time.monotonic() - self._began
        await self._loop.run_in_executor(None, self._process.join, 1)
        if job is None:
            self._pool.lost(self)
            return
        why = self._why()
        if not (isinstance(why, WorkerLost) and self._pool.takes_back(job)):
            job.fail(why)
        self._pool.finished(self, self._turn, seconds, stays=False)
        self.kill()

    def _released(self) -> _Job | None:
        if self._timer is not None:
            self._timer.cancel()
        job, self.job = self.job, None
        return job

    def _too_late(self) -> None:
        self._late = True
        self._process.kill()

    def _why(self) -> WaypostError:
        """Error for a worker ended without an answer."""
        if self._pool.is_closed:
            return Busy()
        if self._late or took_too_long(self._process):
            return TooHeavy("it takes too long")
        if took_too_much_memory(self._process):
            return TooHeavy(TOO_MUCH_MEMORY)
        return WorkerLost()


_BURIALS: set[asyncio.Task[None]] = set()
"""Tasks waiting for ended processes; asyncio holds only weak references."""
