"""Lock for a single writer at a time, across the processes with the same store open.

SQLite waits for another process by sleeping ever longer, up to a tenth of a second: under load a process starves the
next. Before 3.51.3 SQLite could, very rarely, lose written data while two connections copied the log back at the same
moment (sqlite.org/wal.html, "WAL-reset bug", read 2026-11-22). Therefore a writer acquires the lock before a
transaction, and releases the lock after the commit.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

if sys.platform != "win32":  # where SQLite's own waiting has to do
    from fcntl import LOCK_EX, LOCK_NB, LOCK_UN, flock

STEP_S = 0.0005


class WriteLock:
    """Lock on the folder of a store, held by the writing process; released by the system when the process dies.

    The folder is locked, since closing a second handle of the store's file would end SQLite's locks on the file.
    """

    def __init__(self, folder: Path, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._handle = os.open(folder, os.O_RDONLY) if sys.platform != "win32" else -1

    def acquire(self) -> bool:
        """Whether the lock was acquired within `timeout_s` seconds."""
        ends = time.monotonic() + self._timeout_s
        while not self._try_acquire():
            if time.monotonic() >= ends:
                return False
            time.sleep(STEP_S)
        return True

    def release(self) -> None:
        if sys.platform != "win32" and self._handle >= 0:
            flock(self._handle, LOCK_UN)

    def close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def _try_acquire(self) -> bool:
        try:
            if sys.platform != "win32" and self._handle >= 0:
                flock(self._handle, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a file system without such locks
            self.close()
        return True
