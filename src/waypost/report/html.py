"""Report as one page to read and to pass on: no script, nothing from elsewhere.

Written without a template: `waypost validate --format html` is in the plain package, which has no Jinja2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import chain, islice
from typing import TypeAlias

from waypost.formats.page_name import PageName, name_of
from waypost.formats.patterns import pattern
from waypost.models.finding import SEVERITIES, Compared, FileReport, Finding, Report
from waypost.registry import shared_registry
from waypost.registry.report_sentences import message_pages
from waypost.report import View
from waypost.report._causes import (
    MOST_USEFUL,
    CauseReport,
    about,
    advice_lines,
    causes,
    fold,
    more_values,
    node_of,
    nodes_of,
    result_lines,
    values_of,
    verdict_lines,
    verdicts,
)
from waypost.report._feeds import feed_lines
from waypost.report._frame import visible
from waypost.report._notes import absence_lines, rendering_lines, unread_lines  # fmt: skip
from waypost.report._style import STYLE, brand, page_name
from waypost.report._words import count, verdict

_LONG = pattern(r"\S{20,}")
_JOINTS = pattern(r"(?<=[a-z0-9][./_])(?=[A-Za-z])|(?<=[a-z]{4})(?=[A-Z][a-z]{2}\S{16})")
"""Places where a long name may break: behind a dot, slash or underscore, and before a capital far from its end."""
_SITE_ROOT = pattern(r"(https?://\S+?/)(?:rules|profiles)/")
_AROUND, _MOST_MARKED = 60, 200  # characters of a line that are shown
_MOST_CAUSES = 100  # rows of the table over all pages
_MOST_DETAILED, _MOST_ROWS = 100, 1_000  # pages shown in full, and rows of their table, in a report by cause
_Row: TypeAlias = tuple[bool, list[int], int, str]
_FEW = 1_000  # rows that are sorted without a temporary file
_MOST_NAMED = 500  # pages whose titles are read
_NO_NAME = PageName()
_FOLLOWING = 2  # lines under a lone bracket, which tell which one it is
_SOURCES = ("markup", "page", "feed")
_NOT_COUNTED = {"page": "the page says so", "config": "the configuration says so", "baseline": "it is in the baseline"}
_STYLE = (
    STYLE
    + """
details h2{display:inline;font-size:1.1rem;margin:0}
.verdicts{margin:0 0 1.75rem;padding-left:1.2rem}
details .verdicts{margin:.6rem 0}
.verdicts li{margin:.2rem 0}
.verdicts ul{padding-left:1.2rem}
tr:not(.top) b{font-weight:400}
details{border-top:1px solid var(--line);padding:1rem 0}
summary{cursor:pointer}
article{background:var(--surface);border:1px solid var(--line);border-left:.3rem solid var(--line);border-radius:.5rem;
  padding:.8rem 1rem;margin:.75rem 0 0}
article.error{border-left-color:var(--stop)}
article.warning{border-left-color:var(--heed)}
article.info{border-left-color:var(--lake)}
article.passed-over{border-style:dashed;border-left:.3rem solid var(--line)}
article .what{font-weight:600}
article .quiet{font-size:.9rem}
pre{background:var(--surface-2);padding:.5rem .75rem;margin:.5rem 0;overflow-x:auto;border-radius:.25rem;
  font:.85rem/1.5 "JetBrains Mono",ui-monospace,monospace;tab-size:4}
pre i{font-style:normal;color:var(--ink-3)}
mark{background:none;color:inherit;font-weight:700;text-decoration:underline wavy 1px;text-underline-offset:.2em}
.error mark{text-decoration-color:var(--stop)}
.warning mark{text-decoration-color:var(--heed)}
.info mark{text-decoration-color:var(--lake)}
.compared{margin:.5rem 0}
.compared td::before{content:attr(data-column) ": "}
@media(min-width:40rem){.compared td::before{content:none}}
@media(max-width:40rem){h1{font-size:1.4rem}thead{position:absolute;clip-path:inset(50%)}tr,td{display:block}
  tr{padding:.5rem .8rem;border-bottom:1px solid var(--line)}tr:last-child{border:0}td{padding:0;border:0}
  td.number{display:inline;color:var(--ink-3);white-space:normal}td.number:empty{display:none}
  td.number::before{content:attr(data-column) ": "}td.number+td.number{margin-left:1rem}}
@media print,(max-width:40rem){pre{white-space:pre-wrap}}
@media print{details{break-inside:auto}}
"""
).rstrip()


def pieces(report: Report, view: View) -> Iterator[str]:
    headline = _text(_headline(report))
    found = causes(report.files, view) if len(report.files) > 1 else []
    is_limited = view.by_cause(report) and len(report.files) > _MOST_DETAILED
    detailed = _detailed(report, view, found) if is_limited else None
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{headline} | waypost</title>\n<style>\n{_STYLE}\n</style>\n</head>\n<body>\n"
        f"{brand('structured data report')}<h1>{headline}</h1>\n"
    )
    names = _names(report, view, detailed)
    if len(report.files) > 1:
        yield from _verdicts(
            [
                *result_lines(report.files),
                *feed_lines(report.files),
                *_further_lines(report.files),
                *advice_lines(report.files, view),
            ]
        )
        yield from _causes(report, view, found)
        yield from _pages(report, view, detailed, names)
    if _is_clean(report, view):
        path = report.files[0].path
        yield f"<h2>{_prose(names[0].title or path)}</h2>\n{page_name(names[0], path)}"
        yield from _verdicts(
            [*verdict_lines(verdicts(report.files[0], view, joint="\n")), *_further_lines(report.files)]
        )
    left = 0
    for number, file in enumerate(report.files):
        if detailed is None or number in detailed:
            yield from _file(number, file, view, names.get(number, _NO_NAME))
        else:
            left += _has_something(file, view)
    if left:
        yield (
            f'<p class="quiet">{count(left, "more page")} with findings of the same kinds, which '
            "<code>--group-by page</code> shows in full</p>\n"
        )
    yield (
        f"<footer>Checked with waypost {_text(report.tool['version'])}, registry "
        f"{_text(report.registry_version)}</footer>\n</body>\n</html>\n"
    )


def _names(report: Report, view: View, detailed: frozenset[int] | None) -> dict[int, PageName]:
    """Names of the first pages that the report shows in full, by number: each takes another reading of a page."""
    numbers = (
        number
        for number, file in enumerate(report.files)
        if (_has_something(file, view) if detailed is None else number in detailed) or len(report.files) == 1
    )
    found: dict[int, PageName] = {}
    for number in islice(numbers, _MOST_NAMED):
        source = view.read(report.files[number].path)
        found[number] = name_of(source.text) if source else _NO_NAME
    return found


def _detailed(report: Report, view: View, found: Sequence[CauseReport]) -> frozenset[int]:
    """Numbers of the pages shown in full by a report by cause: pages of first places, and the worst pages."""
    linked = {cause.places[0].path for cause in found[:_MOST_CAUSES]}
    examples = (number for number, file in enumerate(report.files) if file.path in linked)
    return frozenset([*examples, *(row[2] for row in islice(_in_order(_rows(report, view)), _MOST_DETAILED))])


def _headline(report: Report) -> str:
    text = verdict(report)
    return text[:1].upper() + text[1:]


_VERDICT = pattern(r"(?s)(eligible|.+?, line [\d,]+(?: and [\d,]+ more)?): (.+)")


def _verdict(line: str) -> str:
    """Verdict as an entry of a list: the item in bold, below it what holds for the item, each part a line of `line`."""
    found = _VERDICT.fullmatch(line)
    if found is None:
        return f"<li>{_prose(line)}</li>\n"
    parts = found[2].split("\n")
    if len(parts) == 1:
        return f"<li><b>{_prose(found[1])}</b>: {_prose(parts[0])}</li>\n"
    held = "".join(f"<li>{_prose(part)}</li>\n" for part in parts)
    return f"<li><b>{_prose(found[1])}</b>\n<ul>\n{held}</ul></li>\n"


def _verdicts(lines: Iterable[str]) -> Iterator[str]:
    items = "".join(map(_verdict, lines))
    if items:
        yield f'<ul class="verdicts">\n{items}</ul>\n'


def _causes(report: Report, view: View, found: Sequence[CauseReport]) -> Iterator[str]:
    """Table of the causes on all pages, greatest effect first: the most useful changes stand on top."""
    if not found:
        return
    linked = {cause.places[0].path for cause in found[:_MOST_CAUSES]}
    numbers = {
        file.path: number
        for number, file in enumerate(report.files)
        if file.path in linked and _has_something(file, view)
    }
    heading = "Most useful changes" if len(found) > MOST_USEFUL else "What to change"
    yield (
        f"<h2>{heading}</h2>\n<table>\n<thead><tr><th scope='col'>Change</th>"
        '<th scope="col" class="number">Places</th><th scope="col" class="number">Pages</th></tr></thead>\n<tbody>\n'
    )
    for number, cause in enumerate(found[:_MOST_CAUSES]):
        first, place = cause.first, cause.places[0]
        top = ' class="top"' if number < MOST_USEFUL < len(found) else ""
        hint = f"<br>To fix it: {_prose(first.hint)}" if first.hint else ""
        where = _prose(f"{place.path}:{place.line}:{place.column}")
        yield (
            f'<tr{top}><td class="{first.severity}"><span class="severity">{first.severity}</span>: '
            f"<b>{_prose(about(cause.item, first))}</b>{hint}"
            f'{_also(cause.values)}<br><a href="#page-{numbers[place.path]}">{where}</a> '
            f"{_rule(first)}</td>"
            f'<td class="number" data-column="Places">{cause.count:,}</td>'
            f'<td class="number" data-column="Pages">{cause.pages:,}</td></tr>\n'
        )
    yield "</tbody>\n</table>\n"
    if len(found) > _MOST_CAUSES:
        yield f'<p class="quiet">{count(len(found) - _MOST_CAUSES, "more change")} below, page by page</p>\n'


def _pages(report: Report, view: View, detailed: frozenset[int] | None, names: Mapping[int, PageName]) -> Iterator[str]:
    """Table of pages with findings, the worst first, with links; for several pages only.

    detailed  numbers of the pages that the report shows in full; None for all.
    names     titles and addresses by number.
    """
    heads = ["Errors", "Warnings", *["Information"] * view.verbose, *["Not counted"] * view.suppressed]
    rows = _in_order(_rows(report, view))
    first = list(islice(rows, 2))
    if len(first) < 2:
        return
    cells = "".join(f'<th scope="col" class="number">{head}</th>' for head in heads)
    yield f'<table>\n<thead><tr><th scope="col">Page</th>{cells}</tr></thead>\n<tbody>\n'
    for is_read, counts, number, path in islice(chain(first, rows), None if detailed is None else _MOST_ROWS):
        cells = "".join(
            f'<td class="number" data-column="{head}">{-each or ""}</td>'
            for head, each in zip(heads, counts, strict=True)
        )
        if not is_read:
            cells = f'<td class="number error" colspan="{len(heads)}"><span class="severity">unreadable</span></td>'
        named = names.get(number, _NO_NAME)
        name = _prose(named.title or path)
        if detailed is None or number in detailed:
            name = f'<a href="#page-{number}">{name}</a>'
        yield f"<tr><td>{name}{page_name(named, path)}</td>{cells}</tr>\n"
    yield "</tbody>\n</table>\n"
    if left := sum(1 for _ in rows):
        yield f'<p class="quiet">{count(left, "more page")} with findings</p>\n'


def _rows(report: Report, view: View) -> Iterator[_Row]:
    """(whether the page was read, its counts below 0, its number, its path) of the pages with findings."""
    for number, file in enumerate(report.files):
        if not _has_something(file, view):
            continue
        found = [each.severity for each in view.counting(file)]
        counts = [found.count(severity) for severity in SEVERITIES[: 2 + view.verbose]]
        counts += [len(view.not_counting(file))] * view.suppressed
        yield file.error is None, [-each for each in counts], number, file.path


def _in_order(rows: Iterator[_Row]) -> Iterator[_Row]:
    few = list(islice(rows, _FEW))
    if len(few) < _FEW:
        return iter(sorted(few))
    from waypost.spill import in_order

    return in_order(chain(few, rows))


def _is_clean(report: Report, view: View) -> bool:
    """Whether the report is about one page without a finding: then only the results are left to say."""
    return len(report.files) == 1 and not _has_something(report.files[0], view)


def _has_something(file: FileReport, view: View) -> bool:
    return bool(view.counting(file) or view.not_counting(file) or file.error is not None or file.truncated)


def _further_lines(files: Sequence[FileReport]) -> Iterator[str]:
    """What is missing, what was not read, and what scripts change."""
    yield from absence_lines(files)
    yield from unread_lines(files)
    yield from rendering_lines(files)


def _file(number: int, file: FileReport, view: View, name: PageName) -> Iterator[str]:
    if not _has_something(file, view):
        return
    findings = [*view.counting(file), *view.not_counting(file)]
    total = f' <span class="quiet">{count(len(findings), "finding")}</span>' if findings else ""
    yield f'<details open id="page-{number}">\n<summary><h2>{_prose(name.title or file.path)}</h2>{total}</summary>\n'
    yield page_name(name, file.path)
    if file.error is not None:
        yield f'<article class="error"><p><span class="severity">unreadable</span>: {_text(file.error)}</p></article>\n'
    yield from _verdicts(
        [*verdict_lines(verdicts(file, view, joint="\n")), *_further_lines([file]), *advice_lines([file], view)]
    )
    if findings:
        source = view.read(file.path)
        lines = source.text.split("\n") if source else []
        yield from (_finding(same, file, lines) for same in fold(view.counting(file)))
        yield from (_finding([finding], file, lines) for finding in view.not_counting(file))
    if file.truncated:
        yield '<p class="quiet">This page has more findings than are kept.</p>\n'
    yield "</details>\n"


def _finding(same: Sequence[Finding], file: FileReport, lines: Sequence[str]) -> str:
    """Alike findings of a page: the first with a line, and every place."""
    finding = same[0]
    passed_over = " passed-over" if finding.suppression else ""
    nodes = nodes_of(file)
    message = about(node_of(nodes, finding) if len(nodes) > 1 else None, finding)
    severity = finding.severity
    out = [
        f'<article class="{severity}{passed_over}">\n',
        f'<p class="what"><span class="severity">{severity}</span>: {_prose(message)}</p>\n',
        _code(finding, lines),
    ]
    if finding.compared:
        out.append(_compared(finding))
    if finding.hint:
        out.append(f"<p>To fix it: {_prose(finding.hint)}</p>\n")
    if len(same) > 1:
        places = ", ".join(f"{each.line}:{each.column}" for each in same)
        out.append(f"<p>{count(len(same), 'place')}: {places}{_also(values_of(same))}</p>\n")
    return "".join((*out, *_notes(finding)))


def _compared(finding: Finding) -> str:
    """Table of different values: a row for each property, a column for each source, places below the values."""
    sources = [each for each in _SOURCES if any(side.source == each for side in finding.compared)]
    rows: dict[str | None, dict[str, Compared]] = {}
    for side in finding.compared:
        rows.setdefault(side.what, {})[side.source] = side
    first = '<th scope="col">Value</th>' if len(rows) > 1 else ""
    heads = first + "".join(f'<th scope="col">{each.capitalize()}</th>' for each in sources)
    body = "".join(
        f"<tr>{_row_head(what) if first else ''}{''.join(_side(each, sides.get(each)) for each in sources)}</tr>"
        for what, sides in rows.items()
    )
    return f'<table class="compared"><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>\n'


def _row_head(what: str | None) -> str:
    return f'<th scope="row">{_text(what or "")}</th>'


def _side(source: str, side: Compared | None) -> str:
    """Cell with a value and its place; a dash where a source does not have the value."""
    if side is None:
        return f'<td data-column="{source.capitalize()}">–</td>'
    where = f"{_text(f'{side.path}, ') if side.path else ''}line {side.line}, column {side.column}"
    value = f'<b>{_prose(side.value)}</b><br><span class="quiet">{where}</span>'
    return f'<td data-column="{source.capitalize()}">{value}</td>'


def _also(values: Mapping[str, None]) -> str:
    """Further values that alike findings quote, on a line of their own."""
    also = more_values(values)
    return f"<br>{_text(also)}" if also else ""


def _notes(finding: Finding) -> Iterator[str]:
    """Related places, reason of a suppression, place and origin of a finding."""
    for related in () if finding.compared else finding.related:
        where = f"{_text(f'{related.path}:') if related.path else ''}{related.line}:{related.column}"
        yield f'<p class="quiet">see {where}: {_text(related.message)}</p>\n'
    if source := finding.written_in:
        yield f'<p class="quiet">written in {_text(source.path)}:{source.line}</p>\n'
    if why := finding.suppression:
        reason = f" ({_text(why.reason)})" if why.reason else ""
        yield f'<p class="quiet">not counted: {_NOT_COUNTED[why.kind]}{reason}</p>\n'
    if finding.search_console:
        yield f'<p class="quiet">Search Console: {_sentence(finding, finding.search_console)}</p>\n'
    origin = finding.profile or finding.authority
    place = f"Line {finding.line}, column {finding.column}"
    if finding.rendered is not None:
        place += f"; line {finding.rendered.line}, column {finding.rendered.column} of the rendered page"
    yield f'<p class="quiet">{place}. Rule: {_rule(finding)}. Source: {_text(origin)}</p>\n</article>\n'


def _rule(finding: Finding) -> str:
    """Rule of a finding, linked to its page where the site is known."""
    rule = f"<code>{_text(finding.rule)}</code>"
    if finding.doc_url.startswith(("http://", "https://")):
        return f'<a href="{escape(finding.doc_url)}">{rule}</a>'
    return rule


def _sentence(finding: Finding, sentence: str) -> str:
    """Sentence of the consumer's report, linked to its page where the site of the rule's page is known."""
    page = message_pages(shared_registry()).get(sentence)
    root = _SITE_ROOT.match(finding.doc_url)
    if page is None or root is None:
        return _prose(sentence)
    return f'<a href="{escape(root[1])}{escape(page)}">{_prose(sentence)}</a>'


def _code(finding: Finding, lines: Sequence[str]) -> str:
    """Line with the location marked; empty for a page that is unreadable or has changed since."""
    if not 1 <= finding.line <= len(lines):
        return ""
    line = lines[finding.line - 1].rstrip()
    start = min(finding.column - 1, len(line))
    end = min(finding.end_column - 1, len(line)) if finding.end_line == finding.line else len(line)
    end = max(min(end, start + _MOST_MARKED), start)
    before, after = line[max(0, start - _AROUND) : start], line[end : end + _AROUND]
    left, right = "…" * (start > _AROUND), "…" * (len(line) > end + _AROUND)
    marked = f"{left}{_text(before)}<mark>{_text(line[start:end])}</mark>{_text(after)}{right}"
    more = lines[finding.line : finding.line + _FOLLOWING] if len(line.strip()) <= 2 else ()
    width = len(str(finding.line + len(more)))
    following = (
        f"\n<i>{finding.line + number:>{width}} |</i> {_text(each[:_MOST_MARKED].rstrip())}"
        for number, each in enumerate(more, 1)
        if each.strip()
    )
    return f"<pre><i>{finding.line:>{width}} |</i> {marked}{''.join(following)}</pre>\n"


def _text(text: str) -> str:
    return escape(visible(text))


def _prose(text: str) -> str:
    """Text whose long names may break at their joints, as in `aggregateRating.` and `reviewCount`."""
    jointed = _LONG.sub(lambda name: _JOINTS.sub("\0", name[0]), visible(text))
    return escape(jointed).replace("\0", "<wbr>")
