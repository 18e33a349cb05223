"""Check of a crawl that pages can end, and one that no worker can load."""

from __future__ import annotations

import ctypes
import os
import signal
from pathlib import Path
from typing import NoReturn

from waypost.crawl.checking import check_page
from waypost.crawl.model import CheckedRows, PageInfo, Settings
from waypost.reader.sources import PageSource
from waypost.registry import Registry

NOTES = "WAYPOST_TEST_NOTES"
"""Environment variable with the file for the paths of the checked pages."""


def poisoned_check(info: PageInfo, source: PageSource, registry: Registry, settings: Settings) -> CheckedRows | None:
    checked = Path(os.environ[NOTES])
    with checked.open("a") as notes:
        notes.write(info.path + "\n")
    if b"<!--segfault-->" in source.data:
        ctypes.string_at(0)
    if b"<!--loop-->" in source.data:
        while True:
            pass
    if b"<!--memory-->" in source.data:
        bytearray(1 << 40)
    if b"<!--exit-->" in source.data:
        os._exit(9)
    if b"<!--killed once-->" in source.data and checked.read_text().count(info.path + "\n") == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return check_page(info, source, registry, settings)


class Absent:
    """Cannot be loaded by another process."""

    def __reduce__(self) -> tuple[object, ...]:
        return _import, ()

    def __call__(self, *_: object) -> None:
        raise AssertionError


def _import() -> NoReturn:
    import no_such_library  # type: ignore[import-not-found]  # noqa: F401

    raise AssertionError


absent = Absent()
