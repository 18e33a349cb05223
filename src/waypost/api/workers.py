"""Worker processes with limits on time and memory, for work that may be expensive.

Every piece of work gets a fresh process, forked from the fork server of multiprocessing, which has loaded all modules.
A worker starts in a few milliseconds, leaves no state behind, and can be killed alone, by the pool or by the system. A
few workers run at once, a few pieces of work wait, and further callers get Busy.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing.connection import Connection
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from waypost.errors import NotReady, WaypostError

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

Result = TypeVar("Result")

WORKERS = 1
WAITING = 8
WAIT_S = 5.0
DEADLINE_S = 10.0
CPU_S = 5
MEMORY_BYTES = 256 << 20
MOST_RESULT_BYTES = 64 << 20
PRELOAD = ("waypost.api._warm",)
_PAUSES_S = (0.005, 0.02, 0.1, 0.4)  # before each further attempt to start a worker
# forkserver: a plain fork would copy locks held by the server's threads. Windows has only spawn.
_CONTEXT = (
    multiprocessing.get_context("forkserver")
    if "forkserver" in multiprocessing.get_all_start_methods()
    else multiprocessing.get_context("spawn")
)


class Busy(NotReady):
    """Queue of the pool is full. `retry_after_s` is in seconds."""

    retry_after_s = 1

    def __init__(self) -> None:
        super().__init__("too much is waiting to be judged; come back in a second")


class WorkerLost(NotReady):
    """Worker process was killed from outside, or could not be started."""

    def __init__(self) -> None:
        super().__init__("a worker process was ended from outside; ask again")


class TooHeavy(WaypostError):
    """Work exceeded the limit on time, memory or size of the result."""

    code, status = "too-heavy", 422

    def __init__(self, reason: str) -> None:
        super().__init__(f"this cannot be judged here: {reason}; use `waypost validate` for it")


class WorkFailed(WaypostError):
    """Work raised an exception. Only the type is reported, as the message may contain parts of the document."""

    code, status = "internal", 500

    def __init__(self, kind: str) -> None:
        super().__init__(f"a worker process failed ({kind})")


class Pool:
    """Pool that runs module-level functions in worker processes.

    workers       processes that run at once
    waiting       pieces of work that may wait for a process
    wait_s        seconds that work may wait
    deadline_s    seconds that work may run
    cpu_s         processor time of a worker, whole seconds
    memory_bytes  address space of a worker beyond the size at its start
    preload       modules that the fork server imports
    """

    def __init__(
        self,
        *,
        workers: int = WORKERS,
        waiting: int = WAITING,
        wait_s: float = WAIT_S,
        deadline_s: float = DEADLINE_S,
        cpu_s: int = CPU_S,
        memory_bytes: int = MEMORY_BYTES,
        preload: Sequence[str] = PRELOAD,
    ) -> None:
        self._most = workers + waiting
        self._wait_s = wait_s
        self._deadline_s = deadline_s
        self._limits = (cpu_s, memory_bytes)
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="waypost-pool")
        self._lock = threading.Lock()
        self._pending = 0
        self._closed = False
        self._running: set[BaseProcess] = set()
        _CONTEXT.set_forkserver_preload(list(preload))

    async def run(self, work: Callable[..., Result], *arguments: Any) -> Result:
        """Result of `work(*arguments)`, computed in a worker process. Function, arguments and result must be picklable.

        Raises Busy, WorkerLost, TooHeavy and WorkFailed.
        """
        with self._lock:
            if self._closed or self._pending >= self._most:
                raise Busy
            self._pending += 1
        try:
            future = self._threads.submit(self._done, time.monotonic() + self._wait_s, work, arguments)
        except BaseException:
            self._leave(None)
            raise
        future.add_done_callback(self._leave)
        result: Result = await asyncio.wrap_future(future)
        return result

    def close(self) -> None:
        """Kill the running workers and cancel waiting work."""
        with self._lock:
            self._closed = True
            for process in self._running:
                process.kill()
        self._threads.shutdown(wait=True, cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _leave(self, _: Future[Any] | None) -> None:
        with self._lock:
            self._pending -= 1

    def _done(self, begin_before: float, work: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Result of a piece of work. Runs in a thread of the pool, which waits for the worker process."""
        if time.monotonic() > begin_before:
            raise Busy
        ours, theirs = _CONTEXT.Pipe()
        process = _CONTEXT.Process(target=_work, args=(theirs, *self._limits), daemon=True)
        try:
            _start(process)
            # Closed on this side, so that a dead worker ends `recv_bytes` with EOFError.
            theirs.close()
            with self._lock:
                self._running.add(process)
                if self._closed:
                    process.kill()
            late = threading.Event()
            # RLIMIT_CPU does not count a worker that sleeps or blocks, so a timer kills it at the deadline.
            timer = threading.Timer(self._deadline_s, _end, (process, late))
            timer.start()
            try:
                return self._answer(ours, process, late, pickle.dumps((work, arguments)))
            finally:
                timer.cancel()
        finally:
            ours.close()
            self._end(process)

    def _answer(self, line: Connection, process: BaseProcess, late: threading.Event, message: bytes) -> Any:
        try:
            line.send_bytes(message)
            answer = line.recv_bytes(MOST_RESULT_BYTES)
        except (EOFError, ConnectionError):
            process.join(1)
            raise self._why(process, late) from None
        except OSError:
            raise TooHeavy("its report would be too long") from None
        done, result = pickle.loads(answer)  # noqa: S301 - from our own process
        if done == "result":
            return result
        raise TooHeavy("it takes too much memory") if done == "memory" else WorkFailed(result)

    def _why(self, process: BaseProcess, late: threading.Event) -> WaypostError:
        """Error for a worker that ended without an answer."""
        if self._closed:
            return Busy()
        if late.is_set() or process.exitcode == -_SIGXCPU:
            return TooHeavy("it takes too long")
        if process.exitcode == -signal.SIGABRT:  # native code aborts when an allocation fails
            return TooHeavy("it takes too much memory")
        return WorkerLost()

    def _end(self, process: BaseProcess) -> None:
        if process.pid is not None:
            process.kill()
            process.join(1)
        with self._lock:
            self._running.discard(process)


def _start(process: BaseProcess) -> None:
    """Start a worker process. Raises WorkerLost.

    After the fork server was killed, its closed socket is noticed slightly before multiprocessing can start a new one;
    the pauses cover this gap.
    """
    for pause_s in _PAUSES_S:
        try:
            process.start()
        except (ConnectionError, EOFError):
            time.sleep(pause_s)
        else:
            return
    raise WorkerLost


_SIGXCPU = getattr(signal, "SIGXCPU", 0)


def _end(process: BaseProcess, late: threading.Event) -> None:
    late.set()
    process.kill()


def _work(line: Connection, cpu_s: int, memory_bytes: int) -> None:
    """Main function of a worker process: receive a piece of work, run the function, send the result."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process of the terminal; the server decides
    try:
        work, arguments = pickle.loads(line.recv_bytes())  # noqa: S301 - from our own process
        _limit(cpu_s, memory_bytes)
        answer = pickle.dumps(("result", work(*arguments)))
    except MemoryError:
        answer = pickle.dumps(("memory", None))
    except Exception as error:  # noqa: BLE001 - told by its type to whoever waits
        answer = pickle.dumps(("fault", type(error).__qualname__))
    line.send_bytes(answer)


def _limit(cpu_s: int, memory_bytes: int) -> None:
    if sys.platform == "win32":  # no resource limits on Windows; only the deadline applies
        return
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    # RLIMIT_CPU counts the time since the fork, imports included; one second more, as the sum is truncated.
    cpu_s += int(used.ru_utime + used.ru_stime) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
    # A core file would hold the caller's document.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if taken := _address_space():
        resource.setrlimit(resource.RLIMIT_AS, (taken + memory_bytes, taken + memory_bytes))


def _address_space() -> int:
    """Address space of this process in bytes; 0 if the system does not report the size, and then no limit is set."""
    try:
        import resource
        from pathlib import Path

        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except (OSError, ValueError):
        return 0
