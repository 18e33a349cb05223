"""Workflow commands of GitHub Actions, which become annotations of the change."""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.finding import FileReport, Finding, Report, Severity
from waypost.report import View
from waypost.report._causes import absence_notice, advice_of
from waypost.report._frame import visible
from waypost.report._words import verdict

_COMMANDS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "notice"}


def pieces(report: Report, view: View) -> Iterator[str]:
    for file in report.files:
        if file.error is not None:
            yield f"::error file={_property(file.path)},title=unreadable::{_data(file.error)}\n"
        for finding in view.counting(file):
            yield _annotation(finding, file)
        if (why := absence_notice(file)) is not None:
            line = f",line={file.absence.line}" if file.absence and file.absence.line else ""
            yield f"::notice file={_property(file.path)}{line},title=no structured data::{_data(why)}\n"
    if not view.quiet:
        yield f"{verdict(report)}\n"


def _annotation(finding: Finding, file: FileReport) -> str:
    place = [f"file={_property(file.path)}", f"line={finding.line}", f"endLine={finding.end_line}"]
    if finding.line == finding.end_line:  # GitHub takes columns within one line only
        place += [f"col={finding.column}", f"endColumn={finding.end_column}"]
    title = f"{finding.rule} ({finding.profile or finding.authority})"
    parts = [
        finding.message,
        finding.hint,
        *advice_of(file, finding),
        finding.doc_url if "://" in finding.doc_url else None,
    ]
    body = "%0A".join(_data(each) for each in parts if each)
    return f"::{_COMMANDS[finding.severity]} {','.join(place)},title={_property(title)}::{body}\n"


def _data(text: str) -> str:
    """A message: `%` and line ends escaped as actions/toolkit does, everything else that is invisible shown."""
    # `%` first: it begins the escapes of the others.
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return visible(text)


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
