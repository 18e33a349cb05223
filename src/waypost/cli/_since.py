"""What a change touches: pages that git says have changed, and what was to be said of them before."""

from __future__ import annotations

import gzip
import os
import subprocess
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from waypost.cli import _work
from waypost.cli._inputs import Found, Input, kind_of
from waypost.cli._reading import Kept, Opened
from waypost.cli._run import UsageError
from waypost.cli._whole import add_site_findings
from waypost.models.finding import FileReport

if TYPE_CHECKING:
    from waypost.cli._cache import Cache

PATIENCE_S = 60


class Change(NamedTuple):
    """What changed since a commit.

    found   the inputs that are new or different; addresses and standard input stay.
    rest    the other inputs.
    before  path in the report -> where the page lay at that commit, from the repository's root.
    gone    files that were there at that commit and are no more.
    """

    ref: str
    commit: str
    root: Path
    found: Found
    rest: list[Input]
    before: dict[str, str]
    gone: frozenset[str]

    def mark_known(
        self, results: Sequence[_work.Result], wanted: _work.Wanted, kept: Kept, cache: Cache | None
    ) -> list[FileReport]:
        """Mark what was there at the commit already, by judging the pages as they were.

        What is told of the site as a whole may be told at a page that has not changed: these are returned.
        """
        from waypost import baseline

        if not (self.found.inputs or self.gone):
            return []
        rest = _work.facts_alone(self.rest, wanted, cache)
        inputs = [*self.found.inputs, *self.rest]
        now = [*results, *rest]
        add_site_findings(inputs, now, wanted, kept)
        with closing(Kept()) as old:
            then = [*(self._judged_then(each, wanted, old) for each in self.found.inputs), *map(_blank, rest)]
            add_site_findings(inputs, then, wanted, old, self.gone)
        known = baseline.create([each.file for each in then if each.file is not None], str)
        files = [each.file for each in now if each.file is not None]
        baseline.mark(files, known, str, f"it was there at {self.ref}")
        return [each.file for each in rest if each.file is not None and each.file.findings]

    def _judged_then(self, what: Input, wanted: _work.Wanted, old: Kept) -> _work.Result:
        """One page as it was; nothing for one that was not there."""
        if not (name := self.before.get(what.path)):
            return _work.Result()
        data = self._then(name)
        old[what.path] = Opened(data, kind_of(name, data), what.url, None)
        told = _work.judge_opened(what, Opened(data, kind_of(name, data), what.url, None), wanted)
        if told.file is not None and not wanted.mending:
            _work.rule(what, told.file, wanted)
        return told

    def _then(self, name: str) -> bytes:
        """A page as it was; nothing where it cannot be had."""
        data = _git(self.root, "cat-file", "blob", f"{self.commit}:{name}", otherwise=b"")
        if name.lower().endswith(".gz"):
            try:
                return gzip.decompress(data)
            except (OSError, EOFError):
                return b""
        return data


def changed_since(ref: str, found: Found) -> Change:
    """The inputs that differ from what they were. Raises UsageError where git cannot say."""
    files = [each for each in found.inputs if each.kind == "file"]
    root = Path(os.fsdecode(_git(_home(files), "rev-parse", "--show-toplevel")).rstrip("\n"))
    commit = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}").decode().strip()
    earlier = _earlier(root, commit)
    fresh = {os.fsdecode(name) for name in _git(root, "ls-files", "-o", "--exclude-standard", "-z").split(b"\0")}
    left: list[Input] = []
    rest: list[Input] = []
    before: dict[str, str] = {}
    for each in found.inputs:
        name = os.path.relpath(os.path.realpath(each.where), os.path.realpath(root)) if each.kind == "file" else ""
        if each.kind == "file" and name not in earlier and name not in fresh and not name.startswith(".."):
            rest.append(each)
            continue
        left.append(each)
        if old := earlier.get(name):
            before[each.path] = old
    gone = frozenset(str(root / name) for name, old in earlier.items() if old and not (root / name).exists())
    return Change(ref, commit, root, Found(left, found.empty, bool(found.inputs) and not left), rest, before, gone)


def _blank(result: _work.Result) -> _work.Result:
    """A page of which nothing has been told yet."""
    path = result.file.path if result.file is not None else ""
    return _work.Result(FileReport(path=path), facts=result.facts, address=result.address)


def _earlier(root: Path, commit: str) -> dict[str, str]:
    """Path of a file that changed -> its path at the commit, "" where it was not there."""
    told = _git(root, "diff", "--name-status", "-z", "-M", "--no-ext-diff", commit, "--").split(b"\0")
    found: dict[str, str] = {}
    fields = iter(os.fsdecode(each) for each in told)
    for status in fields:
        if not status:
            break
        old = next(fields)
        new = next(fields) if status[0] in "RC" else old
        found[new] = "" if status[0] == "A" else old
    return found


def _home(files: Sequence[Input]) -> Path:
    return Path(files[0].where).absolute().parent if files else Path.cwd()


def _git(where: Path, *arguments: str, otherwise: bytes | None = None) -> bytes:
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command; what is given cannot be an option
            ["git", *arguments],  # noqa: S607 - the one on the caller's path
            cwd=where, capture_output=True, timeout=PATIENCE_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise UsageError(f"--since: git did not answer ({fault})") from None
    if done.returncode == 0:
        return done.stdout
    if otherwise is not None:
        return otherwise
    said = done.stderr.decode("utf-8", "replace").strip() or f"git knows no {arguments[-1].removesuffix('^{commit}')}"
    raise UsageError(f"--since: {said}")
