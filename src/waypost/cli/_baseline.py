"""Baseline file of --baseline: read, written and applied to the findings of a run."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from waypost.cli._console import UsageError, check_output, print_message, write
from waypost.cli._inputs import InputList
from waypost.extract.sources import display_path
from waypost.models.finding import FileReport

if TYPE_CHECKING:
    from waypost.baseline import Baseline, BaselineEntry

MAX_STALE = 5
"""Stale entries that are named in messages; the rest are only counted."""


def apply(
    files: Sequence[FileReport],
    inputs: InputList,
    path: str,
    *,
    rewrite: bool,
    quiet: bool,
    is_whole_site: bool = True,
) -> None:
    """Mark the findings listed in the baseline at `path`. `rewrite` writes the baseline from these findings first.

    is_whole_site  False with --since: unchanged pages are not among the files.
    """
    from waypost import baseline

    name = _relative_names(inputs, path)
    known = _read(path, must_exist=not rewrite)
    if rewrite:
        # Entries of pages outside this run are kept: a baseline may be written folder by folder.
        before = _without_deleted(known, path) if known else None
        known = baseline.create(files, name, before, is_whole_site=is_whole_site)
        write([baseline.encode(known).decode()], path)
    assert known is not None
    stale = baseline.mark(files, known, name)
    if rewrite:
        if not quiet:
            _report_written(known, path)
    elif stale and not quiet:
        _report_stale(stale, path)


def check_readable(path: str) -> None:
    """Raise UsageError where the file is missing or is not a baseline, before any page is read or fixed."""
    _read(path, must_exist=True)


def check_writable(path: str) -> None:
    """Raise UsageError where the file exists and is not a baseline, before any page is read or fixed."""
    check_output(path)
    _read(path, must_exist=False)


def _read(path: str, *, must_exist: bool) -> Baseline | None:
    from waypost.baseline import BaselineError, read

    try:
        return read(Path(path).read_bytes())
    except FileNotFoundError:
        if must_exist:
            raise UsageError(
                f"--baseline {path}: there is no such file; `--baseline {path} --write-baseline` makes it"
            ) from None
        return None
    except OSError as error:
        raise UsageError(f"--baseline {path}: {(error.strerror or str(error)).lower()}") from None
    except BaselineError as error:
        raise UsageError(f"{path}: {error}") from None


# The baseline is committed and used by people with other working directories.
def _relative_names(inputs: InputList, path: str) -> Callable[[str], str]:
    """Function from a path in the report to a path relative to the baseline, the same in every working directory."""
    home = Path(path).resolve().parent
    where = {entry.path: entry.where for entry in inputs.inputs if entry.kind == "file"}

    def name(reported: str) -> str:
        if reported not in where:
            return reported
        return display_path(os.path.relpath(Path(where[reported]).absolute(), home))

    return name


def _without_deleted(known: Baseline, path: str) -> Baseline:
    """Baseline without the entries of deleted files. Pages outside this run stay."""
    from waypost.baseline import Baseline

    home = Path(path).resolve().parent
    return Baseline(
        known.version,
        {name: entry for name, entry in known.files.items() if "://" in name or os.path.lexists(home / name)},
    )


def _report_written(known: Baseline, path: str) -> None:
    from waypost.report._words import count

    number = sum(entry.count for entries in known.files.values() for entry in entries)
    print_message(f"{count(number, 'finding')} of {count(len(known.files), 'file')} written to the baseline {path}")


def _report_stale(stale: dict[str, list[BaselineEntry]], path: str) -> None:
    from waypost.report._words import count

    entries = [(file, entry) for file, gone in stale.items() for entry in gone]
    for file, entry in entries[:MAX_STALE]:
        print_message(f"{path}: nothing in {file} fits this any more: {entry.rule} ({entry.message})")
    total = sum(entry.count for _, entry in entries)
    print_message(
        f"{count(total, 'finding')} of the baseline {'is' if total == 1 else 'are'} gone; --write-baseline tidies it"
    )
