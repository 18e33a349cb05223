"""Findings as LSP diagnostics; ranges and edits in the editor's units."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from lsprotocol import types

from waypost.fixes import Edit
from waypost.lsp.checked_document import CheckedDocument
from waypost.lsp.document import Document, Position
from waypost.models.finding import SEVERITIES, Finding, Severity
from waypost.validate.rulebook import rules_of

SOURCE = "waypost"
MOST = 500
"""Limit of diagnostics for a document, the worst first: more make editors slow."""

_SEVERITIES: dict[Severity, types.DiagnosticSeverity] = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Hint,
}
_DEPRECATED = frozenset({"superseded-property", "superseded-type", "attic-term", "rich-result-retired"})
_UNNECESSARY = frozenset({"suppression-unused", "repeated-value", "empty-value", "json-empty-block"})


_ADDRESS = re.compile(r"https?://[^\s>)]+[^\s>).,;]")


def diagnostics(checked: CheckedDocument, uri: str) -> list[types.Diagnostic]:
    """Diagnostics of a document, with a note about findings beyond the limit."""
    worst = sorted(checked.findings, key=lambda finding: (SEVERITIES.index(finding.severity), finding.start))
    in_order = sorted(worst[:MOST], key=lambda finding: finding.start)
    result = [_diagnostic(finding, checked, uri) for finding in in_order]
    if len(worst) > MOST:
        result.append(_note(f"{len(worst) - MOST:,} more findings; `waypost validate` shows all of them"))
    if checked.note:
        result.append(_note(checked.note))
    return result


def _diagnostic(finding: Finding, checked: CheckedDocument, uri: str) -> types.Diagnostic:
    document, page = checked.document, _page_of(finding, checked)
    tags = [types.DiagnosticTag.Deprecated] * (finding.rule in _DEPRECATED)
    tags += [types.DiagnosticTag.Unnecessary] * (finding.rule in _UNNECESSARY)
    related = [
        types.DiagnosticRelatedInformation(
            types.Location(uri, _empty(document.position_of_column(place.line, place.column))), place.message
        )
        for place in finding.related
    ]
    if (source := finding.written_in) is not None:
        path = Path(source.path).absolute().as_uri()
        start = _empty(Position(source.line - 1, 0))
        message = f"written in {source.path}:{source.line}"
        related.insert(0, types.DiagnosticRelatedInformation(types.Location(path, start), message))
    return types.Diagnostic(
        range=range_of(document, finding.start, finding.end),
        message=finding.message + (f"\n{finding.hint}" if finding.hint else ""),
        severity=_SEVERITIES[finding.severity],
        code=finding.rule,
        code_description=types.CodeDescription(page) if page else None,
        source=SOURCE,
        tags=tags or None,
        related_information=related or None,
    )


def _page_of(finding: Finding, checked: CheckedDocument) -> str:
    """Address that explains a finding: the rule's page, without a known site the source of the profile or the rule."""
    if "://" in finding.doc_url:
        return finding.doc_url
    if finding.profile in checked.registry.profiles:
        return checked.registry.profiles[finding.profile].doc
    rule = rules_of(checked.registry).get(finding.rule)
    source = _ADDRESS.search(rule.doc) if rule is not None else None
    return source[0] if source else ""


def _note(message: str) -> types.Diagnostic:
    start = _empty(Position(0, 0))
    return types.Diagnostic(start, message, severity=types.DiagnosticSeverity.Information, source=SOURCE)


def config_diagnostic(message: str, line: int, *, is_error: bool) -> types.Diagnostic:
    """Error or warning about a configuration, at the start of a line (1-based): the message names the key."""
    start = _empty(Position(line - 1, 0))
    severity = types.DiagnosticSeverity.Error if is_error else types.DiagnosticSeverity.Warning
    return types.Diagnostic(start, message, severity=severity, source=SOURCE)


def range_of(document: Document, start: int, end: int) -> types.Range:
    """Range of bytes in the editor's units."""
    return types.Range(point(document.position_of_byte(start)), point(document.position_of_byte(end)))


def point(position: Position) -> types.Position:
    return types.Position(position.line, position.character)


def _empty(position: Position) -> types.Range:
    return types.Range(point(position), point(position))


def text_edits(document: Document, edits: Iterable[Edit]) -> list[types.TextEdit]:
    return [
        types.TextEdit(range_of(document, edit.start, edit.end), edit.data.decode("utf-8", "replace")) for edit in edits
    ]
