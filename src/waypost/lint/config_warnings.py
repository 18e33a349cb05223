"""Warnings about settings without effect, such as a glob that matches no file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeAlias

from waypost.config import Config, ConfigError
from waypost.config_file import ConfigFile, steps_of
from waypost.formats.globs import matches
from waypost.lint.configurations import Configurations
from waypost.lint.inputs import Input
from waypost.lint.page import config_path

MOST_FILES = 50_000
"""Files of a project that are compared with a glob. A larger project gets no warnings about globs."""
_PASSED_BY = frozenset({".git", ".hg", "node_modules", "__pycache__"})
_Entry: TypeAlias = tuple[str, str, str]
"""File of a configuration, key of an entry with globs, and glob."""


class ConfigWarning(NamedTuple):
    """Warning at a line (1-based) of a configuration."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


def config_warnings(configs: Configurations, config: Config, inputs: Iterable[Input]) -> Iterator[ConfigWarning]:
    """Warnings about the configurations of a run."""
    yield from misnamed_tables(configs.folders())
    yield from _missing_schemes(config)
    yield from globs_without_file(config, inputs)


def warnings_about(config: Config) -> Iterator[ConfigWarning]:
    """Warnings about a configuration without a run, as an editor shows them."""
    yield from _missing_schemes(config)
    waiting = set(_entries(config))
    paths = list(islice(_paths(config.folder), MOST_FILES)) if waiting else []
    if len(paths) < MOST_FILES:
        yield from _unmatched(entry for entry in waiting if not any(matches(path, entry[2]) for path in paths))


def _missing_schemes(config: Config) -> Iterator[ConfigWarning]:
    seen = set()
    for each in config.each():
        for part, source in each.parts:
            if part.base_url is not None and "://" not in part.base_url and source not in seen:
                address = f"https://{part.base_url.lstrip('/')}"
                yield _at(source, "base-url", f"base-url: {part.base_url!r} has no scheme; write {address}")
            seen.add(source)


def misnamed_tables(folders: Iterable[Path]) -> Iterator[ConfigWarning]:
    """Warnings about tables of a pyproject.toml with nearly the name `tool.waypost`."""
    for folder in folders:
        path = folder / "pyproject.toml"
        if not os.path.lexists(path):
            continue
        try:
            misnamed = ConfigFile(path).misnamed_table()
        except ConfigError:
            continue
        if misnamed:
            message = f"the table [{misnamed[0]}] is not read; did you mean [tool.waypost]?"
            yield ConfigWarning(str(path), misnamed[1], message)


def globs_without_file(config: Config, inputs: Iterable[Input]) -> Iterator[ConfigWarning]:
    """Warnings about globs of overrides and ignores that match no file; for runs that search a folder."""
    waiting = {entry for each in config.each() for entry in _entries(each)}
    is_search = False
    for item in inputs if waiting else ():
        is_search |= item.walked
        where = config_path(item)
        own = config.nearest(where)
        waiting -= {entry for entry in _entries(own) if entry in waiting and matches(own.relative(where), entry[2])}
        if not waiting:
            return
    for each in config.each() if is_search and waiting else ():
        mine = waiting.intersection(_entries(each))
        paths = list(islice(_paths(each.folder), MOST_FILES)) if mine else []
        # Several configurations may extend a file with the glob: a match of one is enough.
        waiting -= mine if len(paths) == MOST_FILES else {e for e in mine if any(matches(p, e[2]) for p in paths)}
    yield from _unmatched(waiting if is_search else ())


def _unmatched(entries: Iterable[_Entry]) -> Iterator[ConfigWarning]:
    for source, key, glob in sorted(entries):
        yield _at(source, key, f"{key.partition('.')[0]}: no file matches {glob!r}")


def _entries(config: Config) -> list[_Entry]:
    """Globs of overrides and ignores about files."""
    globs = [
        (source, f"{kind}[{number}]", files)
        for part, source in config.parts
        for kind, entries in (
            ("overrides", [each.files for each in part.overrides]), ("ignore", [each.files for each in part.ignore])
        )
        for number, files in enumerate(entries)
        if source != "--rule"
    ]  # fmt: skip
    return [
        (source, f"{key}.files[{position}]", glob)
        for source, key, files in globs
        for position, glob in enumerate(files)
        if "://" not in glob and glob != "**"
    ]


def _paths(home: Path) -> Iterator[str]:
    """Paths of the files below a folder, from the folder."""
    for folder, folders, files in os.walk(home):
        folders[:] = sorted(set(folders) - _PASSED_BY)
        for name in files:
            yield os.path.relpath(f"{folder}{os.sep}{name}", home).replace(os.sep, "/")


def _at(source: str, key: str, message: str) -> ConfigWarning:
    """Warning at a key, written as in `overrides[0].files`."""
    return ConfigWarning(source, ConfigFile(Path(source)).line(*steps_of(key)), message)
