"""One writer at a time, over all processes that have a store open.

SQLite waits for another process by sleeping ever longer, up to a tenth of a second: under load one process starves
the other. And before 3.51.3 it could, once in a very long while, lose what was written while two connections copied
the log back in the same instant (sqlite.org/wal.html, "WAL-reset bug", read 2026-11-22). So whoever writes takes a
lock first, and holds it until the log was dealt with.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

if sys.platform != "win32":  # where SQLite's own waiting has to do
    from fcntl import LOCK_EX, LOCK_NB, LOCK_UN, flock

STEP_S = 0.0005


class Turn:
    """A lock on a folder, held while a process writes there; the system lets go of it when the process dies.

    On the folder, because to open the store's own file and close it again would end SQLite's locks on it.
    """

    def __init__(self, folder: Path, within_s: float) -> None:
        self._within_s = within_s
        self._handle = os.open(folder, os.O_RDONLY) if sys.platform != "win32" else -1

    def take(self) -> bool:
        """Wait for the turn; whether it came in time."""
        ends = time.monotonic() + self._within_s
        while not self._is_taken():
            if time.monotonic() >= ends:
                return False
            time.sleep(STEP_S)
        return True

    def give(self) -> None:
        if sys.platform != "win32" and self._handle >= 0:
            flock(self._handle, LOCK_UN)

    def close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def _is_taken(self) -> bool:
        try:
            if sys.platform != "win32" and self._handle >= 0:
                flock(self._handle, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a file system without such locks
            self.close()
        return True
