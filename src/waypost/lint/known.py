"""Baseline of known findings, whose pages are named from its folder.

It is committed, and used by people with other working directories.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from waypost.baseline import Baseline, create
from waypost.extract.sources import display_path
from waypost.lint.inputs import InputList
from waypost.models.finding import FileReport


def name_from(path: str, where: str) -> str:
    """Name of a page's file in the baseline at `path`: relative to its folder."""
    return display_path(os.path.relpath(Path(where).absolute(), Path(path).resolve().parent))


def names_from(path: str, inputs: InputList) -> Callable[[str], str]:
    """Function from a path in the report to the name in the baseline at `path`."""
    where = {entry.path: entry.where for entry in inputs.inputs if entry.kind == "file"}
    return lambda reported: name_from(path, where[reported]) if reported in where else reported


def renewed(
    files: Sequence[FileReport], inputs: InputList, path: str, before: Baseline | None, *, is_whole_site: bool
) -> Baseline:
    """Baseline of the findings of a run.

    Entries of earlier pages outside this run are kept while their files exist: a baseline may be written folder by
    folder.
    """
    if before:
        home = Path(path).resolve().parent
        left = {name: entry for name, entry in before.files.items() if "://" in name or os.path.lexists(home / name)}
        before = Baseline(before.version, left)
    return create(files, names_from(path, inputs), before, is_whole_site=is_whole_site)
