"""End of a process by SIGTERM or SIGINT before it serves: at once, with exit status 0.

No answer can be lost yet, and a start may take seconds on a busy machine. While the process serves, the server has
handlers of its own, and running requests end first.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

SIGNALS = (signal.SIGTERM, signal.SIGINT)
LATEST_S = 1.0
"""Seconds for closing what is open."""


def end_on_signal() -> list[Any]:
    """End this process at the next SIGTERM or SIGINT. Handlers until now. Call in the main thread."""
    return [signal.signal(number, end) for number in SIGNALS]


@contextmanager
def ending_on_signal() -> Iterator[None]:
    """Context in which SIGTERM and SIGINT end this process. Enter in the main thread."""
    before = end_on_signal()
    try:
        yield
    finally:
        for number, handler in zip(SIGNALS, before, strict=True):
            signal.signal(number, handler)


def end(_: int, __: FrameType | None) -> None:
    """Handler of a signal: close what is open, and end after `LATEST_S` in any case."""
    # Python ignores an exception in a finalizer, and waits for threads at its end: the exception alone may be too late.
    threading.Thread(target=_end_later, name="waypost-end", daemon=True).start()
    raise SystemExit(0)


def _end_later() -> None:
    time.sleep(LATEST_S)
    os._exit(0)
