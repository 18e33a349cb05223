"""Markdown, for a comment on a pull request: bounded, the worst first."""

from __future__ import annotations

import re
from collections.abc import Iterator

from waypost.models.finding import SEVERITIES, FileReport, Finding, Report
from waypost.report import View
from waypost.report._frame import visible
from waypost.report._words import count, verdict

MOST = 60_000
"""Characters: GitHub takes 65,536 in a comment."""
_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+!|~&@$])")


def pieces(report: Report, view: View) -> Iterator[str]:
    yield f"**waypost**: {_plain(verdict(report))}\n"
    rows = [(finding, file) for file in report.files for finding in view.counting(file)]
    rows.sort(key=lambda row: SEVERITIES.index(row[0].severity))
    unread = [file for file in report.files if file.error is not None]
    lines = [f"\n- could not read {_code(file.path)}: {_plain(file.error or '')}" for file in unread]
    if rows:
        lines.append("\n\n| | where | what | rule |\n|---|---|---|---|")
        lines += [_row(finding, file) for finding, file in rows]
    written = 0
    for number, line in enumerate(lines):
        written += len(line)
        if written > MOST:
            yield f"\n\n… and {count(len(lines) - number, 'more line')}"
            break
        yield line
    if lines:
        yield "\n"


def _row(finding: Finding, file: FileReport) -> str:
    rule = _code(finding.rule)
    if "://" in finding.doc_url:
        rule = f"[{rule}]({finding.doc_url})"
    origin = finding.profile or finding.authority
    what = _plain(finding.message) + (f"<br>{_plain(finding.hint)}" if finding.hint else "")
    where = _code(f"{file.path}:{finding.line}:{finding.column}")
    return f"\n| {finding.severity} | {where} | {what} | {rule}<br>{_plain(origin)} |"


def _plain(text: str) -> str:
    """Text that Markdown leaves as it is: no markup, no mention of anybody, no end of the table's cell."""
    return _SPECIAL.sub(r"\\\1", visible(text)).replace("\\@", "&#64;").replace("\\<", "&lt;").replace("\\&", "&amp;")


def _code(text: str) -> str:
    """Text in a code span, fenced by more backticks than it holds; a bar is escaped for the table."""
    text = visible(text).replace("|", "\\|")
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    space = " " if "`" in text else ""
    return f"{fence}{space}{text}{space}{fence}"
