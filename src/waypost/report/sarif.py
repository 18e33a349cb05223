"""SARIF 2.1.0, for code scanning and editors; alike findings of several pages are one result with its locations.

Limits are those of GitHub, which refuses a longer file (docs.github.com, "SARIF results exceed limits", read
2026-11-29): 25,000 results in a run, and 100 displayed locations of a result.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from waypost import identity
from waypost.formats.patterns import pattern
from waypost.models.finding import SEVERITIES, FileReport, Finding, Fix, Related, Report, Severity
from waypost.report import RuleNote, Source, View
from waypost.report._causes import CauseReport, Place, about, advice_of, cause_digest, causes, extent, more_values
from waypost.report._notes import absence_in_words, notices
from waypost.report.json import around_lists

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_MOST_RESULTS = 25_000
_MOST_PLACES = 100
_NOTES = "toolExecutionNotifications"
_LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}
_ADDRESS = pattern(r"https?://[^\s>)]+[^\s>).,;]")
# What GitHub calls the same three (docs.github.com, "SARIF support for code scanning", read 2026-11-20).
_PROBLEMS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "recommendation"}


class _Overview:
    """Facts of all pages in front of the results, read in one pass.

    reported  rule -> greatest severity of counting findings; None for a rule of suppressed findings alone.
    """

    def __init__(self, report: Report) -> None:
        self.reported: dict[str, Severity | None] = {}
        self.number = 0
        self.has_suppressed = self.has_notes = False
        self.is_read = True
        for file in report.files:
            self.number += len(file.findings) + len(file.suppressed)
            self.is_read = self.is_read and file.error is None
            self.has_notes = self.has_notes or file.absence is not None or any(notices(file))
            self.has_suppressed = self.has_suppressed or bool(file.suppressed)
            for finding in file.findings:
                former = self.reported.get(finding.rule) or finding.severity
                self.reported[finding.rule] = min(former, finding.severity, key=SEVERITIES.index)
            for finding in file.suppressed:
                self.reported.setdefault(finding.rule, None)


def pieces(report: Report, view: View) -> Iterator[str]:
    seen = _Overview(report)
    # Before the results: they point into this list by index.
    rules = {name: index for index, name in enumerate(sorted(seen.reported))}
    by_cause = view.by_cause(report)
    left_out = 0 if by_cause else max(0, seen.number - _MOST_RESULTS)
    has_notes = not seen.is_read or bool(left_out) or seen.has_notes
    run = {
        "tool": {"driver": _driver(report, seen.reported, view.rules() if rules else {})},
        "invocations": [{"executionSuccessful": seen.is_read} | ({_NOTES: []} if has_notes else {})],
        "columnKind": "utf16CodeUnits",
        "newlineSequences": ["\r\n", "\n", "\r"],
        "properties": {"registryVersion": report.registry_version},
        "results": [],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    marks = seen.has_suppressed
    if by_cause:
        results = _by_cause(report, rules, view, marks)
    else:
        results = (result for file in report.files for result in _results(file, rules, view, marks))
        results = itertools.islice(results, _MOST_RESULTS) if left_out else results
    notes = [(_NOTES, _notes(report, left_out), 4)] if has_notes else []
    yield from around_lists(log, *notes, ("results", results, 2))


def _driver(report: Report, reported: Mapping[str, Severity | None], notes: Mapping[str, RuleNote]) -> dict[str, Any]:
    about = {"informationUri": identity.home()} if identity.home() else {}
    return {
        "name": report.tool["name"],
        "version": report.tool["version"],
        **about,
        "rules": [_rule(name, notes.get(name), severity) for name, severity in sorted(reported.items())],
    }


def _rule(name: str, note: RuleNote | None, reported: Severity | None) -> dict[str, Any]:
    """Rule with its greatest severity in the run: a configuration may change severities."""
    if note is None:
        return {"id": name}
    severity = reported or note.severity
    title = note.doc.partition("\n")[0].removesuffix(".")
    rule = {
        "id": name,
        "shortDescription": {"text": title},
        "fullDescription": {"text": " ".join(note.doc.split("\n\n")[1].split()) if "\n\n" in note.doc else title},
        "help": {"text": note.doc, "markdown": note.doc},
        "defaultConfiguration": {"level": _LEVELS[severity]},
        "properties": {"tags": ["structured-data", note.authority], "problem.severity": _PROBLEMS[severity]},
    }
    # Without a known site, the source of the rule explains it.
    source = _ADDRESS.search(note.doc)
    page = note.page if "://" in note.page else source[0] if source else ""
    return rule | ({"helpUri": page} if page else {})


def _notes(report: Report, left_out: int) -> Iterator[dict[str, Any]]:
    """Notes about results left out, about pages that could not be read, and about pages without structured data."""
    if left_out:
        text = f"{left_out:,} more results than the limit of {_MOST_RESULTS:,} are left out; --group-by cause has all"
        yield {"level": "warning", "descriptor": {"id": "results-left-out"}, "message": {"text": text}}
    for file in report.files:
        if file.error is not None:
            yield {
                "level": "error",
                "message": {"text": file.error},
                "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri(file.path)}}}],
            }
    for file in report.files:
        if file.absence is not None:
            why = absence_in_words(file.absence)
            place = {"artifactLocation": {"uri": uri(file.path)}} | _absence_region(file)
            yield {
                "level": "note",
                "descriptor": {"id": "no-structured-data"},
                "message": {"text": f"no structured data{f': {why}' if why else ''}"},
                "locations": [{"physicalLocation": place}],
            }
        for note in notices(file):
            if note.name != "no-structured-data":
                place = {"artifactLocation": {"uri": uri(file.path)}}
                yield {
                    "level": "note",
                    "descriptor": {"id": note.name},
                    "message": {"text": f"{note.title}: {note.text}"},
                    "locations": [
                        {"physicalLocation": place | ({"region": {"startLine": note.line}} if note.line else {})}
                    ],
                }


def _absence_region(file: FileReport) -> dict[str, Any]:
    line = file.absence.line if file.absence is not None else None
    return {"region": {"startLine": line}} if line else {}


def _by_cause(report: Report, rules: Mapping[str, int], view: View, marks: bool) -> Iterator[dict[str, Any]]:
    """Results of the findings that count, then of suppressed findings by reason."""
    found = causes(report.files, view, most=_MOST_PLACES, findings_of=lambda file: file.findings)
    if marks:
        found += causes(report.files, view, most=_MOST_PLACES, findings_of=lambda file: file.suppressed)
    return (_cause(cause, rules, view, marks) for cause in found)


def _cause(cause: CauseReport, rules: Mapping[str, int], view: View, marks: bool) -> dict[str, Any]:
    first, path = cause.first, cause.places[0].path
    source = view.read(path) if first.fix or first.related else None
    lines = _Lines(view, path, source.text.split("\n") if source else [])
    # A repair of one of many places would look like a repair of all.
    result = _result(first, {"uri": uri(path)}, rules[first.rule], source if cause.count == 1 else None, lines)
    parts = (about(cause.item, first), first.hint, extent(cause), more_values(cause.values))
    result["message"] = {"text": "\n".join(filter(None, parts))}
    result["locations"] = [
        {"physicalLocation": {"artifactLocation": {"uri": uri(place.path)}, "region": _region(place)}}
        for place in cause.places
    ]
    result["occurrenceCount"] = cause.count
    result["partialFingerprints"] = {"waypost/cause/v1": cause_digest(first)}
    result["properties"]["pages"] = cause.pages
    if cause.advice:
        result["properties"]["advice"] = cause.advice
    return result | _standing(first, view, marks)


def _results(file: FileReport, rules: Mapping[str, int], view: View, marks: bool) -> Iterator[dict[str, Any]]:
    where = {"uri": uri(file.path)}
    findings = (*file.findings, *file.suppressed)
    needs_page = any(finding.fix or finding.related for finding in findings)
    source = view.read(file.path) if needs_page else None
    lines = source.text.split("\n") if source else []
    for finding in findings:
        result = _result(finding, where, rules[finding.rule], source, _Lines(view, file.path, lines))
        if finding.advice:
            result["properties"]["advice"] = advice_of(file, finding)
        yield result | _standing(finding, view, marks)


class _Lines:
    """Lines of pages, for columns in UTF-16."""

    def __init__(self, view: View, path: str, lines: Sequence[str]) -> None:
        self._view, self._path, self._lines = view, path, lines

    def of(self, path: str | None) -> Sequence[str]:
        if path is None or path == self._path:
            return self._lines
        source = self._view.read(path)
        return source.text.split("\n") if source else ()


def _standing(finding: Finding, view: View, marks: bool) -> dict[str, Any]:
    """Baseline state and suppressions of a finding. `marks`: the run has suppressions, so every result has the list."""
    # Suppressed findings stay in the log: a viewer would report them as new later. SARIF 2.1.0, section 3.27.23:
    # if any result has `suppressions`, all have, an empty list included.
    why = finding.suppression
    members: dict[str, Any] = {"suppressions": []} if marks else {}
    if view.baseline:
        members["baselineState"] = "unchanged" if why and why.kind == "baseline" else "new"
    if why:
        reason = why.reason or ("it is in the baseline" if why.kind == "baseline" else None)
        kind = "inSource" if why.kind == "page" else "external"
        members["suppressions"] = [{"kind": kind} | ({"justification": reason} if reason else {})]
    return members


def _result(finding: Finding, where: dict[str, str], rule: int, source: Source | None, lines: _Lines) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": rule,
        "level": _LEVELS[finding.severity],
        "message": {"text": f"{finding.message}\n{finding.hint}" if finding.hint else finding.message},
        "locations": [{"physicalLocation": {"artifactLocation": where, "region": _region(finding)}}],
        "partialFingerprints": {"waypost/v1": finding.fingerprint},
        "properties": _properties(finding),
    }
    places = finding.related
    if written := finding.written_in:
        places = (Related("written here", written.line, 1, written.path), *places)
    if places:
        result["relatedLocations"] = [
            _related(
                related, number, {"uri": uri(related.path)} if related.path else where,
                lines.of(related.path) if related.column > 1 else (),
            )
            for number, related in enumerate(places)
        ]  # fmt: skip
    if finding.fix and source:
        result["fixes"] = [_fix(finding, finding.fix, where, source)]
    return result


def _properties(finding: Finding) -> dict[str, Any]:
    names = ("authority", "profile", "syntax", "block", "pointer", "property")
    found = {name: value for name in names if (value := getattr(finding, name)) is not None}
    if finding.page is not None:
        found["page"] = finding.page
    if finding.rendered is not None:
        found["rendered"] = {"line": finding.rendered.line, "column": finding.rendered.column}
    return found


def _region(finding: Finding | Place) -> dict[str, int]:
    return {
        "startLine": finding.line,
        "startColumn": finding.utf16_column,
        "endLine": finding.end_line,
        "endColumn": finding.utf16_end_column,
        "byteOffset": finding.start,
        "byteLength": finding.end - finding.start,
    }


def _related(related: Related, number: int, where: dict[str, str], lines: Sequence[str]) -> dict[str, Any]:
    # Columns count UTF-16 code units here (`columnKind` above); locations of reports count characters.
    before = lines[related.line - 1][: related.column - 1] if related.line <= len(lines) else " " * (related.column - 1)
    column = len(before.encode("utf-16-le", "surrogatepass")) // 2 + 1
    region = {"startLine": related.line, "startColumn": column}
    place = {"artifactLocation": where, "region": region}
    return {"id": number, "message": {"text": related.message}, "physicalLocation": place}


def _fix(finding: Finding, fix: Fix, where: dict[str, str], source: Source) -> dict[str, Any]:
    replacements = []
    for edit in fix.edits:
        at = source.locate(edit.start, edit.end)
        region = {
            "startLine": at.line,
            "startColumn": at.utf16_column,
            "endLine": at.end_line,
            "endColumn": at.utf16_end_column,
        }
        replacements.append({"deletedRegion": region, "insertedContent": {"text": edit.text}})
    return {
        "description": {"text": finding.hint or ("a safe repair" if fix.safe else "a repair to review")},
        "artifactChanges": [{"artifactLocation": where, "replacements": replacements}],
        "properties": {"safe": fix.safe},
    }


def uri(path: str) -> str:
    """URI reference for a path: relative paths stay relative to the working folder."""
    if path.startswith(("http://", "https://")):
        return quote(path, safe="%/:?#[]@!$&'()*+,;=~", errors="replace")
    return ("file://" if path.startswith("/") else "") + quote(path, errors="replace")
