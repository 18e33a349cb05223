"""Findings for people: the verdict about each item, then a line for each cause; --verbose shows each in its line.

1 error and 1 warning in 1 file; 1 item
Recipe 'Apple pie', line 14: not eligible for recipe results
  1 thing to do: image
recipes/pie.html:14:5: error[required-property-missing]: image is missing; recipe results need it
  14 |     {"@type": "Recipe",
     |     ^
recipes/pie.html:21:18: warning[duration-invalid]: '40 min' is not a duration; write PT40M
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from waypost.models.finding import SEVERITIES, Compared, FileReport, Finding, Report
from waypost.report import View, page_of
from waypost.report._causes import (
    MOST_USEFUL,
    CauseReport,
    NodeReport,
    about,
    advice_lines,
    causes,
    more_places,
    nodes_of,
    result_lines,
    retired_results,
    verdict_lines,
    verdicts,
)
from waypost.report._feeds import feed_lines
from waypost.report._frame import frame, visible
from waypost.report._notes import absence_lines, rendering_lines, unread_lines
from waypost.report._terminal import Paint, cells, folded
from waypost.report._words import count, verdict

_UNFOLDED = 100
_MOST_FRAMED = 3  # errors shown in their line
_MOST_ELSEWHERE = 2  # places in other pages
_MOST_UNREAD = 3  # files that could not be read for one reason
_NOT_COUNTED = {"page": "the page says so", "config": "the configuration says so", "baseline": "it is in the baseline"}


def pieces(report: Report, view: View) -> Iterator[str]:
    paint = Paint(view.colour)
    if not view.quiet:
        yield _summary(report, view, paint)
    if view.statistics:
        yield from _statistics(report, view, paint)
    yield from _unread(report, view, paint)
    if not view.statistics:
        yield from _Overview(report, view, paint).pieces()
        for file in report.files:
            yield from _file(file, view, paint)
    if not view.quiet and view.width is not None and not view.statistics:
        yield _foot(report, view, paint)


def _unread(report: Report, view: View, paint: Paint) -> Iterator[str]:
    """What could not be read, and why; of many with one reason the first few, unless `verbose`."""
    places: dict[str, list[str]] = {}
    numbers: Counter[str] = Counter()
    for file in report.files:
        if file.error is not None:
            numbers[file.error] += 1
            paths = places.setdefault(file.error, [])
            if view.verbose or len(paths) <= _MOST_UNREAD:
                paths.append(file.path)
    word = paint("unreadable", "error")
    for reason, paths in places.items():
        first = paths if view.verbose or numbers[reason] <= _MOST_UNREAD + 1 else paths[:_MOST_UNREAD]
        yield from (f"{word}: {paint(visible(f'{path}: {reason}'), 'bold')}\n" for path in first)
        if more := numbers[reason] - len(first):
            yield f"{word}: {more:,} more for the same reason (--verbose shows them)\n"


def _file(file: FileReport, view: View, paint: Paint) -> Iterator[str]:
    """Findings that belong to a page alone: everything with `verbose`, else only what the overview leaves out."""
    if (view.verbose and file.items) or file.secondary:
        yield "".join(_items(file, view, paint))
    passed_over = view.not_counting(file)
    findings = file.findings if view.verbose else []
    if findings or passed_over:
        page = _Page(file.path, view, paint)
        yield from (page.finding(finding) for finding in (*findings, *passed_over))
    if file.truncated:
        yield f"{paint('note', 'info')}: {visible(file.path)} has more findings than are kept\n"


class _Overview:
    """Verdicts about items and causes of findings, greatest effect first."""

    def __init__(self, report: Report, view: View, paint: Paint) -> None:
        self.files = report.files
        self.view = view
        self.paint = paint
        self.is_page = len(report.files) == 1

    def pieces(self) -> Iterator[str]:
        covered: list[Finding] = []
        if self.is_page:
            (file,) = self.files
            made = verdicts(file, self.view, joint="\n")
            covered = [finding for each in made for finding in each.covered]
            yield from map(self._line, verdict_lines(made))
        elif not self.view.quiet:
            yield from map(self._line, result_lines(self.files))
        if not self.view.quiet:
            yield from map(self._line, feed_lines(self.files))
            yield from map(self._line, absence_lines(self.files))
            yield from map(self._line, unread_lines(self.files))
            yield from map(self._line, rendering_lines(self.files))
        if self.is_page or not self.view.quiet:
            yield from map(self._line, advice_lines(self.files, self.view))
        found = causes(self.files, self.view)
        if self.is_page:
            # The verdict has reported these already.
            found = [cause for cause in found if not any(cause.first is each for each in covered)]
        if self.view.verbose:
            # With --verbose each finding follows in its line: a page alone needs no overview, and a run the top of it.
            found = [] if self.is_page else found[:MOST_USEFUL]
        yield from self._causes(found)

    def _causes(self, found: list[CauseReport]) -> Iterator[str]:
        framed = 0
        has_head = not self.is_page and len(found) >= MOST_USEFUL
        if has_head:
            yield f"\n{self.paint('Most useful changes', 'bold')}\n"
        for number, cause in enumerate(found):
            if has_head and number == MOST_USEFUL:
                yield f"\n{self.paint('Further findings', 'bold')}\n"
            yield self._cause(cause)
            if cause.first.compared:
                yield self._compared(cause.first)
            if framed < _MOST_FRAMED and cause.first.severity == "error":
                framed += 1
                yield from _Page(cause.places[0].path, self.view, self.paint).short_frame(cause.first)
        if self.view.verbose and found:
            yield "\n"

    def _cause(self, cause: CauseReport) -> str:
        first, place = cause.first, cause.places[0]
        where = visible(f"{place.path}:{place.line}:{place.column}")
        name = f"{self.paint(first.severity, first.severity)}{self.paint(f'[{first.rule}]', 'dim')}"
        text = f"{self._about(cause)}{f'; {first.hint}' if first.hint else ''}"
        more = "; ".join((*_elsewhere(first), *filter(None, [more_places(cause)])))
        head = f"{where}: {name}:"
        line = visible(text + f" ({more})" * bool(more))
        # Counted without colours, which take no room.
        taken = len(where) + len(first.severity) + len(first.rule) + 6
        if self.view.width is None or taken + cells(line) <= self.view.width:
            return f"{head} {line}\n"
        return f"{head}\n  {folded(line, self.view.width, 2, '  ')}\n"

    def _compared(self, finding: Finding) -> str:
        """Different values of a property side by side, with sources and places."""
        of_each: dict[str, list[Compared]] = {}
        for each in finding.compared:
            of_each.setdefault(each.what or "", []).append(each)
        return "".join(self._side_by_side(what, sides) for what, sides in of_each.items())

    def _side_by_side(self, what: str, sides: list[Compared]) -> str:
        columns = (
            f"{each.source} {visible(f'{each.path}:') if each.path else ''}{each.line}:{each.column}: "
            f"{self.paint(visible(each.value), 'bold')}"
            for each in sides
        )
        return f"  {what}{': ' * bool(what)}{self.paint(' | ', 'dim').join(columns)}\n"

    def _about(self, cause: CauseReport) -> str:
        """Message of a cause, with its node unless the page has no other."""
        is_alone = self.is_page and len(nodes_of(self.files[0])) == 1
        return about(None if is_alone else cause.item, cause.first)

    def _line(self, text: str) -> str:
        """Text with each further part of a verdict in a line of its own."""
        head, *parts = text.split("\n")
        lines = [folded(visible(head), self.view.width, 0, "  ")]
        lines += ["  " + folded(visible(part), self.view.width, 2, "    ") for part in parts]
        return "".join(f"{line}\n" for line in lines)


def written_in(finding: Finding) -> list[str]:
    """Source line of a finding of a built page in words; empty without one."""
    source = finding.written_in
    return [f"written in {source.path}:{source.line}"] if source else []


def _elsewhere(finding: Finding) -> list[str]:
    """Source of a finding, places after scripts, and in other pages unless the values stand in columns."""
    others = finding.related if not finding.compared else ()
    pages = [f"see {each.path}:{each.line}:{each.column}" for each in others if each.path]
    return [*written_in(finding), *_of_one_page(finding), *pages[:_MOST_ELSEWHERE]]


def _of_one_page(finding: Finding) -> list[str]:
    """The only page with a finding, as sent or after scripts; empty for both."""
    if finding.page == "rendered" and finding.rendered is not None:
        return [f"in the rendered page, {finding.rendered.line}:{finding.rendered.column}"]
    if finding.page == "raw" and finding.rule != "rendered-item-removed":
        return ["in the page as it is sent alone"]
    return []


def _statistics(report: Report, view: View, paint: Paint) -> Iterator[str]:
    """Line per rule: number of findings, severity, number of files, number of safe fixes."""
    found: Counter[tuple[int, str]] = Counter()
    fixable: Counter[tuple[int, str]] = Counter()
    files: Counter[tuple[int, str]] = Counter()
    for file in report.files:
        keys = [(SEVERITIES.index(finding.severity), finding.rule) for finding in view.counting(file)]
        found.update(keys)
        files.update(set(keys))
        fixes = zip(keys, view.counting(file), strict=True)
        fixable.update(key for key, finding in fixes if finding.fix is not None and finding.fix.safe)
    for key, number in sorted(found.items(), key=lambda row: (row[0][0], -row[1], row[0][1])):
        severity, rule = SEVERITIES[key[0]], key[1]
        more = f"; --fix fixes {fixable[key]:,}" if fixable[key] else ""
        where = count(files[key], "file")
        yield f"{number:>7,} {paint(f'{severity:<7}', severity)} {rule} ({where}{more})\n"


class _Page:
    """Printer for the findings of a page: path, lines, width."""

    def __init__(self, path: str, view: View, paint: Paint) -> None:
        source = view.read(path)
        self.path = visible(path)
        self.lines: Sequence[str] = source.text.split("\n") if source else ()
        self.paint = paint
        self.width = view.width

    def short_frame(self, finding: Finding) -> Iterator[str]:
        """Line of a finding with the mark below."""
        gutter = len(str(finding.line)) + 2
        rows = self._code(finding.line, finding.column, _end(finding), gutter, finding.severity)
        return (f"{row}\n" for row in rows[1:])

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
        out += [f"{bar}{visible(text)}" for text in written_in(finding)]
        if finding.hint:
            indent = gutter + 9
            hint = folded(visible(finding.hint), self.width, indent, " " * indent)
            out.append(f"{bar}{paint('hint:', 'good')} {hint}")
        if finding.search_console:
            indent = gutter + 19
            sentence = folded(visible(finding.search_console), self.width, indent, " " * indent)
            out.append(f"{bar}Search Console: {sentence}")
        origin = f"{finding.authority}, {finding.profile}" if finding.profile else finding.authority
        if why := finding.suppression:
            out.append(
                bar
                + paint(f"not counted: {_NOT_COUNTED[why.kind]}", "dim")
                + (f" ({visible(why.reason)})" if why.reason else "")
            )
        out.append(bar + paint(f"{origin}: {page_of(finding)}", "dim"))
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


def _items(file: FileReport, view: View, paint: Paint) -> Iterator[str]:
    yield f"{paint(visible(file.path), 'bold')}\n"
    if view.verbose:
        yield from (f"  {_item(each, paint)}\n" for each in verdicts(file, view))
    for syntax, found in (file.secondary or {}).items():
        yield f"  {syntax}: {len(found) or 'nothing'} found, not checked; --format json shows it\n"
    yield "\n"


def _item(verdict: NodeReport, paint: Paint) -> str:
    node = verdict.node
    line = f"{visible(verdict.label)}, {node.line}:{node.column} ({node.syntax})"
    text = verdict.text
    if verdict.rank == 3 and not (text or node.retired or node.not_eligible):
        text = "no rich result of its own"
    if text:
        line += f": {paint(visible(text), 'good' if verdict.rank == 2 else 'bold')}"
    if node.retired and retired_results(node) not in text:
        line += paint(f"; {retired_results(node)}", "warning")
    return line


def _summary(report: Report, view: View, paint: Paint) -> str:
    summary = report.summary
    how = "error" if summary.errors or any(f.error for f in report.files) else "warning" if summary.warnings else "good"
    line = paint(folded(verdict(report), view.width, 0, "  "), how)
    if hidden := 0 if view.verbose else summary.infos:
        more = f"({hidden:,} of information only: --verbose shows {'it' if hidden == 1 else 'them'})"
        is_long = view.width is not None and cells(f"{verdict(report)} {more}") > view.width
        line += ("\n  " if is_long else " ") + paint(folded(more, view.width, 2, "  "), "dim")
    return f"{line}\n"


def _foot(report: Report, view: View, paint: Paint) -> str:
    """Last lines on a terminal: what a reader may want next, and the verdict again below a long report."""
    lines = (
        [paint(folded("waypost rules NAME explains a rule or a profile", view.width, 0, "  "), "dim")]
        if any(map(view.counting, report.files))
        else []
    )
    if view.verbose and lines:
        lines.insert(0, folded(verdict(report), view.width, 0, "  "))
    return "".join(f"{line}\n" for line in lines)
