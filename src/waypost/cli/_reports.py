"""Reports of a run, to standard output and to files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from waypost.cli._console import UsageError, check_output, coloured, width_of, write
from waypost.formats.text import near
from waypost.models.finding import Report
from waypost.report import View, format_names, pieces


class Target(NamedTuple):
    """Report to write: format and file; None for standard output."""

    name: str
    path: str | None


_BY_SUFFIX = {
    ".sarif": "sarif", ".sarif.json": "sarif", ".json": "json", ".ndjson": "ndjson", ".xml": "junit", ".html": "html",
    ".htm": "html", ".md": "markdown", ".markdown": "markdown", ".txt": "text", ".log": "text",
}  # fmt: skip
"""Format of a file by the end of its name, the longest that fits."""


def targets(outputs: Sequence[str], name: str | None) -> list[Target]:
    """Reports to write. `FORMAT=FILE` adds a report; a FILE alone replaces standard output. Raises UsageError.

    name  format of --format; without one the name of the file says the format.
    """
    requested: list[Target] = []
    plain: str | None = None
    for output in outputs:
        front, equals, path = output.partition("=")
        # `=` is legal in a file name: only a known format before it makes a pair, and a word like one is an error.
        if equals and front in format_names():
            requested.append(Target(front, path))
        elif equals and front.replace("-", "").isalnum():
            raise _unknown_format(output, front)
        elif plain is not None:
            raise UsageError(f"--output {output}: say in which format, as in --output sarif={output}")
        else:
            plain = output
    requested.insert(0, Target(name or _format_of(plain or ""), None if plain == "-" else plain))
    # Before any page is read: a run of minutes must not fail at its end.
    _check_files([target.path for target in requested if target.path is not None])
    return requested


def _unknown_format(output: str, name: str) -> UsageError:
    similar = near(name, format_names())
    hint = f"did you mean {similar[0]}?" if similar else f"there are {', '.join(format_names())}"
    return UsageError(f"--output {output}: there is no format {name!r}; {hint} (or write ./{output} for a file)")


def _check_files(paths: Sequence[str]) -> None:
    for path in paths:
        check_output(path)
        if paths.count(path) > 1:
            raise UsageError(f"--output: two reports would go to {path}")


def _format_of(path: str) -> str:
    """Format of a report by the name of its file; text for a name without an ending. Raises UsageError."""
    suffixes = [suffix for suffix in _BY_SUFFIX if path.lower().endswith(suffix)]
    if suffixes:
        return _BY_SUFFIX[max(suffixes, key=len)]
    if ending := Path(path).suffix:
        raise UsageError(
            f"--output {path}: no format has the ending {ending!r}; there are {', '.join(_BY_SUFFIX)} "
            "(or say which with --format)"
        )
    return "text"


def write_reports(report: Report, requested: Sequence[Target], view: View, colour: str) -> None:
    """Write the reports. A text report without files is not written to standard output."""
    for name, path in requested:
        if path is None and name == "text" and not report.files:
            continue
        own_view = view._replace(
            colour=coloured(colour, sys.stdout) if path is None else colour == "always",
            width=width_of(sys.stdout) if path is None else None,
        )
        write(pieces(report, name, own_view), path)
