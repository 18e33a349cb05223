"""Paths ignored by git, after the rules of git-scm.com/docs/gitignore (read 2026-11-20).

Compared with `git ls-files` on 800 made-up repositories full of odd lines, this module differs in 10: a pattern such as
`a**/b`, which git reads as `a` and any folders. The library pathspec 1.1.1 differs in 95, raises on a set such as
[z-a], prints warnings of `re`, and takes some 50 ms to import, a third of the time to check a page. pathspec decides
about a whole path with every folder above; a search has already decided about the folders.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple, Self

_MAX_BYTES = 1 << 20
_TOKEN = re.compile(
    r"(?P<folders>(?:(?<=/)|^)\*\*/)|(?P<rest>(?<=/)\*\*$)|(?P<name>\*+)|(?P<character>\?)"
    r"|\[(?P<negated>[!^]?)(?P<set>\]?(?:\[:\w+:\]|\\.|[^\]])*)\]|\\?(?P<literal>.)",
    re.DOTALL,
)
_CLASSES = {
    "[:alpha:]": "a-zA-Z", "[:digit:]": "0-9", "[:alnum:]": "a-zA-Z0-9", "[:lower:]": "a-z", "[:upper:]": "A-Z",
    "[:space:]": r"\s", "[:xdigit:]": "0-9a-fA-F",
}  # fmt: skip


class _Line(NamedTuple):
    """Pattern of a .gitignore file in `folder`, an absolute path."""

    folder: str
    pattern: re.Pattern[str]
    negated: bool
    folders_only: bool


class GitIgnore:
    """Lines of the .gitignore files above and below a folder. The last matching line decides about an entry."""

    def __init__(self) -> None:
        self._lines: list[_Line] = []
        self._entered: set[str] = set()

    @classmethod
    def above(cls, top: str) -> Self | None:
        """Lines for a search of `top`; None outside a repository.

        An ignored folder given as `top` was named on purpose: files above `top` do not apply then.
        """
        start = os.path.abspath(top)  # noqa: PTH100 - as it was named, links and all
        chain = [start]
        # `.git` is a folder, or a file in a worktree or submodule.
        while not os.path.lexists(os.path.join(chain[-1], ".git")):  # noqa: PTH118
            parent = os.path.dirname(chain[-1])  # noqa: PTH120
            if parent == chain[-1]:
                return None
            chain.append(parent)
        ignore = cls()
        # Lowest precedence first: gitignore(5) lists $GIT_DIR/info/exclude below the .gitignore files.
        ignore._read(os.path.join(chain[-1], ".git", "info", "exclude"), chain[-1])  # noqa: PTH118
        for outer, inner in zip(reversed(chain), [*reversed(chain)][1:], strict=False):
            ignore.enter(outer)
            if ignore.hides(outer, os.path.basename(inner), is_folder=True):  # noqa: PTH119
                return cls()
        return ignore

    def enter(self, folder: str) -> None:
        """Read the .gitignore of a folder, once."""
        path = os.path.abspath(folder)  # noqa: PTH100
        if path not in self._entered:
            self._entered.add(path)
            self._read(os.path.join(path, ".gitignore"), path)  # noqa: PTH118

    def _read(self, path: str, folder: str) -> None:
        try:
            with Path(path).open("rb") as file:
                text = file.read(_MAX_BYTES).decode("utf-8", "replace")
        except OSError:
            return
        for line in text.splitlines():
            # A space at the end counts only after a backslash.
            body = line.rstrip() if not line.rstrip(" ").endswith("\\") else line
            negated = body.startswith("!")
            body = body[1:] if negated else body
            # A lone slash matches nothing in git.
            if body.strip("/") and not line.startswith("#"):
                self._lines.append(_Line(folder, _pattern(body.removesuffix("/")), negated, body.endswith("/")))

    def hides(self, folder: str, name: str, *, is_folder: bool) -> bool:
        """Whether git ignores an entry of a folder. The folder must not be ignored."""
        path = os.path.join(os.path.abspath(folder), name)  # noqa: PTH100, PTH118
        # gitignore(5): within and across files the last matching pattern decides.
        for line in reversed(self._lines):
            home = line.folder.rstrip(os.sep) + os.sep
            if (line.folders_only and not is_folder) or not path.startswith(home):
                continue
            if line.pattern.fullmatch(path[len(home) :].replace(os.sep, "/")):
                return not line.negated
        return False


def _pattern(glob: str) -> re.Pattern[str]:
    """Pattern over the path of an entry relative to the .gitignore file; a glob without a slash is about a name."""
    # gitignore(5): a slash at the beginning or in the middle ties a pattern to its folder.
    anchored = "/" in glob
    translated = "".join(_translate(token) for token in _TOKEN.finditer(glob.removeprefix("/")))
    try:
        return re.compile(translated if anchored else f"(?:.*/)?{translated}", re.DOTALL)
    except re.error:  # a set such as [z-a] matches nothing
        return re.compile(r"(?!)")


def _translate(token: re.Match[str]) -> str:
    """Regular expression of a token of a glob."""
    kind = token.lastgroup
    if kind == "set":
        members = token["set"]
        for name, characters in _CLASSES.items():
            members = members.replace(name, characters)
        members = re.sub(r"\\?([\[\]&~|])", r"\\\1", members)  # `re` warns of characters reserved for later syntax
        # A set never matches a slash (fnmatch with FNM_PATHNAME), not even a negated one.
        return f"(?!/)[{'^' if token['negated'] else ''}{members}]"
    simple = {"folders": "(?:.*/)?", "rest": ".*", "name": "[^/]*", "character": "[^/]"}
    return simple[kind] if kind in simple else re.escape(token["literal"])
