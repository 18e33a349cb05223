"""End of a process whose parent has died.

A worker shares the listening socket: without its parent the worker would go on serving under fixed settings, and keep
the port.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import wait

DRAIN_S = 0.7
"""Seconds for running requests after the parent's death."""
PARENT = "_WAYPOST_PARENT"
"""Environment variable with the process id of the process that starts a fork server."""
EVERY_S = 0.1
"""Seconds between two checks of the parent during a long start."""


def end_with_parent() -> None:
    """Watch the parent process, in a thread. Without a parent, as in a single process, nothing is watched."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_watch, args=(parent.sentinel,), name="waypost-lifeline", daemon=True).start()


def _watch(sentinel: int) -> None:
    """Wait for the parent's end, then shut down: in order, and after `DRAIN_S` in any case."""
    wait([sentinel])
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(DRAIN_S)
    kill_fork_server()
    os._exit(1)


def kill_fork_server() -> None:
    """Kill this process's fork server, if there is one: on a busy machine its own end may take seconds.

    The workers of the pool see the end of their stream. multiprocessing has no public name for the fork server's id.
    """
    module = sys.modules.get("multiprocessing.forkserver")
    pid = getattr(getattr(module, "_forkserver", None), "_forkserver_pid", None)
    if pid is not None:
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)


@contextmanager
def while_parent_lives() -> Iterator[None]:
    """End the process if its parent dies before or within the block.

    For the start of a fork server, which hears of the parent's death only after every module is loaded.
    """
    # On a busy machine the parent may be dead before this process runs its first line, so the parent names itself.
    # In the parent, which may import the same modules, the name is its own.
    named = int(os.environ.get(PARENT) or 0)
    done, parent = threading.Event(), os.getppid() if named in {0, os.getpid()} else named
    watch = threading.Thread(target=_end_without, args=(parent, done), name="waypost-lifeline", daemon=True)
    watch.start()
    try:
        yield
    finally:
        done.set()
        watch.join()  # a process with threads must not fork


def _end_without(parent: int, done: threading.Event) -> None:
    while os.getppid() == parent:
        if done.wait(EVERY_S):
            return
    os._exit(1)
