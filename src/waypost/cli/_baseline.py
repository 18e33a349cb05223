"""Baseline file of --baseline: read, written and applied to the findings of a run."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from waypost.cli._console import UsageError, check_output, print_message, write
from waypost.lint.inputs import Input, InputList, by_path
from waypost.models.finding import FileReport

if TYPE_CHECKING:
    from waypost.baseline import CauseBaseline, Gone, Known
    from waypost.config import Config
    from waypost.lint.known import Kind

MAX_GONE = 5
"""Entries that are named in messages; the rest are only counted."""


class KnownFindings:
    """Baselines of a run: one by --baseline or --write-baseline FILE, else that of each file's configuration.

    Raises UsageError for an unusable baseline before any page is read; with `is_checked` False when it is applied.
    """

    def __init__(self, args: Namespace, *, is_one: bool, is_checked: bool = True) -> None:
        self._is_checked = is_checked
        self._args = args
        self._config: Config | None = None
        self._rewrites = args.write_baseline is not None
        self.paths: list[str] = []
        self._use(args.write_baseline or args.baseline)
        if not is_one:
            self.paths.clear()  # `use` takes those of the configurations
        self._is_one = is_one

    def __bool__(self) -> bool:
        return bool(self.paths)

    def use(self, config: Config) -> None:
        """Take the baselines of the configurations of a run, unless the command line names one."""
        self._config = config
        for each in () if self._is_one else config.each():
            self._use(_baseline_of(each))
        if self._rewrites and not self.paths:
            raise UsageError("--write-baseline: name the file, as in --baseline waypost-baseline.json --write-baseline")
        self._args.has_baseline = bool(self)

    def _use(self, path: str | None) -> None:
        if path and path not in self.paths:
            if self._is_checked:
                (check_writable if self._rewrites else check_readable)(path)
            self.paths.append(path)

    def apply(self, files: Sequence[FileReport], inputs: InputList, *, is_whole_site: bool) -> None:
        """Mark the findings that the baselines list, after writing the baselines with --write-baseline."""
        find = by_path(inputs.inputs)
        for path in self.paths:
            own = files if self._is_one else [file for file in files if self._path_of(file, find(file.path)) == path]
            if own or self._is_one:
                apply(
                    own, inputs, path, rewrite=self._rewrites, quiet=self._args.quiet, is_whole_site=is_whole_site,
                    kind=self._args.baseline_by,
                )  # fmt: skip

    def _path_of(self, file: FileReport, item: Input | None) -> str | None:
        assert self._config is not None
        return _baseline_of(self._config.nearest(item.where if item and item.kind != "stdin" else file.path))


def _baseline_of(config: Config) -> str | None:
    setting = config.setting("baseline")
    return str(setting.value) if setting else None


def apply(
    files: Sequence[FileReport],
    inputs: InputList,
    path: str,
    *,
    rewrite: bool,
    quiet: bool,
    is_whole_site: bool = True,
    kind: Kind | None = None,
) -> None:
    """Mark the findings listed in the baseline at `path`. `rewrite` writes the baseline from these findings first.

    is_whole_site  False with --since: unchanged pages are not among the files.
    kind           kind of the baseline to write; by default that of the file, and by cause for several pages.
    """
    from waypost.baseline import encode, mark
    from waypost.lint.known import PartOfSite, names_from, renewed

    before = known = _read(path, must_exist=not rewrite)
    if rewrite:
        try:
            known = renewed(files, inputs, path, before, is_whole_site=is_whole_site, kind=kind)
        except PartOfSite as error:
            raise UsageError(f"--write-baseline: {error}; check all of them, or delete {path} first") from None
        write([encode(known).decode()], path)
    assert known is not None
    gone = mark(files, known, names_from(path, inputs))
    if rewrite:
        if not quiet:
            _report_written(known, before, path)
    elif gone and not quiet:
        _report_gone(gone, path)


def check_readable(path: str) -> None:
    """Raise UsageError where the file is missing or is not a baseline, before any page is read or fixed."""
    _read(path, must_exist=True)


def check_writable(path: str) -> None:
    """Raise UsageError where the file exists and is not a baseline, before any page is read or fixed."""
    check_output(path)
    _read(path, must_exist=False)


def _read(path: str, *, must_exist: bool) -> Known | None:
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


def _report_written(known: Known, before: Known | None, path: str) -> None:
    from waypost.baseline import CauseBaseline
    from waypost.report._words import count

    if not isinstance(known, CauseBaseline):
        number = sum(entry.count for entries in known.files.values() for entry in entries)
        print_message(f"{count(number, 'finding')} of {count(len(known.files), 'file')} written to the baseline {path}")
        return
    places = sum(cause.count for cause in known.causes)
    print_message(
        f"{count(len(known.causes), 'cause')} with {count(places, 'finding')} of {count(known.pages, 'file')} written "
        f"to the baseline {path}"
    )
    if isinstance(before, CauseBaseline):
        _report_changes(known, before)


def _report_changes(known: CauseBaseline, before: CauseBaseline) -> None:
    """Print the causes that a new baseline adds and drops."""
    now, then = ({cause.key: cause for cause in each.causes} for each in (known, before))
    for word, ours, others in (("added", now, then), ("dropped", then, now)):
        changed = [cause for key, cause in ours.items() if key not in others]
        for cause in changed[:MAX_GONE]:
            print_message(f"{word}: {cause.text}{_times(cause.count)}")
        if len(changed) > MAX_GONE:
            print_message(f"{word}: {len(changed) - MAX_GONE:,} more")


def _report_gone(gone: list[Gone], path: str) -> None:
    from waypost.report._words import count

    for entry in gone[:MAX_GONE]:
        where = f" in {entry.path}" if entry.path else ""
        print_message(f"{path}: nothing{where} fits this any more: {entry.text}{_times(entry.places)}")
    total = sum(entry.places for entry in gone)
    print_message(
        f"{count(total, 'finding')} of the baseline {'is' if total == 1 else 'are'} gone; --write-baseline tidies it"
    )


def _times(number: int) -> str:
    return f", {number:,} times" if number > 1 else ""
