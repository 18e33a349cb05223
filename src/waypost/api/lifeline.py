"""End of a worker process whose parent has died.

A worker shares the listening socket: left alone it would go on serving, under settings that nobody can change, and the
port would stay taken.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from multiprocessing.connection import wait

DRAIN_S = 0.7
"""Seconds for running requests after the parent's death."""


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
    os._exit(1)
