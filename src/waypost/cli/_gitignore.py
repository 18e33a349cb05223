"""What git ignores, in the words of its own files (git-scm.com/docs/gitignore, read 2026-11-20)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple, Self

from waypost.formats.globs import matches

_MOST_BYTES = 1 << 20


class _Line(NamedTuple):
    folder: str
    glob: str
    shows: bool
    folders_only: bool


class Ignored:
    """The lines of the .gitignore files above and below a folder; the last one that fits decides."""

    def __init__(self) -> None:
        self._lines: list[_Line] = []
        self._entered: set[str] = set()

    @classmethod
    def above(cls, top: str) -> Self | None:
        """What holds in a folder that is searched; None outside a repository.

        A folder that is itself ignored was named on purpose: then the files above say nothing about it.
        """
        start = os.path.abspath(top)  # noqa: PTH100 - as it was named, links and all
        chain = [start]
        while not os.path.lexists(os.path.join(chain[-1], ".git")):  # noqa: PTH118
            parent = os.path.dirname(chain[-1])  # noqa: PTH120
            if parent == chain[-1]:
                return None
            chain.append(parent)
        made = cls()
        made._read(os.path.join(chain[-1], ".git", "info", "exclude"), chain[-1])  # noqa: PTH118
        for outer, inner in zip(reversed(chain), [*reversed(chain)][1:], strict=False):
            made.enter(outer)
            if made.hides(outer, os.path.basename(inner), is_folder=True):  # noqa: PTH119
                return cls()
        return made

    def enter(self, folder: str) -> None:
        """Read the lines of one folder."""
        here = os.path.abspath(folder)  # noqa: PTH100
        if here not in self._entered:
            self._entered.add(here)
            self._read(os.path.join(here, ".gitignore"), here)  # noqa: PTH118

    def _read(self, path: str, folder: str) -> None:
        try:
            with Path(path).open("rb") as file:
                text = file.read(_MOST_BYTES).decode("utf-8", "replace")
        except OSError:
            return
        for line in text.splitlines():
            body = line.rstrip() if not line.rstrip(" ").endswith("\\") else line
            if not body or body.startswith("#"):
                continue
            shows = body.startswith("!")
            body = body[1:] if shows else body
            self._lines.append(_Line(folder, body.rstrip("/"), shows, body.endswith("/")))

    def hides(self, folder: str, name: str, *, is_folder: bool) -> bool:
        """Does git ignore this entry of a folder?"""
        path = os.path.join(os.path.abspath(folder), name)  # noqa: PTH100, PTH118
        for line in reversed(self._lines):
            if (line.folders_only and not is_folder) or not path.startswith(line.folder.rstrip(os.sep) + os.sep):
                continue
            relative = path[len(line.folder.rstrip(os.sep)) + 1 :].replace(os.sep, "/")
            if line.glob and _fits(relative, line.glob):
                return not line.shows
        return False


def _fits(relative: str, glob: str) -> bool:
    """Is a line about the entry itself? What lies in an ignored folder is never asked about."""
    if not matches(relative, glob):
        return False
    above = relative.rpartition("/")[0]
    return not above or glob.endswith("**") or not matches(above, glob)
