"""Temporary folder of the browser and its driver, removed by the next run where a process was killed.

The driver removes its folders when it ends by itself, and nobody removes them after SIGKILL. So they are in a folder
with a locked file: a folder whose lock is free belonged to a process that is gone.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

PREFIX = "waypost-render-"
_LOCK = "lock"
_NEW_S = 60.0
"""Age of a folder without a lock, in seconds, from which no process is about to lock it."""
_VARIABLES = ("TMPDIR", "TMP", "TEMP")


class Scratch:
    """Temporary folder of this process; folders of processes that are gone are removed. `close` removes it."""

    def __init__(self) -> None:
        remove_abandoned()
        while True:
            self.path = Path(tempfile.mkdtemp(prefix=PREFIX))
            self._lock: IO[bytes] = (self.path / _LOCK).open("wb")
            try:
                is_ours = _is_locked_now(self._lock)
            except OSError:  # a file system without locks, whose folders no run removes
                return
            # Another run may have taken the folder for an abandoned one before the lock was there.
            if is_ours and (self.path / _LOCK).exists():
                return
            self._lock.close()

    @contextmanager
    def for_children(self) -> Iterator[None]:
        """Programs that are started meanwhile have their temporary files in the folder."""
        before = {name: os.environ.get(name) for name in _VARIABLES}
        os.environ.update(dict.fromkeys(_VARIABLES, str(self.path)))
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value

    def close(self) -> None:
        self._lock.close()
        shutil.rmtree(self.path, ignore_errors=True)


def remove_abandoned() -> None:
    """Remove the folders of processes that are gone: our own folders alone, which no process has locked."""
    with suppress(OSError):
        for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
            with suppress(OSError):
                if _is_abandoned(path):
                    shutil.rmtree(path, ignore_errors=True)


def _is_abandoned(path: Path) -> bool:
    status = path.lstat()
    if not stat.S_ISDIR(status.st_mode) or (hasattr(os, "geteuid") and status.st_uid != os.geteuid()):
        return False
    try:
        with (path / _LOCK).open("r+b") as lock:
            if not _is_locked_now(lock):
                return False
            # Under the lock, so that a run that has just made the folder sees it vanish.
            (path / _LOCK).unlink()
            return True
    except FileNotFoundError:
        return time.time() - status.st_mtime > _NEW_S


def _is_locked_now(file: IO[bytes]) -> bool:
    """Lock a file for this process, until the file is closed. Returns whether no other process has locked it.

    Raises OSError where files cannot be locked.
    """
    try:
        import fcntl
    except ImportError:
        # Windows removes no file that another process has opened: removing it is the test.
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
