"""Configurations of a run: the nearest counts for a file.

A file's configuration is the nearest `waypost.toml`, or `pyproject.toml` with a table of waypost, in or above its
folder, up to the root of the repository. A configuration further above counts only if extended.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from waypost.config import Config, find_in

Stamp = tuple[tuple[str, int, int], ...]


class Configurations:
    """Configurations by folder.

    read        reader of a file. Raises ConfigError.
    everywhere  configuration of every file in place of the nearest ones.
    default     configuration of a file without any.
    """

    def __init__(
        self, read: Callable[[Path], Config], *, everywhere: Config | None = None, default: Config | None = None
    ) -> None:
        self._reader = read
        self._everywhere = everywhere
        self._default = default or Config()
        self._paths: dict[str, Path | None] = {}
        self._by_folder: dict[str, Config] = {}
        self._configs: dict[Path, tuple[Stamp, Config]] = {}

    def renew(self) -> None:
        """Look for the files again; files that are unchanged are not read again."""
        self._paths.clear()
        self._by_folder.clear()

    def known(self) -> list[Config]:
        """Configurations that were read so far."""
        return [config for _, config in self._configs.values()]

    def folders(self) -> list[Path]:
        """Folders in which a configuration was sought."""
        return [Path(folder) for folder in sorted(self._paths)]

    def of_folder(self, folder: str) -> Config:
        """Configuration of the files in a folder. Raises ConfigError."""
        if self._everywhere is not None:
            return self._everywhere
        path = self._path(os.path.abspath(folder))  # noqa: PTH100 - called once for each page
        return self._default if path is None else self.at(path)

    def of(self, where: str) -> Config:
        """Configuration of a file; for a URL and standard input, that of the working directory. Raises ConfigError."""
        folder = os.path.dirname(where) if where != "-" and "://" not in where else ""  # noqa: PTH120 - many
        known = self._by_folder.get(folder)
        if known is None:
            known = self._by_folder[folder] = self.of_folder(folder)
        return known

    def together(self, home: Path, files: Iterable[str]) -> Config:
        """Configuration of a folder, with the configurations of the files by folder. Raises ConfigError."""
        main = self.of_folder(str(home))
        if self._everywhere is not None:
            return main
        folders = {os.path.dirname(file) for file in files}  # noqa: PTH120 - many
        nested = {os.path.abspath(folder): self.of_folder(folder) for folder in sorted(folders)}  # noqa: PTH100
        if all(config is main for config in nested.values()):
            return main
        return msgspec.structs.replace(main, nested=nested)

    def at(self, path: Path) -> Config:
        """Configuration of a file. Raises ConfigError."""
        known = self._configs.get(path)
        # A stat for each file, in place of reading and checking the TOML for every page.
        if known is None or known[0] != stamp(name for name, _, _ in known[0]):
            config = self._reader(path)
            # Of every extended file, too: a change in any of them counts.
            known = self._configs[path] = stamp((str(path), *config.files)), config
        return known[1]

    def _path(self, folder: str) -> Path | None:
        if folder in self._paths:
            return self._paths[folder]
        here = Path(folder)
        found = find_in(here)
        if found is None and not is_root(here) and here.parent != here:
            found = self._path(str(here.parent))
        self._paths[folder] = found
        return found


def is_root(folder: Path) -> bool:
    """Whether a folder is the root of a repository: a configuration above it belongs to another project."""
    try:
        return (folder / ".git").exists()
    except PermissionError:
        return False


def stamp(paths: Iterable[str]) -> Stamp:
    """(path, mtime in ns, size) of the existing files."""
    found = []
    for path in dict.fromkeys(paths):
        try:
            status = Path(path).stat()
        except OSError:
            continue
        found.append((path, status.st_mtime_ns, status.st_size))
    return tuple(found)
