"""The baseline as the command line reads, writes and applies it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from waypost.cli._console import check_output, write
from waypost.cli._inputs import Found, shown
from waypost.cli._run import UsageError, say
from waypost.models.finding import FileReport

if TYPE_CHECKING:
    from waypost.baseline import Baseline, BaselineEntry

MOST_STALE = 5
"""Entries that nothing fits any more are told one by one up to this many."""


def apply(files: Sequence[FileReport], found: Found, path: str, *, rewrite: bool, quiet: bool) -> None:
    """Mark what the baseline at `path` knows; `rewrite` makes it anew of what was found first."""
    from waypost import baseline

    name = _names(found, path)
    known = _read(path, must_exist=not rewrite)
    if rewrite:
        known = baseline.create(files, name, _still_there(known, path) if known else None)
        write([baseline.encode(known).decode()], path)
    assert known is not None
    stale = baseline.mark(files, known, name)
    if rewrite:
        if not quiet:
            _tell_written(known, path)
    elif stale and not quiet:
        _tell_stale(stale, path)


def check_writable(path: str) -> None:
    """Refuse to write over anything that is no baseline, before any work is done."""
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
    except OSError as fault:
        raise UsageError(f"--baseline {path}: {(fault.strerror or str(fault)).lower()}") from None
    except BaselineError as fault:
        raise UsageError(f"{path}: {fault}") from None


def _names(found: Found, path: str) -> Callable[[str], str]:
    """Path in the report -> path relative to the baseline's folder, so that it holds wherever waypost runs."""
    home = Path(path).resolve().parent
    where = {each.path: each.where for each in found.inputs if each.kind == "file"}

    def name(told: str) -> str:
        return shown(os.path.relpath(Path(where[told]).absolute(), home)) if told in where else told

    return name


def _still_there(known: Baseline, path: str) -> Baseline:
    """The entries of pages that exist: what was not looked at stays, what is gone goes."""
    from waypost.baseline import Baseline

    home = Path(path).resolve().parent
    return Baseline(
        known.version,
        {name: each for name, each in known.files.items() if "://" in name or os.path.lexists(home / name)},
    )


def _tell_written(known: Baseline, path: str) -> None:
    from waypost.report._words import count

    number = sum(each.count for entries in known.files.values() for each in entries)
    say(f"{count(number, 'finding')} of {count(len(known.files), 'file')} written to the baseline {path}")


def _tell_stale(stale: dict[str, list[BaselineEntry]], path: str) -> None:
    from waypost.report._words import count

    entries = [(file, each) for file, gone in stale.items() for each in gone]
    for file, each in entries[:MOST_STALE]:
        say(f"{path}: nothing in {file} fits this any more: {each.rule} ({each.message})")
    total = sum(each.count for _, each in entries)
    say(f"{count(total, 'finding')} of the baseline {'is' if total == 1 else 'are'} gone; --write-baseline tidies it")
