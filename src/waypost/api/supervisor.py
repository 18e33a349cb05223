"""Parent of several server processes: starts the processes, replaces an ended or hanging process, ends with all.

The supervisor of uvicorn waits up to five seconds for an answer of each process before a signal is handled, and kills a
process without an answer by then; on a busy machine such a process has not started yet.
"""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from typing import TYPE_CHECKING

from uvicorn.supervisors.multiprocess import Multiprocess, Process

from waypost.api.ending import SIGNALS, end_on_signal
from waypost.net.listen import Listening

if TYPE_CHECKING:
    from uvicorn import Config

START_S = 60.0
"""Seconds for the start of a process."""
HANG_S = 5.0
"""Seconds for an answer of a process that has started."""
STARTUP_FAILURE = 3
"""Exit status of uvicorn for a process that could not start; another process would not either."""
_EVERY_S = 0.05


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


class Worker(Process):
    """Server process. In the parent, `serves` is true once the process has answered that it serves."""

    def __init__(self, config: Config, sockets: list[Listening]) -> None:
        super().__init__(config, sockets)
        self._pinged_at = 0.0
        self.serves = False

    def target(self, sockets: list[Listening] | None = None) -> None:
        if os.name == "nt":
            super().target(sockets)
            return
        end_on_signal()
        server = self.server  # made before the other thread looks at it
        threading.Thread(target=self.always_pong, daemon=True).start()
        # Loaded here, since `Server.serve` only notes a signal and goes on loading.
        self.config.load()
        server.run(sockets)

    def answers(self) -> bool:
        """Whether the process has answered in time; never waits."""
        now = time.monotonic()
        try:
            while self.parent_conn.poll(0):
                self.serves, self._pinged_at = self.parent_conn.recv(), 0.0
            if not self._pinged_at:
                self.parent_conn.send(b"ping")
                self._pinged_at = now
        except (OSError, EOFError):
            return False
        return now - self._pinged_at < (HANG_S if self.serves else START_S)


class Supervisor(Multiprocess):
    """Server processes on shared sockets."""

    def __init__(self, config: Config, sockets: list[Listening]) -> None:
        super().__init__(config, sockets)
        self.should_exit = Flag()
        for number in SIGNALS:
            signal.signal(number, lambda _, __: self.should_exit.set())

    def _started(self) -> Worker:
        worker = Worker(self.config, self.sockets)
        worker.start()
        return worker

    def init_processes(self) -> None:
        for _ in range(self.processes_num):
            if not self.should_exit.is_set():
                self.processes.append(self._started())

    def keep_subprocess_alive(self) -> None:
        """Replace the processes that ended or hang."""
        for index, worker in enumerate(self.processes):
            if self.should_exit.is_set():
                return
            if worker.process.is_alive() and (not isinstance(worker, Worker) or worker.answers()):
                continue
            worker.kill()
            worker.join()
            if worker.exitcode == STARTUP_FAILURE:
                self.should_exit.set()
                return
            self.processes[index] = self._started()

    def restart_all(self) -> None:
        """Replace each process, once the new process serves. A new process that does not start changes nothing."""
        for index, old in enumerate(self.processes):
            new = self._started()
            if not new.wait_until_ready(START_S, self.should_exit):
                new.kill()
                new.join()
                return
            old.terminate()
            old.join()
            self.processes[index] = new

    def handle_ttin(self) -> None:
        self.processes_num += 1
        self.processes.append(self._started())
