"""Glob patterns of paths, as in configuration and .gitignore files."""

from __future__ import annotations

import re
from functools import lru_cache


@lru_cache(maxsize=4096)
def pattern(glob: str) -> re.Pattern[str]:
    """Regular expression of a glob over paths with forward slashes.

    `*` and `?` stay inside a name, `**` crosses folders, `[...]` is a set. A glob without a slash, other than at the
    end, matches a name in any folder; a match of a folder includes the folder's contents.
    """
    body = glob.strip("/") if glob != "/" else ""
    anchored = "/" in glob.rstrip("/")
    made, at = "", 0
    while at < len(body):
        if body.startswith("**/", at) and (at == 0 or body[at - 1] == "/"):
            made, at = f"{made}(?:.*/)?", at + 3
        elif body.startswith("**", at):
            made, at = f"{made}.*", at + 2
        elif body[at] == "*":
            made, at = f"{made}[^/]*", at + 1
        elif body[at] == "?":
            made, at = f"{made}[^/]", at + 1
        elif body[at] == "[" and (end := body.find("]", at + 2)) > 0:
            inside = body[at + 1 : end].replace("\\", "\\\\").replace("[", "\\[")
            made, at = f"{made}[{'^' + inside[1:] if inside[:1] in '!^' else inside}]", end + 1
        else:
            if body[at] == "\\" and at + 1 < len(body):
                at += 1
            made, at = made + re.escape(body[at]), at + 1
    tail = "/.*" if glob.endswith("/") else "(?:/.*)?"
    try:
        return re.compile(f"{'' if anchored else '(?:.*/)?'}{made}{tail}", re.DOTALL)
    except re.error:  # a set such as [z-a] matches nothing
        return re.compile(r"(?!)")


def matches(path: str, glob: str) -> bool:
    """Whether a path, or a folder above the path, matches a glob."""
    return pattern(glob).fullmatch(path) is not None
