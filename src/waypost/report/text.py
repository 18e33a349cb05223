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

from waypost.models.finding import SEVERITIES, FileReport, Finding, ItemReport, Report
from waypost.report import View
from waypost.report._frame import frame, visible
from waypost.report._terminal import Paint, folded
from waypost.report._words import count, verdict

_UNFOLDED = 100
_NOT_COUNTED = {"page": "the page says so", "config": "the configuration says so", "baseline": "it is in the baseline"}


def pieces(report: Report, view: View) -> Iterator[str]:
    paint = Paint(view.colour)
    hidden = 0
    if view.statistics:
        yield from _statistics(report, view, paint)
    for file in report.files:
        if file.error is not None:
            yield f"{paint('unreadable', 'error')}: {paint(visible(f'{file.path}: {file.error}'), 'bold')}\n\n"
        if (view.verbose and file.items) or file.secondary:
            yield "".join(_items(file, view.verbose, paint))
        findings = view.counting(file) if not view.statistics else []
        hidden += len(file.findings) - len(findings)
        passed_over = view.not_counting(file) if not view.statistics else []
        if findings or passed_over:
            page = _Page(file.path, view, paint)
            yield from (page.finding(finding) for finding in (*findings, *passed_over))
        if file.truncated:
            yield f"{paint('note', 'info')}: {visible(file.path)} has more findings than are kept\n\n"
    if not view.quiet:
        yield _summary(report, hidden, paint)


def _statistics(report: Report, view: View, paint: Paint) -> Iterator[str]:
    """Line per rule: number of findings, severity, number of files, number of safe fixes."""
    rows: dict[tuple[int, str], list[tuple[str, Finding]]] = {}
    for file in report.files:
        for finding in view.counting(file):
            rows.setdefault((SEVERITIES.index(finding.severity), finding.rule), []).append((file.path, finding))
    for (rank, rule), entries in sorted(rows.items(), key=lambda row: (row[0][0], -len(row[1]), row[0][1])):
        severity = SEVERITIES[rank]
        fixable = sum(finding.fix is not None and finding.fix.safe for _, finding in entries)
        where = count(len({path for path, _ in entries}), "file")
        more = f"; --fix mends {fixable:,}" if fixable else ""
        yield f"{len(entries):>7,} {paint(f'{severity:<7}', severity)} {rule} ({where}{more})\n"
    if rows:
        yield "\n"


class _Page:
    """Printer for the findings of a page: path, lines, width."""

    def __init__(self, path: str, view: View, paint: Paint) -> None:
        source = view.read(path)
        self.path = visible(path)
        self.lines: Sequence[str] = source.text.split("\n") if source else ()
        self.paint = paint
        self.width = view.width

    def finding(self, finding: Finding) -> str:
        paint = self.paint
        more = self._following(finding.line)
        gutter = len(str(max([finding.line + len(more), *(each.line for each in finding.related if not each.path)])))
        bar = f"{' ' * gutter} {paint('=', 'gutter')} "
        out = [
            self._head(finding),
            f"{' ' * gutter}{paint('-->', 'gutter')} {self.path}:{finding.line}:{finding.column}",
            *self._code(finding.line, finding.column, _end(finding), gutter, finding.severity),
            *(self._context(finding.line + n, line, gutter) for n, line in enumerate(more, 1)),
        ]
        for related in finding.related:
            where = f"{visible(related.path)}:" if related.path else ""
            out.append(f"{bar}see {where}{related.line}:{related.column}: {visible(related.message)}")
            if not related.path:
                out += self._code(related.line, related.column, related.column + 1, gutter, "gutter")
        if finding.hint:
            indent = gutter + 9
            hint = folded(visible(finding.hint), self.width, indent, " " * indent)
            out.append(f"{bar}{paint('hint:', 'good')} {hint}")
        origin = f"{finding.authority}, {finding.profile}" if finding.profile else finding.authority
        if why := finding.suppression:
            out.append(
                bar
                + paint(f"not counted: {_NOT_COUNTED[why.kind]}", "dim")
                + (f" ({visible(why.reason)})" if why.reason else "")
            )
        out.append(bar + paint(f"{origin}: {finding.doc_url}", "dim"))
        return "\n".join(out) + "\n\n"

    def _head(self, finding: Finding) -> str:
        taken = len(finding.severity) + len(finding.rule) + 4
        message = folded(visible(finding.message), self.width, taken, "  ")
        name = f"{self.paint(finding.severity, finding.severity)}{self.paint(f'[{finding.rule}]', 'dim')}"
        return f"{name}: {self.paint(message, 'bold')}"

    def _code(self, line: int, column: int, end: int, gutter: int, how: str) -> list[str]:
        """Code frame; empty for a page that is unreadable or has changed since."""
        if not 1 <= line <= len(self.lines):
            return []
        text = self.lines[line - 1].rstrip()
        drawn = frame(text, column - 1, min(end - 1, max(len(text), column)), self._room(gutter))
        bar = self.paint("|", "gutter")
        return [
            f"{' ' * gutter} {bar}",
            f"{self.paint(str(line).rjust(gutter), 'gutter')} {bar} {drawn.text}",
            f"{' ' * gutter} {bar} {' ' * drawn.before}{self.paint('^' * drawn.length, how)}",
        ]

    def _following(self, line: int) -> Sequence[str]:
        """Lines below a lone bracket, which show the object of the bracket."""
        if not 1 <= line <= len(self.lines) or len(self.lines[line - 1].strip()) > 2:
            return ()
        return [each for each in self.lines[line : line + 2] if each.strip()]

    def _context(self, line: int, text: str, gutter: int) -> str:
        drawn = frame(text.rstrip(), 0, 1, self._room(gutter)).text
        return self.paint(f"{line:>{gutter}}", "gutter") + f" {self.paint('|', 'gutter')} {self.paint(drawn, 'dim')}"

    def _room(self, gutter: int) -> int:
        return max((self.width or _UNFOLDED) - gutter - 3, 24)


def _end(finding: Finding) -> int:
    """End column of the mark: of a location over several lines only the first is marked, to the end."""
    return finding.end_column if finding.end_line == finding.line else 1 << 30


def _items(file: FileReport, verbose: bool, paint: Paint) -> Iterator[str]:
    yield f"{paint(visible(file.path), 'bold')}\n"
    if verbose:
        yield from (f"  {_item(item, paint)}\n" for item in file.items)
    for syntax, found in (file.secondary or {}).items():
        yield f"  {syntax}: {len(found) or 'nothing'} found, not judged; --format json shows it\n"
    yield "\n"


def _item(item: ItemReport, paint: Paint) -> str:
    line = f"{item.line}:{item.column} {visible(' and '.join(item.types) or 'untyped item')} ({item.syntax})"
    if item.eligible:
        line += paint(f", eligible for {', '.join(item.eligible)}", "good")
    if item.retired:
        line += paint(f", retired: {', '.join(item.retired)}", "warning")
    return line


def _summary(report: Report, hidden: int, paint: Paint) -> str:
    summary = report.summary
    how = "error" if summary.errors or any(f.error for f in report.files) else "warning" if summary.warnings else "good"
    line = paint(verdict(report), how)
    if hidden:
        line += paint(f" ({hidden:,} of information only: --verbose shows {'it' if hidden == 1 else 'them'})", "dim")
    if any("://" not in finding.doc_url for file in report.files for finding in file.findings[:1]):
        line += "\n" + paint("waypost rules NAME explains a rule or a profile", "dim")
    return f"{line}\n"
