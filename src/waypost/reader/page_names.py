"""Names of pages in files, for reports that have only the paths."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from waypost.formats.page_name import PageName, name_of

_MOST_READ = 2_000
_HEAD_BYTES = 200_000


class PageNames:
    """Path of a page -> title and canonical address, read from the first bytes of the file, once.

    Empty for what is no file here: an address, a page of an archive, a page that is gone.

    folders  where a relative path may begin, the first that has the file; by default the working folder
    """

    def __init__(self, folders: Sequence[str] = ("",)) -> None:
        self._folders = folders
        self._known: dict[str, PageName] = {}

    def __call__(self, path: str) -> PageName:
        known = self._known.get(path)
        if known is None:
            known = self._read(path) if len(self._known) < _MOST_READ else PageName()
            self._known[path] = known
        return known

    def _read(self, path: str) -> PageName:
        for folder in () if "://" in path else self._folders:
            try:
                with (Path(folder) / path).open("rb") as file:
                    return name_of(file.read(_HEAD_BYTES).decode("utf-8", "replace"))
            except (OSError, ValueError):
                continue
        return PageName()
