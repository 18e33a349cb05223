"""Watch: build the site again whenever an input changes."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from waypost.errors import WaypostError
from waypost.registry import assets

PAUSE_S = 0.15


def watch(build: Callable[[], None], report: Callable[[str], None], changes: Iterable[bool] | None = None) -> None:
    """Build now and after every change, until Ctrl-C. An error is reported, and the next change builds again.

    changes    yields whether an input changed since the last item; by default by scanning the folders every 150 ms
    """
    polls = _polls(stamps()) if changes is None else changes  # before the first build: sees changes made during it
    _try(build, report)
    gc.freeze()  # objects of the first build stay: later collections skip them
    try:
        for changed in polls:
            if changed:
                _try(build, report)
                gc.collect()
    except KeyboardInterrupt:
        return


def _try(build: Callable[[], None], report: Callable[[str], None]) -> None:
    try:
        build()
    except WaypostError as error:
        report(f"{error}\n")


def _polls(seen: Stamps) -> Iterator[bool]:
    while True:
        time.sleep(PAUSE_S)
        now = stamps()
        yield now != seen
        seen = now


Stamps = dict[str, tuple[int, int, int]]
"""Path -> (time of the last change in ns, size in bytes, inode)."""


def stamps() -> Stamps:
    """Stamps of the inputs of the site."""
    changelog = assets.changelog()
    found = below(assets.folder("schemas"), assets.folder("site"), assets.cases())
    return found | ({str(changelog): _stamp(changelog.stat())} if changelog.is_file() else {})


def below(*folders: Path) -> Stamps:
    """Stamps of the files in some folders, recursively."""
    found: Stamps = {}
    waiting = [str(folder) for folder in folders]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir():
                        waiting.append(entry.path)
                    elif "." in entry.name:
                        found[entry.path] = _stamp(entry.stat())
        except OSError:
            continue  # deleted since the scan began
    return found


def _stamp(of: os.stat_result) -> tuple[int, int, int]:
    return of.st_mtime_ns, of.st_size, of.st_ino
