"""Separate program in a conversation of messages: started, ended after its deadline, and outlived."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, Any, Generic, TypeVar

import msgspec

from waypost.isolation.messages import Inbox, send

Message = TypeVar("Message")
_START_S = 120.0
_PIPE_BYTES = 1 << 20
_READ_BYTES = 1 << 18
"""Most bytes of a read: more than a program sends during a pause."""


class ProgramEnded(Exception):
    """End of a program in the middle of a conversation. `outcome` is "timed_out" or "crashed"."""

    def __init__(self, outcome: str, reason: str) -> None:
        super().__init__(reason)
        self.outcome, self.reason = outcome, reason


class Watchdog:
    """Thread for ending programs past the deadline."""

    def __init__(self) -> None:
        self._programs: set[Program[Any]] = set()
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="waypost-watchdog", daemon=True)
        self._thread.start()

    def add(self, program: Program[Any]) -> None:
        with self._lock:
            self._programs.add(program)

    def discard(self, program: Program[Any]) -> None:
        with self._lock:
            self._programs.discard(program)

    def _run(self) -> None:
        # A limit of seconds needs no finer clock.
        while not self._closed.wait(0.2):
            now = time.monotonic()
            with self._lock:
                late = [each for each in self._programs if each.deadline < now]
            # Outside the lock: `kill` may take a moment, and `discard` waits for the lock.
            for program in late:
                program.end("timed_out")

    def close(self) -> None:
        """End every program, and the thread."""
        self._closed.set()
        with self._lock:
            programs = list(self._programs)
        for program in programs:
            program.end("closed")


class Program(Generic[Message]):
    """Running program that answers messages.

    start     first message, answered by `ready`
    decoder   decoder of the program's messages
    limit_s   seconds between two messages
    deadline  time of the next message at the latest, by the monotonic clock

    Raises ProgramEnded where the program does not start.
    """

    def __init__(
        self,
        command: Sequence[str],
        start: Any,
        decoder: msgspec.msgpack.Decoder[Message],
        limit_s: float,
        watchdog: Watchdog,
    ) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in `close`
        self._decoder, self._limit_s, self._watchdog = decoder, limit_s, watchdog
        self.ended_for = ""
        self.deadline = time.monotonic() + _START_S
        self._process = subprocess.Popen(  # noqa: S603 - our own program
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input: IO[bytes] = self._process.stdin
        self._output: IO[bytes] = self._process.stdout
        self._inbox = Inbox()
        _widen(self._output)
        watchdog.add(self)
        try:
            self.send(start)
            self.ready = self.next()
        except ProgramEnded as end:
            words = self._last_words()
            self.close()
            raise ProgramEnded(end.outcome, words or end.reason) from None

    def send(self, message: Any) -> None:
        """Send a message. Raises ProgramEnded."""
        try:
            send(self._input, message)
        except (OSError, ValueError):
            raise self._end() from None

    def next(self, pause_s: float = 0.0) -> Message:
        """Next message of the program. Raises ProgramEnded. `pause_s`: for further messages to arrive."""
        while (message := self._inbox.next()) is None:
            if pause_s:
                time.sleep(pause_s)
            try:
                data = os.read(self._output.fileno(), _READ_BYTES)
            except (OSError, ValueError):
                data = b""
            if not data:
                raise self._end()
            self._inbox.add(data)
            # Every message is a sign of life, so the limit is per page and not per unit.
            self.deadline = time.monotonic() + self._limit_s
        try:
            return self._decoder.decode(message)
        except msgspec.DecodeError:
            raise self._end() from None

    def rest(self) -> None:
        """No message is due until the next request."""
        self.deadline = float("inf")

    def _end(self) -> ProgramEnded:
        # The pipe closes before the status is there: a wait, so that the true status is read and not that of our kill.
        if not self.ended_for:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(5)
        self._process.kill()
        status = self._process.wait()
        # The program's own alarm ends it where the watchdog could not.
        if self.ended_for == "timed_out" or -status == getattr(signal, "SIGALRM", None):
            return ProgramEnded("timed_out", f"checking this page took more than {self._limit_s:g} s")
        return ProgramEnded("crashed", f"the program that checked this page {_how(status)}")

    def _last_words(self) -> str:
        """Last line of the program on standard error."""
        with suppress(OSError, ValueError):
            # The end suffices: only the last line is wanted.
            self._errors.seek(max(0, self._errors.seek(0, 2) - 2000))
            lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
            return lines[-1] if lines else ""
        return ""

    def end(self, why: str) -> None:
        self.ended_for = self.ended_for or why
        # So that the watchdog does not end it twice.
        self.deadline = float("inf")
        with suppress(OSError):
            self._process.kill()

    def close(self) -> None:
        self._watchdog.discard(self)
        for stream in (self._input, self._output):
            with suppress(OSError, ValueError):
                stream.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._errors.close()


def _widen(pipe: IO[bytes]) -> None:
    """Give a pipe room for the messages of a pause, where the system can."""
    with suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


def _how(status: int) -> str:
    if status >= 0:
        return f"ended with status {status}"
    try:
        return f"was ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"was ended by signal {-status}"
