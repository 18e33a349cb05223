"""SARIF 2.1.0, for code scanning and editors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from waypost import identity
from waypost.models.finding import FileReport, Finding, Fix, Related, Report, Severity
from waypost.report import RuleNote, Source, View
from waypost.report._causes import absence_in_words, advice_of
from waypost.report.json import around_lists

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_NOTES = "toolExecutionNotifications"
_LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}
# What GitHub calls the same three (docs.github.com, "SARIF support for code scanning", read 2026-11-20).
_PROBLEMS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "recommendation"}


def pieces(report: Report, view: View) -> Iterator[str]:
    # Before the results: they point into this list by index.
    named = sorted({finding.rule for file in report.files for finding in (*file.findings, *file.suppressed)})
    places = {name: index for index, name in enumerate(named)}
    marks = any(file.suppressed for file in report.files)
    is_read = not any(file.error is not None for file in report.files)
    has_notes = not is_read or any(file.absence is not None for file in report.files)
    run = {
        "tool": {"driver": _driver(report, named, view.rules() if named else {})},
        "invocations": [{"executionSuccessful": is_read} | ({_NOTES: []} if has_notes else {})],
        "columnKind": "utf16CodeUnits",
        "newlineSequences": ["\r\n", "\n", "\r"],
        "properties": {"registryVersion": report.registry_version},
        "results": [],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    results = (result for file in report.files for result in _results(file, places, view, marks))
    notes = [(_NOTES, _notes(report), 4)] if has_notes else []
    yield from around_lists(log, *notes, ("results", results, 2))


def _driver(report: Report, named: Sequence[str], notes: Mapping[str, RuleNote]) -> dict[str, Any]:
    about = {"informationUri": identity.home()} if identity.home() else {}
    return {
        "name": report.tool["name"],
        "version": report.tool["version"],
        **about,
        "rules": [_rule(name, notes.get(name)) for name in named],
    }


def _rule(name: str, note: RuleNote | None) -> dict[str, Any]:
    if note is None:
        return {"id": name}
    title = note.doc.partition("\n")[0].removesuffix(".")
    rule = {
        "id": name,
        "shortDescription": {"text": title},
        "fullDescription": {"text": " ".join(note.doc.split("\n\n")[1].split()) if "\n\n" in note.doc else title},
        "help": {"text": note.doc, "markdown": note.doc},
        "defaultConfiguration": {"level": _LEVELS[note.severity]},
        "properties": {"tags": ["structured-data", note.authority], "problem.severity": _PROBLEMS[note.severity]},
    }
    return rule | ({"helpUri": note.page} if "://" in note.page else {})


def _notes(report: Report) -> Iterator[dict[str, Any]]:
    """Notes about pages that could not be read, then about pages without structured data."""
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


def _absence_region(file: FileReport) -> dict[str, Any]:
    line = file.absence.line if file.absence is not None else None
    return {"region": {"startLine": line}} if line else {}


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
    if finding.related:
        result["relatedLocations"] = [
            _related(related, number, {"uri": uri(related.path)} if related.path else where, lines.of(related.path))
            for number, related in enumerate(finding.related)
        ]
    if finding.fix and source:
        result["fixes"] = [_fix(finding, finding.fix, where, source)]
    return result


def _properties(finding: Finding) -> dict[str, Any]:
    names = ("authority", "profile", "syntax", "block", "pointer", "property")
    return {name: value for name in names if (value := getattr(finding, name)) is not None}


def _region(finding: Finding) -> dict[str, int]:
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
