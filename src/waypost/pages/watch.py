"""Builds the site again whenever one of its inputs changes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from waypost import assets
from waypost.errors import WaypostError

PAUSE_S = 0.15
Say = Callable[[str], None]


def watch(build: Callable[[], None], say: Say, changes: Iterator[bool] | None = None) -> None:
    """Build now and after every change. A fault is told, and the next change tries again. Ends with Ctrl-C.

    changes    whether something changed since the last look, for as long as is watched; by default a look at the
               folders every 150 ms
    """
    _try(build, say)
    try:
        for changed in changes or _looks():
            if changed:
                _try(build, say)
    except KeyboardInterrupt:
        return


def _try(build: Callable[[], None], say: Say) -> None:
    try:
        build()
    except WaypostError as fault:
        say(f"{fault}\n")


def _looks() -> Iterator[bool]:
    seen = stamps()
    while True:
        time.sleep(PAUSE_S)
        now = stamps()
        yield now != seen
        seen = now


def stamps() -> dict[Path, int]:
    """When each input was changed, in nanoseconds."""
    root = assets.checkout()
    folders = [assets.folder("schemas"), assets.folder("site"), *([root / "tests" / "cases"] if root else [])]
    files = [path for folder in folders for path in folder.rglob("*") if path.suffix]
    return {path: stamp for path in files if (stamp := _stamp(path)) is not None}


def _stamp(path: Path) -> int | None:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return None
