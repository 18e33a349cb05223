"""What needs no registry is made by a second process while this one judges the examples: templates are compiled and
scripts made smaller in about as long as that takes."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

_FORKS = hasattr(os, "fork") and sys.platform != "darwin"  # its system libraries may have threads that nobody counts


@contextmanager
def begun(work: Callable[[], Any]) -> Iterator[Callable[[], Any]]:
    """A piece of work that a second process has begun; it ends with the block. What is given waits for its result,
    which must be something that `pickle` writes.

    The result is None, and the caller makes by itself what it needs, where no process can be split off safely (Windows,
    macOS, a second thread, one processor) or the work has failed: it fails again there, where its fault is told.
    """
    if not _FORKS or threading.active_count() > 1 or _processors() < 2:
        yield lambda: None
        return
    end, beginning = os.pipe()
    process = os.fork()
    if not process:
        _do(work, beginning, end)
    os.close(beginning)
    with os.fdopen(end, "rb") as file:
        try:
            yield lambda: _result(file.read())
        finally:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)  # it has written all that was asked for, or nobody asks any more
            os.waitpid(process, 0)


def _do(work: Callable[[], Any], pipe: int, other: int) -> None:
    """The second process: nothing of the first is flushed, closed or run at its end, and no fault is told twice."""
    try:
        os.close(other)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        data = pickle.dumps(work(), 5)
        with os.fdopen(pipe, "wb") as file:
            file.write(data)
    finally:
        os._exit(0)


def _result(data: bytes) -> Any:
    """Of what the second process wrote: nothing where it failed, and less than all where it was ended by another."""
    try:
        return pickle.loads(data)  # noqa: S301 - from a process of our own
    except (EOFError, pickle.UnpicklingError):
        return None


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
