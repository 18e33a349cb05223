"""Folders of the registry and the site's inputs: in a checkout, or inside an installed wheel."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

_PACKAGE = Path(__file__).resolve().parent.parent
_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0)


def checkout() -> Path | None:
    """Root of the running checkout; None in an installed wheel."""
    root = _PACKAGE.parent.parent
    return root if (root / "pyproject.toml").is_file() and (root / "schemas").is_dir() else None


def folder(name: str) -> Path:
    """Path of the folder `schemas` or `site`."""
    # The checkout comes first: the copy inside the package of an editable install may be stale.
    return (checkout() or _PACKAGE) / name


def read_files(folder: Path) -> dict[str, bytes]:
    """Bytes of every JSON file in a folder and below, by path from there."""
    # Hundreds of files are read at each start: by plain paths in half the time of `Path`.
    found: dict[str, bytes] = {}
    waiting = [(str(folder), "")]
    while waiting:
        path, below = waiting.pop()
        for entry in os.scandir(path):
            if entry.is_dir(follow_symlinks=False):
                waiting.append((entry.path, f"{below}{entry.name}/"))
            elif entry.name.endswith(".json") and not entry.name.startswith("."):
                found[below + entry.name] = read_bytes(entry.path)
    return found


def read_bytes(path: str) -> bytes:
    """Bytes of a file, by four calls of the system in place of seven: each start reads thousands of small files."""
    descriptor = os.open(path, _READ)
    try:
        size = os.fstat(descriptor).st_size
        data = os.read(descriptor, size)
        while len(data) < size and (more := os.read(descriptor, size - len(data))):
            data += more
        return data
    finally:
        os.close(descriptor)


def cases() -> Path:
    """Path of the test cases, which the site shows as examples."""
    root = checkout()
    return root / "tests" / "cases" if root else Path(_unpacked(_PACKAGE / "cases.zip").name)


@cache
def _unpacked(archive: Path) -> TemporaryDirectory[str]:
    """Folder with the files of an archive, which lasts as long as the process."""
    from tempfile import TemporaryDirectory
    from zipfile import ZipFile

    folder = TemporaryDirectory(prefix="waypost-cases-")
    with ZipFile(archive) as packed:
        packed.extractall(folder.name)
    return folder


def changelog() -> Path:
    """Path of the changelog, a page of the site."""
    return (checkout() or _PACKAGE) / "CHANGELOG.md"


def modules(folders: Iterable[str]) -> list[str]:
    """Names of a package's public modules, sorted. `folders` is the package's `__path__`."""
    # `pkgutil.iter_modules` gives the same names, but imports much of the standard library at start.
    names = (path.stem for folder in folders for path in Path(folder).glob("*.py"))
    return sorted(name for name in names if not name.startswith("_"))
