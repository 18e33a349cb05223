"""Parent of several server processes: starts the processes, replaces an ended or hanging process, ends with all.

Only `Config` and `Server` of uvicorn are used, two documented classes. The supervisor of uvicorn waits up to five
seconds for an answer of each process before a signal is handled, and kills a process without an answer by then; on a
busy machine such a process has not started yet.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import uvicorn

from waypost.isolation.ending import SIGNALS, end_on_signal
from waypost.net.listen import Listening

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from types import FrameType

START_S = 60.0
"""Seconds for the start of a process."""
HANG_S = 5.0
"""Seconds for an answer of a process that has started."""
STARTUP_FAILURE = 3
"""Exit status of uvicorn for a process that could not start; another process would not either."""
_CHECK_S = 0.5
"""Seconds between two checks of the processes."""
_EVERY_S = 0.05
_SPAWN = multiprocessing.get_context("spawn")
_ENDS = SIGNALS
if sys.platform == "win32":
    _ENDS = (*SIGNALS, signal.SIGBREAK)
_HANDLED = ("HUP", "TTIN", "TTOU", "QUIT", "USR1", "USR2")
"""Signals in addition to the ending ones; QUIT, USR1 and USR2 do nothing."""


class Flag(threading.Event):
    """Event for signal handlers: without a lock, as the interrupted code may hold the lock."""

    def __init__(self) -> None:
        super().__init__()
        self._raised = False

    def is_set(self) -> bool:
        return self._raised

    def set(self) -> None:
        self._raised = True

    def wait(self, timeout: float | None = None) -> bool:
        until = math.inf if timeout is None else time.monotonic() + timeout
        while not self._raised and (left := until - time.monotonic()) > 0:
            time.sleep(min(left, _EVERY_S))
        return self._raised


class Worker:
    """Server process, seen by the parent. `serves` is true after the first answer of a started server."""

    def __init__(self, config: uvicorn.Config, sockets: list[Listening]) -> None:
        self._pipe, self._theirs = _SPAWN.Pipe()
        self._pinged_at = 0.0
        self.process = _SPAWN.Process(target=_serve, args=(config, sockets, self._theirs))
        self.serves = False

    @property
    def exitcode(self) -> int | None:
        return self.process.exitcode

    def start(self) -> None:
        self.process.start()
        # The parent's copy of the other end: while it is open, the pipe does not end with the process.
        self._theirs.close()

    def answers(self) -> bool:
        """Whether the process has answered in time; never waits."""
        now = time.monotonic()
        try:
            while self._pipe.poll(0):
                self.serves, self._pinged_at = self._pipe.recv(), 0.0
            if not self._pinged_at:
                self._pipe.send(b"ping")
                self._pinged_at = now
        except (OSError, EOFError):
            return False
        return now - self._pinged_at < (HANG_S if self.serves else START_S)

    def terminate(self) -> None:
        """Let the process end in order."""
        if self.process.exitcode is not None or self.process.pid is None:
            return
        if sys.platform == "win32":
            os.kill(self.process.pid, signal.CTRL_BREAK_EVENT)
        else:
            os.kill(self.process.pid, signal.SIGTERM)

    def kill(self) -> None:
        self.process.kill()

    def join(self) -> None:
        self.process.join()
        self._pipe.close()


def _serve(config: uvicorn.Config, sockets: list[Listening], pipe: Connection) -> None:
    """Serve until a signal: the main function of a server process."""
    if sys.platform == "win32":
        signal.signal(signal.SIGBREAK, lambda _, __: signal.raise_signal(signal.SIGTERM))
    else:
        end_on_signal()
    server = uvicorn.Server(config)
    threading.Thread(target=_answer, args=(pipe, server), daemon=True).start()
    # Loaded here, since `Server.serve` only notes a signal and goes on loading.
    config.load()
    with suppress(KeyboardInterrupt):
        server.run(sockets)


def _answer(pipe: Connection, server: uvicorn.Server) -> None:
    """Answer each ping of the parent with `server.started`."""
    with suppress(OSError, EOFError):
        while True:
            pipe.recv()
            pipe.send(server.started)


class Supervisor:
    """Server processes on shared sockets."""

    def __init__(self, config: uvicorn.Config, sockets: list[Listening]) -> None:
        self.config = config
        self.sockets = sockets
        self.count = config.workers
        self.processes: list[Worker] = []
        self.should_exit = Flag()
        self.could_not_start = False
        self._signals: list[int] = []
        self._handlers = {
            getattr(signal, f"SIG{name}"): getattr(self, f"on_{name.lower()}", None)
            for name in _HANDLED
            if hasattr(signal, f"SIG{name}")
        }
        for number in self._handlers:
            signal.signal(number, self._note)
        for number in _ENDS:
            signal.signal(number, lambda _, __: self.should_exit.set())

    def _note(self, number: int, _: FrameType | None) -> None:
        # A handler interrupts the parent anywhere, also while it replaces a process: `run` acts on it.
        self._signals.append(number)

    def run(self) -> None:
        """Serve until SIGTERM or SIGINT, or until a process cannot start."""
        for _ in range(self.count):
            if not self.should_exit.is_set():
                self.processes.append(self._started())
        while not self.should_exit.wait(_CHECK_S):
            while self._signals:
                handler: Any = self._handlers[self._signals.pop(0)]
                if handler is not None:
                    handler()
            self.keep_alive()
        # All at the same time: each may take until its last request is answered.
        for worker in self.processes:
            worker.terminate()
        for worker in self.processes:
            worker.join()

    def _started(self) -> Worker:
        worker = Worker(self.config, self.sockets)
        worker.start()
        return worker

    def keep_alive(self) -> None:
        """Replace the processes that ended or hang."""
        for index, worker in enumerate(self.processes):
            if self.should_exit.is_set():
                return
            if worker.process.is_alive() and worker.answers():
                continue
            worker.kill()
            worker.join()
            if worker.exitcode == STARTUP_FAILURE:
                self.could_not_start = True
                self.should_exit.set()
                return
            self.processes[index] = self._started()

    def on_hup(self) -> None:
        """Replace each process, once the new process serves. A new process that does not start changes nothing."""
        for index, old in enumerate(self.processes):
            # One after another, so that the others serve meanwhile.
            new = self._started()
            if not self._serves_in_time(new):
                new.kill()
                new.join()
                return
            old.terminate()
            old.join()
            self.processes[index] = new

    def _serves_in_time(self, worker: Worker) -> bool:
        until = time.monotonic() + START_S
        while time.monotonic() < until and worker.process.is_alive() and worker.answers():
            if worker.serves:
                return True
            if self.should_exit.wait(_EVERY_S):
                return False
        return False

    def on_ttin(self) -> None:
        """Start one process more."""
        self.processes.append(self._started())

    def on_ttou(self) -> None:
        """End the newest process, except the last."""
        if len(self.processes) > 1:
            worker = self.processes.pop()
            worker.terminate()
            worker.join()
