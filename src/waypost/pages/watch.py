"""Builds the site again whenever one of its inputs changes."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from waypost.errors import WaypostError
from waypost.registry import assets

PAUSE_S = 0.15
Say = Callable[[str], None]


def watch(build: Callable[[], None], say: Say, changes: Iterable[bool] | None = None) -> None:
    """Build now and after every change. A fault is told, and the next change tries again. Ends with Ctrl-C.

    changes    whether something changed since the last look, for as long as is watched; by default a look at the
               folders every 150 ms
    """
    looks = _looks(stamps()) if changes is None else changes  # what changes during the first build is seen after it
    _try(build, say)
    gc.freeze()  # what is here now stays: only what later builds leave is looked through
    try:
        for changed in looks:
            if changed:
                _try(build, say)
                gc.collect()
    except KeyboardInterrupt:
        return


def _try(build: Callable[[], None], say: Say) -> None:
    try:
        build()
    except WaypostError as fault:
        say(f"{fault}\n")


def _looks(seen: Stamps) -> Iterator[bool]:
    while True:
        time.sleep(PAUSE_S)
        now = stamps()
        yield now != seen
        seen = now


Stamps = dict[str, tuple[int, int, int]]
"""When each file was changed, in nanoseconds, its size in bytes and its number on the disk, by its path."""


def stamps() -> Stamps:
    """Of all inputs of the site."""
    root = assets.checkout()
    found = below(assets.folder("schemas"), assets.folder("site"))
    if root:
        found |= below(root / "tests" / "cases")
        changelog = root / "CHANGELOG.md"
        found |= {str(changelog): _stamp(changelog.stat())} if changelog.is_file() else {}
    return found


def below(*folders: Path) -> Stamps:
    """Of all files in these folders, however deep."""
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
            continue  # gone between two looks
    return found


def _stamp(of: os.stat_result) -> tuple[int, int, int]:
    return of.st_mtime_ns, of.st_size, of.st_ino
