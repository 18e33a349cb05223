"""Process for many pages: processors that it may use, its garbage collector and its memory."""

from __future__ import annotations

import gc
import os
from contextlib import suppress

RELEASE_AFTER = 20
"""Pages after which freed memory goes back to the system. The pages that follow fetch it again, 5 % of a run after 10
pages instead of 40; after 40 the peak comes near the 80 MB that a run may take."""
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of mallopt(3)
_LARGE_BLOCK = 1 << 20
"""Bytes from which a block is memory of its own: the system clears each anew, so that blocks of 256 kB, as large as a
page, took a tenth of a run."""
_MOST_FREE = 8 << 20
"""Bytes at the end of the heap that wait for the next page."""
GC_THRESHOLD = (20_000, 20, 20)
"""Thresholds for `gc`. Python's own 700 objects would trigger several searches while a page is read, 3 % of the time,
although a page leaves hardly any reference cycle."""


def processor_count() -> int:
    """Processors available to this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def release_free_memory() -> None:
    """Return freed memory to the system, where the C library can: pages of all sizes leave gaps that it would keep."""
    import ctypes

    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def return_large_blocks() -> None:
    """Let the C library give large blocks back to the system at once, where it can.

    glibc begins so, but keeps ever larger ones for later as soon as one is freed, and pages of all sizes leave gaps.
    """
    import ctypes

    with suppress(AttributeError, OSError, TypeError):
        library = ctypes.CDLL(None)
        library.mallopt(_M_MMAP_THRESHOLD, _LARGE_BLOCK)
        # The first call fixes this one at 128 kB, after which nearly every page would return its memory.
        library.mallopt(_M_TRIM_THRESHOLD, _MOST_FREE)


def tune_garbage_collector() -> None:
    """Exempt loaded objects from garbage collection, and collect rarely afterwards. Later calls have no effect."""
    if not gc.isenabled():
        gc.freeze()
        gc.set_threshold(*GC_THRESHOLD)
        gc.enable()
