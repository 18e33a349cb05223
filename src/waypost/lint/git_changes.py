"""Changes since a git commit: differing pages, and findings from before the commit."""

from __future__ import annotations

import gzip
import os
import subprocess
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from waypost.errors import WaypostError
from waypost.formats.source_kinds import kind_of_source
from waypost.lint.inputs import Input, InputList
from waypost.lint.page import LintOptions, Result, apply_config, config_path, validate_source
from waypost.lint.page_sources import PageStore
from waypost.lint.run import facts_only
from waypost.lint.site_findings import add_site_findings
from waypost.models.finding import FileReport
from waypost.reader.sources import PageSource

if TYPE_CHECKING:
    from waypost.lint.caches import Caches

GIT_TIMEOUT_S = 60


class GitError(WaypostError):
    """Git has failed, or knows no such commit."""

    code, status = "git", 400


class GitChange(NamedTuple):
    """Difference between the inputs and a commit.

    selection  new and changed inputs, URLs and standard input.
    rest       unchanged inputs.
    before     path in the report -> path of the page at the commit, from the repository's root.
    gone       absolute paths of files deleted since the commit.
    """

    ref: str
    commit: str
    root: Path
    selection: InputList
    rest: list[Input]
    before: dict[str, str]
    gone: frozenset[str]

    def mark_known(
        self, results: Sequence[Result], options: LintOptions, store: PageStore, cache: Caches | None
    ) -> list[FileReport]:
        """Mark findings of the commit as known, by validating the pages of the commit.

        Returns reports of unchanged pages with a new finding about the site as a whole.
        """
        from waypost.baseline import values

        if not (self.selection.inputs or self.gone):
            return []
        # Findings about the site need the facts of unchanged pages, too.
        rest = facts_only(self.rest, options, cache)
        inputs = [*self.selection.inputs, *self.rest]
        now = [*results, *rest]
        add_site_findings(inputs, now, options, store)
        with closing(PageStore()) as old:
            earlier = [self._validate_earlier(item, options, old) for item in self.selection.inputs]
            then = [*earlier, *map(_without_findings, rest)]
            add_site_findings(inputs, then, options, old, self.gone)
        known = values.create(_files(then), str)
        values.mark(_files(now), known, str, f"it was there at {self.ref}")
        return [file for file in _files(rest) if file.findings]

    def _validate_earlier(self, item: Input, options: LintOptions, old: PageStore) -> Result:
        """Result of a page of the commit; empty where the commit lacks the page."""
        if not (name := self.before.get(item.path)):
            return Result()
        data = self._earlier_bytes(name)
        source = PageSource(data, kind_of_source(name, data), item.url, None)
        old[item.path] = source
        result = validate_source(item, source, options)
        if result.file is not None and not options.fix_mode:
            apply_config(config_path(item), result.file, options)
        return result

    def _earlier_bytes(self, name: str) -> bytes:
        """Bytes of a page of the commit, decompressed; empty where git fails."""
        data = _git(self.root, "cat-file", "blob", f"{self.commit}:{name}", otherwise=b"")
        if name.lower().endswith(".gz"):
            try:
                return gzip.decompress(data)
            except (OSError, EOFError):
                return b""
        return data


def changed_since(ref: str, found: InputList) -> GitChange:
    """Compare the inputs with a commit. Raises GitError where git fails."""
    files = [item for item in found.inputs if item.kind == "file"]
    folder = Path(files[0].where).absolute().parent if files else Path.cwd()
    root = Path(os.fsdecode(_git(folder, "rev-parse", "--show-toplevel")).rstrip("\n"))
    commit = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}").decode().strip()
    earlier = _changed_paths(root, commit)
    # Not the untracked files: git would leave out those that it ignores, which a built site mostly is.
    tracked = {os.fsdecode(name) for name in _git(root, "ls-files", "-z").split(b"\0")}
    selected: list[Input] = []
    rest: list[Input] = []
    before: dict[str, str] = {}
    for item in found.inputs:
        name = os.path.relpath(os.path.realpath(item.where), os.path.realpath(root)) if item.kind == "file" else ""
        if name in tracked and name not in earlier:
            rest.append(item)
            continue
        selected.append(item)
        if old := earlier.get(name):
            before[item.path] = old
    gone = frozenset(str(root / name) for name, old in earlier.items() if old and not (root / name).exists())
    selection = InputList(selected, found.empty, unchanged=bool(found.inputs) and not selected)
    return GitChange(ref, commit, root, selection, rest, before, gone)


def _files(results: Sequence[Result]) -> list[FileReport]:
    return [result.file for result in results if result.file is not None]


def _without_findings(result: Result) -> Result:
    path = result.file.path if result.file is not None else ""
    return Result(FileReport(path=path), facts=result.facts, address=result.address)


def _changed_paths(root: Path, commit: str) -> dict[str, str]:
    """Path of a changed file -> path at the commit, "" for an added file."""
    status_lines = _git(root, "diff", "--name-status", "-z", "-M", "--no-ext-diff", commit, "--").split(b"\0")
    paths: dict[str, str] = {}
    fields = iter(os.fsdecode(field) for field in status_lines)
    for status in fields:
        if not status:
            break
        old = next(fields)
        new = next(fields) if status[0] in "RC" else old
        paths[new] = "" if status[0] == "A" else old
    return paths


def _git(folder: Path, *arguments: str, otherwise: bytes | None = None) -> bytes:
    """Standard output of git. On failure `otherwise` is returned; without one GitError is raised."""
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command; no value given can be read as an option
            ["git", *arguments],  # noqa: S607 - the one on the caller's path
            cwd=folder, capture_output=True, timeout=GIT_TIMEOUT_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise GitError(f"git did not answer ({error})") from None
    if done.returncode == 0:
        return done.stdout
    if otherwise is not None:
        return otherwise
    error_text = done.stderr.decode("utf-8", "replace").strip().removeprefix("fatal: ")
    why = error_text or f"git knows no {arguments[-1].removesuffix('^{commit}')}"
    raise GitError(f"{why}")
