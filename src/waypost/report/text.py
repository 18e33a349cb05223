"""Findings for people: each with its line of the page, a mark under the fault, and what to do.

error[required-property-missing]: Recipe has no image
  --> recipes/pie.html:14:5
   |
14 |     {"@type": "Recipe",
   |     ^
   = hint: add "image" with an absolute URL
   = google, google/recipe: /profiles/google/recipe/
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from waypost.report import View
from waypost.report._frame import frame, visible
from waypost.report._terminal import Paint, folded
from waypost.report._words import verdict
from waypost.shapes.finding import FileReport, Finding, ItemReport, Report

_UNFOLDED = 100


def pieces(report: Report, view: View) -> Iterator[str]:
    paint = Paint(view.colour)
    hidden = 0
    for file in report.files:
        if file.error is not None:
            yield f"{paint('unreadable', 'error')}: {paint(visible(f'{file.path}: {file.error}'), 'bold')}\n\n"
        if view.verbose and file.items:
            yield "".join(_items(file, paint))
        shown = view.shown(file)
        hidden += len(file.findings) - len(shown)
        lines = _lines(file, view) if shown else ()
        for finding in shown:
            yield _finding(finding, file.path, lines, paint, view.width)
        if file.truncated:
            yield f"{paint('note', 'info')}: {visible(file.path)} has more findings than are kept\n\n"
    if not view.quiet:
        yield _summary(report, hidden, paint)


def _lines(file: FileReport, view: View) -> Sequence[str]:
    source = view.read(file.path)
    return source.text.split("\n") if source else ()


def _finding(finding: Finding, path: str, lines: Sequence[str], paint: Paint, width: int | None) -> str:
    gutter = len(str(max(finding.line, *(r.line for r in finding.related)) if finding.related else finding.line))
    margin = " " * gutter
    head = f"{paint(finding.severity, finding.severity)}{paint(f'[{finding.rule}]', 'dim')}: "
    indent = len(finding.severity) + len(finding.rule) + 4
    message = folded(visible(finding.message), width, indent, "  ")
    out = [head + paint(message, "bold")]
    out.append(f"{margin}{paint('-->', 'gutter')} {visible(path)}:{finding.line}:{finding.column}")
    out += _code(finding.line, finding.column, _end(finding), lines, gutter, finding.severity, paint, width)
    for related in finding.related:
        said = f"see {related.line}:{related.column}: {visible(related.message)}"
        out.append(f"{margin} {paint('=', 'gutter')} {said}")
        out += _code(related.line, related.column, related.column + 1, lines, gutter, "gutter", paint, width)
    bar = f"{margin} {paint('=', 'gutter')} "
    if finding.hint:
        out.append(
            bar + paint("hint:", "good") + " " + folded(visible(finding.hint), width, gutter + 9, " " * (gutter + 9))
        )
    whose = f"{finding.authority}, {finding.profile}" if finding.profile else finding.authority
    out.append(bar + paint(f"{whose}: {finding.doc_url}", "dim"))
    return "\n".join(out) + "\n\n"


def _end(finding: Finding) -> int:
    """The column where the mark ends: of a place over several lines only the first is marked, to its end."""
    return finding.end_column if finding.end_line == finding.line else 1 << 30


def _code(
    line: int, column: int, end: int, lines: Sequence[str], gutter: int, how: str, paint: Paint, width: int | None
) -> list[str]:
    """The code frame; nothing when the page cannot be read again or has changed since."""
    if not 1 <= line <= len(lines):
        return []
    text = lines[line - 1].rstrip()
    room = max((width or _UNFOLDED) - gutter - 3, 24)
    drawn = frame(text, column - 1, min(end - 1, max(len(text), column)), room)
    bar = paint("|", "gutter")
    return [
        f"{' ' * gutter} {bar}",
        f"{paint(str(line).rjust(gutter), 'gutter')} {bar} {drawn.text}",
        f"{' ' * gutter} {bar} {' ' * drawn.before}{paint('^' * drawn.length, how)}",
    ]


def _items(file: FileReport, paint: Paint) -> Iterator[str]:
    yield f"{paint(visible(file.path), 'bold')}\n"
    for item in file.items:
        yield f"  {_item(item, paint)}\n"
    yield "\n"


def _item(item: ItemReport, paint: Paint) -> str:
    said = f"{item.line}:{item.column} {visible(' and '.join(item.types) or 'untyped item')} ({item.syntax})"
    if item.eligible:
        said += paint(f", eligible for {', '.join(item.eligible)}", "good")
    if item.retired:
        said += paint(f", retired: {', '.join(item.retired)}", "warning")
    return said


def _summary(report: Report, hidden: int, paint: Paint) -> str:
    summary = report.summary
    how = "error" if summary.errors or any(f.error for f in report.files) else "warning" if summary.warnings else "good"
    line = paint(verdict(report), how)
    if hidden:
        line += paint(f" ({hidden:,} of information only: --verbose shows {'it' if hidden == 1 else 'them'})", "dim")
    return f"{line}\n"
