"""Baseline file of --baseline: read, written and applied to the findings of a run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from waypost.cli._console import UsageError, check_output, print_message, write
from waypost.lint.inputs import InputList
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
    from waypost.baseline import encode, mark
    from waypost.lint.known import names_from, renewed

    known = _read(path, must_exist=not rewrite)
    if rewrite:
        known = renewed(files, inputs, path, known, is_whole_site=is_whole_site)
        write([encode(known).decode()], path)
    assert known is not None
    stale = mark(files, known, names_from(path, inputs))
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
