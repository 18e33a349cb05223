"""Outline of a document: a symbol for each node with its rich results, for the editor's outline and breadcrumbs."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from waypost.lsp.checked_document import CheckedDocument
from waypost.lsp.diagnostics import point, range_of
from waypost.lsp.document import Position
from waypost.models.finding import NodeVerdict
from waypost.report import View
from waypost.report._causes import NodeReport, retired_results, verdicts

MOST = 500
"""Limit of symbols: longer outlines make editors slow."""


def symbols(checked: CheckedDocument) -> list[types.DocumentSymbol]:
    """Symbols in the order of the nodes, with the verdict as detail."""
    found = sorted(reports(checked), key=lambda each: (each.node.line, each.node.column))
    return [_symbol(each, checked) for each in found[:MOST]] or _outline(checked)


def _outline(checked: CheckedDocument) -> list[types.DocumentSymbol]:
    """Symbols of a source without verdicts: nodes, each inside its parent."""
    made: list[types.DocumentSymbol] = []
    roots = []
    for node in checked.outline[:MOST]:
        here = range_of(checked.document, node.start, node.end)
        made.append(types.DocumentSymbol(node.label, types.SymbolKind.Object, here, here, detail=node.via or None))
        if 0 <= node.above < len(made) - 1:
            parent = made[node.above]
            parent.children = [*(parent.children or ()), made[-1]]
        else:
            roots.append(made[-1])
    return roots


def reports(checked: CheckedDocument) -> Iterator[NodeReport]:
    """Verdicts about the nodes of a document; a template has none, whose values are not known."""
    if checked.report.verdicts or not checked.source.language:
        yield from verdicts(checked.report, View())


def at_position(checked: CheckedDocument, at: Position) -> str | None:
    """Verdict about the node that begins in a line, before a position: the last of several."""
    line = [each for each in reports(checked) if _start(each.node, checked).line == at.line]
    before = [each for each in line if _start(each.node, checked).character <= at.character] or line[:1]
    best = max(before, key=lambda each: each.node.column, default=None)
    text = _detail(best) if best is not None else ""
    return f"{best.label}: {text}" if best is not None and text else None


def _detail(report: NodeReport) -> str:
    return report.text or (retired_results(report.node) if report.node.retired else "")


def _start(node: NodeVerdict, checked: CheckedDocument) -> Position:
    return checked.document.position_of_column(node.line, node.column)


def _symbol(report: NodeReport, checked: CheckedDocument) -> types.DocumentSymbol:
    start = point(_start(report.node, checked))
    here = types.Range(start, start)
    return types.DocumentSymbol(
        name=report.label,
        detail=_detail(report) or None,
        kind=types.SymbolKind.Object,
        range=here,
        selection_range=here,
    )
