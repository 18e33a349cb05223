"""Work that may take long or much, in a process of its own with an end to both.

Each piece of work gets a fresh process, forked from one that has everything loaded: it starts in a few milliseconds,
leaves nothing behind, and whoever ends it, we or the system, ends this piece of work alone. What runs is a few at a
time, what waits is a few more, and everybody else is told to come back.
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
_PAUSES_S = (0.005, 0.02, 0.1, 0.4)  # after each time that no process could be started
_CONTEXT = (
    multiprocessing.get_context("forkserver")
    if "forkserver" in multiprocessing.get_all_start_methods()
    else multiprocessing.get_context("spawn")
)


class Busy(NotReady):
    """As much is waiting as may wait. `retry_after_s` is when to come back."""

    retry_after_s = 1

    def __init__(self) -> None:
        super().__init__("too much is waiting to be judged; come back in a second")


class WorkerLost(NotReady):
    """The process was ended from outside before it was done."""

    def __init__(self) -> None:
        super().__init__("a worker process was ended from outside; ask again")


class TooHeavy(WaypostError):
    """The work took more time or memory than a piece of work may."""

    code, status = "too-heavy", 422

    def __init__(self, reason: str) -> None:
        super().__init__(f"this cannot be judged here: {reason}; use `waypost validate` for it")


class WorkFailed(WaypostError):
    """The work raised something. Only its type is told: its text may hold anything."""

    code, status = "internal", 500

    def __init__(self, kind: str) -> None:
        super().__init__(f"a worker process failed ({kind})")


class Pool:
    """Runs module-level functions in processes.

    workers       how many processes run at once, `waiting` how many pieces of work may wait for one
    wait_s        how long each may wait for its turn, `deadline_s` how long it may take then
    cpu_s         processor time, whole seconds; `memory_bytes` what it may take besides what was there
    preload       modules that the processes find loaded
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
        """What `work` returns. It and its arguments must be such as pickle takes.

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
        """End what runs, and wait for nothing."""
        with self._lock:
            self._closed = True
            for each in self._running:
                each.kill()
        self._threads.shutdown(wait=True, cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _leave(self, _: Future[Any] | None) -> None:
        with self._lock:
            self._pending -= 1

    def _done(self, begin_before: float, work: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """One piece of work, in a thread that waits for its process."""
        if time.monotonic() > begin_before:
            raise Busy
        ours, theirs = _CONTEXT.Pipe()
        process = _CONTEXT.Process(target=_work, args=(theirs, *self._limits), daemon=True)
        try:
            _start(process)
            theirs.close()
            with self._lock:
                self._running.add(process)
                if self._closed:
                    process.kill()
            late = threading.Event()
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
        """Why a process ended without an answer."""
        if self._closed:
            return Busy()
        if late.is_set() or process.exitcode == -_SIGXCPU:
            return TooHeavy("it takes too long")
        if process.exitcode == -signal.SIGABRT:  # how native code ends that gets no memory
            return TooHeavy("it takes too much memory")
        return WorkerLost()

    def _end(self, process: BaseProcess) -> None:
        if process.pid is not None:
            process.kill()
            process.join(1)
        with self._lock:
            self._running.discard(process)


def _start(process: BaseProcess) -> None:
    """Start a process. Raises WorkerLost.

    Where the one that it is forked from was ended, a new one comes as soon as the system tells of that: its socket is
    closed a little earlier.
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
    """What a process does: one piece of work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process of the terminal; the first one decides.
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
    if sys.platform == "win32":  # only the deadline holds there
        return
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu_s += int(used.ru_utime + used.ru_stime) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if taken := _address_space():
        resource.setrlimit(resource.RLIMIT_AS, (taken + memory_bytes, taken + memory_bytes))


def _address_space() -> int:
    """Bytes of address space this process has; 0 where the system does not tell, and then sets no limit."""
    try:
        import resource
        from pathlib import Path

        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except (OSError, ValueError):
        return 0
