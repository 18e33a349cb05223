"""GitLab's code quality report (an issue for each error and warning)."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator
from typing import Any

from waypost.models.finding import FileReport, Finding, Report, Severity
from waypost.report import View
from waypost.report._causes import CauseReport, about, advice_of, cause_digest, causes, extent, more_values
from waypost.report._notes import Notice, notices
from waypost.report.json import indented

_MOST_PLACES = 100
"""Places that an issue about several pages names."""
# docs.gitlab.com, "Code Quality report format", read 2026-11-20: info, minor, major, critical, blocker.
_SEVERITIES: dict[Severity, str] = {"error": "major", "warning": "minor", "info": "info"}


def pieces(report: Report, view: View) -> Iterator[str]:
    found = (
        map(_issue_of_cause, causes(report.files, view, most=_MOST_PLACES))
        if view.by_cause(report)
        else (_issue(finding, file) for file in report.files for finding in view.counting(file))
    )
    issues = itertools.chain(
        found,
        (_unread(file) for file in report.files if file.error is not None),
        (_note(file, note) for file in report.files for note in notices(file)),
    )
    yield "["
    first = True
    for issue in issues:
        yield f"{'' if first else ','}\n  {indented(issue).replace(chr(10), chr(10) + '  ')}"
        first = False
    yield "]\n" if first else "\n]\n"


def _issue(finding: Finding, file: FileReport) -> dict[str, Any]:
    advice = advice_of(file, finding)
    return {
        "description": f"{finding.message}; {finding.hint}" if finding.hint else finding.message,
        "check_name": finding.rule,
        "fingerprint": _unique(file.path, finding.rule, finding.fingerprint),
        "severity": _SEVERITIES[finding.severity],
        "location": {"path": file.path, "lines": {"begin": finding.line, "end": finding.end_line}},
        **({"content": {"body": "\n".join(advice)}} if advice else {}),
    }


def _issue_of_cause(cause: CauseReport) -> dict[str, Any]:
    finding, place = cause.first, cause.places[0]
    further = [f"{each.path}:{each.line}" for each in cause.places[1:]]
    if left := cause.count - len(cause.places):
        further.append(f"and {left:,} more")
    body = [*cause.advice, *(["Further places: " + ", ".join(further)] if further else [])]
    what = about(cause.item, finding)
    return {
        "description": "; ".join(filter(None, (what, finding.hint, extent(cause), more_values(cause.values)))),
        "check_name": finding.rule,
        "fingerprint": cause_digest(finding),
        "severity": _SEVERITIES[finding.severity],
        "location": {"path": place.path, "lines": {"begin": place.line, "end": place.end_line}},
        **({"content": {"body": "\n".join(body)}} if body else {}),
    }


def _note(file: FileReport, note: Notice) -> dict[str, Any]:
    line = note.line or 1
    return {
        "description": f"{note.title}: {note.text}",
        "check_name": note.name,
        "fingerprint": _unique(file.path, note.name, ""),
        "severity": _SEVERITIES["info"],
        "location": {"path": file.path, "lines": {"begin": line, "end": line}},
    }


def _unread(file: FileReport) -> dict[str, Any]:
    return {
        "description": f"could not be read: {file.error}",
        "check_name": "unreadable",
        "fingerprint": _unique(file.path, "unreadable", ""),
        "severity": "critical",
        "location": {"path": file.path, "lines": {"begin": 1, "end": 1}},
    }


def _unique(*parts: str) -> str:
    """Fingerprint unique in the whole report, as GitLab requires; `Finding.fingerprint` is unique in a page."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:32]
