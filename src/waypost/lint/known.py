"""Baseline of known findings, whose pages are named from its folder.

It is committed, and used by people with other working directories.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from waypost.baseline import Baseline, CauseBaseline, Known, causes, values
from waypost.lint.inputs import InputList
from waypost.models.finding import FileReport
from waypost.reader.sources import display_path

Kind = Literal["cause", "value"]


class PartOfSite(Exception):
    """Run over a small part of the pages that a baseline by cause is about: their numbers, before and now."""

    def __init__(self, before: int, now: int) -> None:
        super().__init__(f"the baseline is about {before:,} pages, this run about {now:,}")


def name_from(path: str, where: str) -> str:
    """Name of a page's file in the baseline at `path`: relative to its folder."""
    return display_path(os.path.relpath(Path(where).absolute(), Path(path).resolve().parent))


def names_from(path: str, inputs: InputList) -> Callable[[str], str]:
    """Function from a path in the report to the name in the baseline at `path`."""
    where = {entry.path: entry.where for entry in inputs.inputs if entry.kind == "file"}
    return lambda reported: name_from(path, where[reported]) if reported in where else reported


def renewed(
    files: Sequence[FileReport],
    inputs: InputList,
    path: str,
    before: Known | None,
    *,
    is_whole_site: bool,
    kind: Kind | None = None,
) -> Known:
    """Baseline of the findings of a run, of the kind `kind`: by default that of `before`, and by cause for a new one.

    By value, entries of earlier pages outside this run are kept while their files exist: a baseline may be written
    folder by folder. By cause, a run over the changed pages of a commit drops no cause. Raises PartOfSite for another
    run over a small part of the pages.
    """
    if kind is None:
        kind = "value" if isinstance(before, Baseline) or (before is None and len(files) == 1) else "cause"
    if kind == "cause":
        known = causes.create(files)
        if not isinstance(before, CauseBaseline):
            return known
        if not is_whole_site:
            return causes.merged(before, known)
        if known.pages * 2 < before.pages:
            raise PartOfSite(before.pages, known.pages)
        return known
    if not isinstance(before, Baseline):
        before = None
    if before:
        home = Path(path).resolve().parent
        left = {name: entry for name, entry in before.files.items() if "://" in name or os.path.lexists(home / name)}
        before = Baseline(before.version, left)
    return values.create(files, names_from(path, inputs), before, is_whole_site=is_whole_site)
