"""Findings as the protocol tells them: diagnostics, places and edits in the editor's units."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types

from waypost.fix import Edit
from waypost.lsp.checked_document import CheckedDocument
from waypost.lsp.document import Document, Position
from waypost.models.finding import SEVERITIES, Finding, Severity

SOURCE = "waypost"
MOST = 500
"""Diagnostics of one document, the worst first: nobody reads more, and editors become slow."""

_SEVERITIES: dict[Severity, types.DiagnosticSeverity] = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Hint,
}
_DEPRECATED = frozenset({"superseded-property", "superseded-type", "attic-term", "rich-result-retired"})
_UNNECESSARY = frozenset({"suppression-unused", "repeated-value", "empty-value", "json-empty-block"})


def diagnostics(checked: CheckedDocument, uri: str) -> list[types.Diagnostic]:
    """What is said of a document; where there is too much of it, that as well."""
    worst = sorted(checked.findings, key=lambda each: (SEVERITIES.index(each.severity), each.start))
    result = [_diagnostic(each, checked.document, uri) for each in sorted(worst[:MOST], key=lambda each: each.start)]
    if len(worst) > MOST:
        result.append(_note(f"{len(worst) - MOST:,} more findings; `waypost validate` shows all of them"))
    if checked.note:
        result.append(_note(checked.note))
    return result


def _diagnostic(finding: Finding, document: Document, uri: str) -> types.Diagnostic:
    tags = [types.DiagnosticTag.Deprecated] * (finding.rule in _DEPRECATED)
    tags += [types.DiagnosticTag.Unnecessary] * (finding.rule in _UNNECESSARY)
    related = [
        types.DiagnosticRelatedInformation(
            types.Location(uri, _empty(document.position_of_column(each.line, each.column))), each.message
        )
        for each in finding.related
    ]
    return types.Diagnostic(
        range=range_of(document, finding.start, finding.end),
        message=finding.message + (f"\n{finding.hint}" if finding.hint else ""),
        severity=_SEVERITIES[finding.severity],
        code=finding.rule,
        code_description=types.CodeDescription(finding.doc_url) if "://" in finding.doc_url else None,
        source=SOURCE,
        tags=tags or None,
        related_information=related or None,
    )


def _note(message: str) -> types.Diagnostic:
    start = _empty(Position(0, 0))
    return types.Diagnostic(start, message, severity=types.DiagnosticSeverity.Information, source=SOURCE)


def config_diagnostic(message: str) -> types.Diagnostic:
    """What is wrong with a configuration, at its beginning: its text names the place."""
    start = _empty(Position(0, 0))
    return types.Diagnostic(start, message, severity=types.DiagnosticSeverity.Error, source=SOURCE)


def range_of(document: Document, start: int, end: int) -> types.Range:
    """A range of bytes in the editor's units."""
    return types.Range(point(document.position_of_byte(start)), point(document.position_of_byte(end)))


def point(position: Position) -> types.Position:
    return types.Position(position.line, position.character)


def _empty(position: Position) -> types.Range:
    return types.Range(point(position), point(position))


def text_edits(document: Document, edits: Iterable[Edit]) -> list[types.TextEdit]:
    return [
        types.TextEdit(range_of(document, each.start, each.end), each.data.decode("utf-8", "replace")) for each in edits
    ]
