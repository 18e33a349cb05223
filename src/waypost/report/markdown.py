"""Markdown, for a comment on a pull request: bounded, the worst first."""

from __future__ import annotations

import re
from collections.abc import Iterator

from waypost.models.finding import Report
from waypost.report import View
from waypost.report._causes import (
    CauseReport,
    about,
    advice_lines,
    causes,
    more_places,
    result_lines,
    verdict_lines,
    verdicts,
)
from waypost.report._feeds import feed_lines
from waypost.report._frame import visible
from waypost.report._notes import absence_lines, rendering_lines, unread_lines
from waypost.report._words import count, verdict

MOST = 60_000
"""Characters: GitHub takes 65,536 in a comment."""
_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+!|~&@$])")


def pieces(report: Report, view: View) -> Iterator[str]:
    yield f"**waypost**: {_plain(verdict(report))}\n"
    written = left = 0
    for line in _lines(report, view):
        written += len(line)
        if written > MOST:
            left += 1
        else:
            yield line
    if left:
        yield f"\n\n… and {count(left, 'more line')}"
    if written:
        yield "\n"


def _lines(report: Report, view: View) -> Iterator[str]:
    """Unreadable pages, verdicts, then a row for each cause."""
    for file in report.files:
        if file.error is not None:
            yield f"\n- could not read {_code(file.path)}: {_plain(file.error)}"
    if len(report.files) == 1:
        yield from (f"\n- {_plain(line)}" for line in verdict_lines(verdicts(report.files[0], view)))
    else:
        yield from (f"\n- {_plain(line)}" for line in result_lines(report.files))
    for lines in (feed_lines, absence_lines, unread_lines, rendering_lines):
        yield from (f"\n- {_plain(line)}" for line in lines(report.files))
    yield from (f"\n- {_plain(line)}" for line in advice_lines(report.files, view))
    found = causes(report.files, view)
    if found:
        yield "\n\n| | where | what | rule |\n|---|---|---|---|"
    yield from map(_row, found)


def _row(cause: CauseReport) -> str:
    finding, place = cause.first, cause.places[0]
    rule = _code(finding.rule)
    if "://" in finding.doc_url:
        rule = f"[{rule}]({finding.doc_url})"
    origin = finding.profile or finding.authority
    what = _plain(about(cause.item, finding)) + (f"<br>{_plain(finding.hint)}" if finding.hint else "")
    where = _code(f"{place.path}:{place.line}:{place.column}")
    if more := more_places(cause):
        where += f"<br>{_plain(more)}"
    return f"\n| {finding.severity} | {where} | {what} | {rule}<br>{_plain(origin)} |"


def _plain(text: str) -> str:
    """Text that Markdown leaves as it is: no markup, no mention of anyone, no end of the table's cell."""
    return _SPECIAL.sub(r"\\\1", visible(text)).replace("\\@", "&#64;").replace("\\<", "&lt;").replace("\\&", "&amp;")


def _code(text: str) -> str:
    """Text in a code span, fenced by more backticks than it holds; a bar is escaped for the table."""
    text = visible(text).replace("|", "\\|")
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    space = " " if "`" in text else ""
    return f"{fence}{space}{text}{space}{fence}"
