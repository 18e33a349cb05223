"""Workflow commands of GitHub Actions, which become annotations of the change.

A step shows 10 errors, 10 warnings and 10 notices (docs.github.com, "Workflow commands", read 2026-11-29): where a
severity has more findings, alike findings are one annotation, and the log lists the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from waypost.models.finding import FileReport, Finding, Report, Severity
from waypost.report import View
from waypost.report._causes import CauseReport, about, advice_of, causes, more_places
from waypost.report._frame import visible
from waypost.report._notes import notices
from waypost.report._words import count, verdict

_MOST = 10
"""Annotations of a kind that a step shows."""
_MOST_LINES = 100
"""Lines in the log about findings without an annotation."""
_COMMANDS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "notice"}


class _Annotation(NamedTuple):
    """Workflow command, and its text as a line of the log."""

    kind: str
    command: str
    line: str


def pieces(report: Report, view: View) -> Iterator[str]:
    if view.group_by == "page":
        yield from (made.command for file in report.files for made in _of_file(file, view, frozenset(_COMMANDS)))
    else:
        yield from _limited(report, view)
    if not view.quiet:
        yield f"{verdict(report)}\n"


def _limited(report: Report, view: View) -> Iterator[str]:
    """Annotations up to the limit of each kind, then lines for the rest."""
    number = Counter(finding.severity for file in report.files for finding in view.counting(file))
    folded = frozenset(kind for kind in _COMMANDS if number[kind] > _MOST or view.group_by == "cause")
    displayed: Counter[str] = Counter()
    left: list[str] = []
    more = 0
    for made in _annotations(report, view, folded):
        displayed[made.kind] += 1
        if displayed[made.kind] <= _MOST:
            yield made.command
        elif len(left) < _MOST_LINES:
            left.append(made.line)
        else:
            more += 1
    if left:
        yield f"without an annotation, because a step shows {_MOST} of each kind:\n"
        yield from left
    if more:
        yield f"and {count(more, 'more line')}; --output html=report.html lists all\n"


def _annotations(report: Report, view: View, folded: frozenset[Severity]) -> Iterator[_Annotation]:
    """Annotations, alike findings of the severities in `folded` as one."""
    if folded:
        found = causes(
            report.files, view, findings_of=lambda file: [f for f in view.counting(file) if f.severity in folded]
        )
        yield from map(_of_cause, found)
    alone = frozenset(_COMMANDS) - folded
    for file in report.files:
        yield from _of_file(file, view, alone)


def _of_file(file: FileReport, view: View, severities: frozenset[Severity]) -> Iterator[_Annotation]:
    if file.error is not None:
        command = f"::error file={_property(file.path)},title=unreadable::{_data(file.error)}\n"
        yield _Annotation("error", command, f"error: {visible(file.path)}: {visible(file.error)}\n")
    for finding in view.counting(file):
        if finding.severity in severities:
            yield _annotation(finding, file.path, [finding.message, finding.hint, *advice_of(file, finding)])
    for note in notices(file):
        line = f",line={note.line}" if note.line else ""
        command = f"::notice file={_property(file.path)}{line},title={note.title}::{_data(note.text)}\n"
        yield _Annotation("notice", command, f"notice: {visible(file.path)}: {visible(note.text)}\n")


def _of_cause(cause: CauseReport) -> _Annotation:
    first = cause.first
    parts = [about(cause.item, first), first.hint, more_places(cause), *cause.advice]
    return _annotation(first, cause.places[0].path, parts)


def _annotation(finding: Finding, path: str, parts: list[str | None]) -> _Annotation:
    place = [f"file={_property(path)}", f"line={finding.line}", f"endLine={finding.end_line}"]
    if finding.line == finding.end_line:  # GitHub takes columns within one line only
        place += [f"col={finding.column}", f"endColumn={finding.end_column}"]
    title = f"{finding.rule} ({finding.profile or finding.authority})"
    texts = [each for each in (*parts, finding.doc_url if "://" in finding.doc_url else None) if each]
    kind = _COMMANDS[finding.severity]
    command = f"::{kind} {','.join(place)},title={_property(title)}::{'%0A'.join(map(_data, texts))}\n"
    where = f"{path}:{finding.line}:{finding.column}"
    return _Annotation(kind, command, f"{kind}: {visible(f'{where}: {parts[0]} ({finding.rule})')}\n")


def _data(text: str) -> str:
    """A message: `%` and line ends escaped as actions/toolkit does, everything else that is invisible displayed."""
    # `%` first: it begins the escapes of the others.
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return visible(text)


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
