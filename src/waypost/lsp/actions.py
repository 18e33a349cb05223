"""Code actions for findings: fixes, and comments or configuration entries that suppress findings."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types

from waypost.fixes import Edit, fix_page
from waypost.lint.project import UNKNOWN
from waypost.lsp.checked_document import CheckedDocument
from waypost.lsp.diagnostics import SOURCE, point, range_of, text_edits
from waypost.lsp.document import Document
from waypost.models.finding import FileReport, Finding

FIX_ALL = "source.fixAll.waypost"
KINDS = [types.CodeActionKind.QuickFix, FIX_ALL]
MOST, MOST_IF_LARGE, LARGE_BYTES = 10, 2, 400_000
"""Limits of findings with actions in a request: every finding costs a few validations of the document."""


class Target(NamedTuple):
    """Document to edit. `versioned`: the editor accepts edits for a version of the document."""

    uri: str
    versioned: bool


REASON_TO_WRITE = "TODO: say why"
"""Reason in a new comment, for the author to replace: editors list such marks."""
_TAG = re.compile(rb"<[a-zA-Z][^\s>/]*")
_DOCTYPE = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<!doctype[^>]*>\r?\n?)?", re.IGNORECASE)


def actions(
    checked: CheckedDocument, target: Target, start: int, end: int, displayed: Sequence[types.Diagnostic]
) -> list[types.CodeAction]:
    """Code actions for findings in a range of bytes. `displayed`: diagnostics in the editor."""
    made: list[types.CodeAction] = []
    most = MOST if len(checked.document.data) < LARGE_BYTES else MOST_IF_LARGE
    for finding in checked.between(start, end)[:most]:
        about = [
            diagnostic
            for diagnostic in displayed
            if diagnostic.source == SOURCE and _is_about(diagnostic, finding, checked)
        ]
        for title, edits, is_safe in _repairs(checked, finding):
            action = _action(title, edits, checked, target, about)
            action.is_preferred = is_safe or None
            made.append(action)
        made += (_action(title, edits, checked, target, about) for title, edits in _words(checked, finding))
        made += _in_config(checked, finding, about)
    return made


def fix_all(checked: CheckedDocument, target: Target) -> types.CodeAction | None:
    """Action with every safe fix of the document; None without a fix."""
    if not can_fix(checked.report):
        return None
    done = fix_page(
        checked.document.data, checked.validate, encoding="utf-8", before=checked.report, broken=checked.broken_blocks
    )
    if not done.changes:
        return None
    action = _action(FIX_ALL_TITLE, done.changes, checked, target, [])
    action.kind = FIX_ALL
    return action


FIX_ALL_TITLE = "Make every safe repair in this document (waypost)"


def can_fix(report: FileReport) -> bool:
    return any(finding.fix is not None and finding.fix.safe for finding in report.findings)


def _repairs(checked: CheckedDocument, finding: Finding) -> Iterator[tuple[str, Sequence[Edit], bool]]:
    """(title, edits, safe) for the fix of a finding, if the fix does no harm."""
    if finding.fix is None:
        return
    done = fix_page(
        checked.document.data, checked.validate, unsafe=True, encoding="utf-8", before=checked.report,
        only=lambda candidate: candidate is finding, broken=None,
    )  # fmt: skip
    if done.changes:
        what = finding.hint or finding.message
        yield (
            what[:1].upper() + what[1:] + ("" if finding.fix.safe else " (a guess: review it)"),
            done.changes,
            finding.fix.safe,
        )


def _words(checked: CheckedDocument, finding: Finding) -> Iterator[tuple[str, Sequence[Edit]]]:
    """(title, edits) for a comment that suppresses a finding; tried on the document first."""
    if checked.kind == "json":
        return
    data = checked.document.data
    tried: list[tuple[Edit | None, str]]
    if checked.kind == "code":
        tried = [_before_line(checked, finding)]
    else:
        tried = [_before_element(checked, finding), _for_page(checked, finding)]
    # From the narrowest to the widest; the first that takes the finding away is offered.
    for edit, title in tried:
        if edit is None:
            continue
        report = checked.validate(data[: edit.start] + edit.data + data[edit.end :])
        # Counted, as equal findings have one fingerprint.
        before = sum(entry.fingerprint == finding.fingerprint for entry in checked.findings)
        if sum(entry.fingerprint == finding.fingerprint for entry in report.findings) < before:
            yield title, [edit]
            return


def _before_line(checked: CheckedDocument, finding: Finding) -> tuple[Edit, str]:
    """Comment of the language before the line of a finding in code."""
    data = checked.document.data
    line = data.rfind(b"\n", 0, finding.start) + 1
    indent = data[line : finding.start][: len(data[line : finding.start]) - len(data[line : finding.start].lstrip())]
    sign = "#" if checked.source.language in {".yaml", ".yml"} else "//"
    comment = f"{sign} waypost-ignore {finding.rule}: {REASON_TO_WRITE}".encode()
    return Edit(line, line, indent + comment + _line_end(data)), f"Ignore {finding.rule} in this member"


def _before_element(checked: CheckedDocument, finding: Finding) -> tuple[Edit | None, str]:
    """Comment before the element of a finding."""
    data = checked.masked
    block = next((span for span in checked.blocks if span[0] <= finding.start <= span[1]), None)
    if block is not None:
        at = data.lower().rfind(b"<script", 0, block[0])
    else:
        at = finding.start
        # Back to the nearest start tag.
        while at >= 0 and not _TAG.match(data, at):
            at = data.rfind(b"<", 0, at)
    if at < 0:
        return None, ""
    line = data.rfind(b"\n", 0, at) + 1
    indent = data[line:at]
    # On a line of its own where the element begins a line.
    behind = _line_end(data) + indent if not indent.strip() else b""
    comment = f"<!-- waypost-ignore {finding.rule}: {REASON_TO_WRITE} -->".encode()
    return Edit(at, at, comment + behind), f"Ignore {finding.rule} in this element"


def _for_page(checked: CheckedDocument, finding: Finding) -> tuple[Edit, str]:
    """Comment for the whole page, after the doctype."""
    data = checked.document.data
    found = _DOCTYPE.match(data)
    at = found.end() if found else 0
    comment = f"<!-- waypost-ignore-file {finding.rule}: {REASON_TO_WRITE} -->".encode()
    return Edit(at, at, comment + _line_end(data)), f"Ignore {finding.rule} on this page"


def _line_end(data: bytes) -> bytes:
    return b"\r\n" if b"\r\n" in data else b"\n"


def _in_config(checked: CheckedDocument, finding: Finding, about: list[types.Diagnostic]) -> Iterator[types.CodeAction]:
    """Configuration entry that ignores a rule in this file, for a project with a configuration."""
    if checked.config.path is None or checked.where == UNKNOWN:
        return
    path = Path(checked.config.path)
    table = "tool.waypost.ignore" if path.name == "pyproject.toml" else "ignore"
    quoted = checked.config.relative(checked.where).replace("\\", "\\\\").replace('"', '\\"')
    try:
        text = path.read_text("utf-8")
        entry = (
            f"{'' if text.endswith(chr(10)) or not text else chr(10)}\n[[{table}]]\n"
            f'reason = "{REASON_TO_WRITE}"\nfiles = ["{quoted}"]\nrules = ["{finding.rule}"]\n'
        )
        tomllib.loads(text + entry)
    except (OSError, ValueError):
        return  # appending a table would break the file, such as one with an inline table
    end = point(Document(text, checked.document.units).position(len(text)))
    yield types.CodeAction(
        title=f"Ignore {finding.rule} in this file, in {path.name}",
        kind=types.CodeActionKind.QuickFix,
        diagnostics=about or None,
        edit=types.WorkspaceEdit(changes={path.as_uri(): [types.TextEdit(types.Range(end, end), entry)]}),
    )


def _action(
    title: str, edits: Sequence[Edit], checked: CheckedDocument, target: Target, about: Sequence[types.Diagnostic]
) -> types.CodeAction:
    changed = text_edits(checked.document, edits)
    if target.versioned:  # editors reject an edit for an older version
        where = types.OptionalVersionedTextDocumentIdentifier(uri=target.uri, version=checked.document.version)
        edit = types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(where, list(changed))])
    else:
        edit = types.WorkspaceEdit(changes={target.uri: changed})
    return types.CodeAction(
        title=title, kind=types.CodeActionKind.QuickFix, diagnostics=list(about) or None, edit=edit
    )  # fmt: skip


def _is_about(displayed: types.Diagnostic, finding: Finding, checked: CheckedDocument) -> bool:
    return displayed.code == finding.rule and displayed.range == range_of(checked.document, finding.start, finding.end)
