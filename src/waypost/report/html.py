"""Report as one page to read and to pass on: no script, nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from waypost.models.finding import SEVERITIES, FileReport, Finding, Report
from waypost.report import View
from waypost.report._causes import (
    MOST_USEFUL,
    about,
    advice_lines,
    causes,
    fold,
    item_of,
    more_values,
    result_lines,
    values_of,
    verdict_lines,
    verdicts,
)  # fmt: skip
from waypost.report._frame import visible
from waypost.report._words import count, verdict

_AROUND, _MOST_MARKED = 60, 200  # characters of a line that are shown
_MOST_CAUSES = 100  # rows of the table over all pages
_FOLLOWING = 2  # lines under a lone bracket, which tell which one it is
_NOT_COUNTED = {"page": "the page says so", "config": "the configuration says so", "baseline": "it is in the baseline"}
_STYLE = """
:root{color-scheme:light dark;--ground:#fff;--line:#d0d4da;--soft:#f3f4f6;--quiet:#59616c;--link:#0b5674;
  --error:#b42318;--warning:#8a5300;--info:#175cd3}
@media(prefers-color-scheme:dark){:root{--ground:#14181d;--line:#3b424c;--soft:#1f252c;--quiet:#a0a8b3;--link:#8fcbe4;
  --error:#ff8a80;--warning:#f5b950;--info:#8ab4ff}}
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;background:var(--ground);max-width:64rem;margin:0 auto;padding:2rem 1rem 4rem}
a{color:var(--link)}
h1{font-size:1.6rem;line-height:1.2;margin:0}
h2{display:inline;font-size:1.05rem;margin:0;overflow-wrap:anywhere}
.verdict{font-size:1.1rem;margin:.35rem 0 1.75rem}
.verdicts{margin:-1rem 0 1.75rem;padding-left:1.2rem}
details .verdicts{margin:.6rem 0}
.verdicts li{margin:.2rem 0;overflow-wrap:anywhere}
body>h2{display:block;margin:0 0 .5rem}
tr.top td{background:var(--soft)}
tr:not(.top) b{font-weight:400}
.quiet{color:var(--quiet)}
.wide{overflow-x:auto;margin:0 0 1.75rem}
table{border-collapse:collapse;width:100%;font-size:.95rem}
th,td{text-align:left;padding:.3rem 1rem .3rem 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
th{font-weight:600}
td.number,th.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
td.number:last-child,th.number:last-child{padding-right:0}
details{border-top:1px solid var(--line);padding:.9rem 0}
summary{cursor:pointer}
article{border:1px solid var(--line);border-left:.3rem solid var(--line);border-radius:.3rem;
  padding:.7rem 1rem;margin:.75rem 0 0}
article.error{border-left-color:var(--error)}
article.warning{border-left-color:var(--warning)}
article.info{border-left-color:var(--info)}
article.passed-over{border-style:dashed;border-left:.3rem solid var(--line)}
.severity{font-weight:600}
.error .severity{color:var(--error)}
.warning .severity{color:var(--warning)}
.info .severity{color:var(--info)}
article p{margin:.2rem 0;overflow-wrap:anywhere}
article .what{font-weight:600}
article .quiet{font-size:.9rem}
pre{background:var(--soft);padding:.5rem .75rem;margin:.5rem 0;overflow-x:auto;border-radius:.25rem;
  font:.85rem/1.5 ui-monospace,monospace;tab-size:4}
pre i{font-style:normal;color:var(--quiet)}
mark{background:none;color:inherit;font-weight:700;text-decoration:underline wavy 1px;text-underline-offset:.2em}
.error mark{text-decoration-color:var(--error)}
.warning mark{text-decoration-color:var(--warning)}
.info mark{text-decoration-color:var(--info)}
code{font:.92em ui-monospace,monospace}
@media print,(max-width:40rem){pre{white-space:pre-wrap;overflow-wrap:anywhere}}
@media print{details{break-inside:auto}article{break-inside:avoid}}
""".strip()


def pieces(report: Report, view: View) -> Iterator[str]:
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>Structured data: {_text(verdict(report))}</title>\n<style>\n{_STYLE}\n</style>\n</head>\n<body>\n"
        f'<h1>Structured data</h1>\n<p class="verdict">{_text(verdict(report))}</p>\n'
    )
    if len(report.files) > 1:
        numbers = {file.path: number for number, file in enumerate(report.files) if _has_something(file, view)}
        yield from _verdicts([*result_lines(report.files), *advice_lines(report.files, view)])
        yield from _causes(report, view, numbers)
        yield from _pages(report, view)
    for number, file in enumerate(report.files):
        yield from _file(number, file, view)
    yield (
        f'<p class="quiet">waypost {_text(report.tool["version"])}, registry {_text(report.registry_version)}</p>\n'
        "</body>\n</html>\n"
    )


def _verdicts(lines: Iterable[str]) -> Iterator[str]:
    items = "".join(f"<li>{_text(line)}</li>\n" for line in lines)
    if items:
        yield f'<ul class="verdicts">\n{items}</ul>\n'


def _causes(report: Report, view: View, numbers: Mapping[str, int]) -> Iterator[str]:
    """Table of the causes on all pages, greatest effect first: the most useful changes stand on top."""
    found = causes(report.files, view)
    if not found:
        return
    heading = "Most useful changes" if len(found) > MOST_USEFUL else "What to change"
    yield (
        f'<h2>{heading}</h2>\n<div class="wide"><table>\n<thead><tr><th scope="col">Change</th>'
        '<th scope="col" class="number">Places</th><th scope="col" class="number">Pages</th></tr></thead>\n<tbody>\n'
    )
    for number, cause in enumerate(found[:_MOST_CAUSES]):
        first, place = cause.first, cause.places[0]
        top = ' class="top"' if number < MOST_USEFUL < len(found) else ""
        hint = f"<br>{_text(first.hint)}" if first.hint else ""
        where = _text(f"{place.path}:{place.line}:{place.column}")
        yield (
            f'<tr{top}><td class="{first.severity}"><span class="severity">{first.severity}</span>: '
            f"<b>{_text(about(cause.item, first))}</b>{hint}"
            f'{_also(cause.values)}<br><a href="#page-{numbers[place.path]}">{where}</a> '
            f"<code>{_text(first.rule)}</code></td>"
            f'<td class="number">{cause.count:,}</td><td class="number">{cause.pages:,}</td></tr>\n'
        )
    yield "</tbody>\n</table></div>\n"
    if len(found) > _MOST_CAUSES:
        yield f'<p class="quiet">{count(len(found) - _MOST_CAUSES, "more change")} below, page by page</p>\n'


def _pages(report: Report, view: View) -> Iterator[str]:
    """Table of pages with findings, the worst first, with links; for several pages only."""
    heads = ["Errors", "Warnings", *["Information"] * view.verbose, *["Not counted"] * view.suppressed]
    rows = []
    for number, file in enumerate(report.files):
        if not _has_something(file, view):
            continue
        found = [each.severity for each in view.counting(file)]
        counts = [found.count(severity) for severity in SEVERITIES[: 2 + view.verbose]]
        counts += [len(view.not_counting(file))] * view.suppressed
        rows.append((file.error is None, [-each for each in counts], number, file.path))
    if len(rows) < 2:
        return
    cells = "".join(f'<th scope="col" class="number">{head}</th>' for head in heads)
    yield f'<div class="wide"><table>\n<thead><tr><th scope="col">Page</th>{cells}</tr></thead>\n<tbody>\n'
    for is_read, counts, number, path in sorted(rows):
        cells = "".join(f'<td class="number">{-each or ""}</td>' for each in counts)
        if not is_read:
            cells = f'<td class="number error" colspan="{len(heads)}"><span class="severity">unreadable</span></td>'
        yield f'<tr><td><a href="#page-{number}">{_text(path)}</a></td>{cells}</tr>\n'
    yield "</tbody>\n</table></div>\n"


def _has_something(file: FileReport, view: View) -> bool:
    return bool(view.counting(file) or view.not_counting(file) or file.error is not None or file.truncated)


def _file(number: int, file: FileReport, view: View) -> Iterator[str]:
    if not _has_something(file, view):
        return
    findings = [*view.counting(file), *view.not_counting(file)]
    total = f' <span class="quiet">{count(len(findings), "finding")}</span>' if findings else ""
    yield f'<details open id="page-{number}">\n<summary><h2>{_text(file.path)}</h2>{total}</summary>\n'
    if file.error is not None:
        yield f'<article class="error"><p><span class="severity">unreadable</span>: {_text(file.error)}</p></article>\n'
    yield from _verdicts([*verdict_lines(verdicts(file, view)), *advice_lines([file], view)])
    if findings:
        source = view.read(file.path)
        lines = source.text.split("\n") if source else []
        yield from (_finding(same, file, lines) for same in fold(view.counting(file)))
        yield from (_finding([finding], file, lines) for finding in view.not_counting(file))
    if file.truncated:
        yield '<p class="quiet">This page has more findings than are kept.</p>\n'
    yield "</details>\n"


def _finding(same: Sequence[Finding], file: FileReport, lines: Sequence[str]) -> str:
    """Alike findings of a page: the first in its line, the places of all."""
    finding = same[0]
    passed_over = " passed-over" if finding.suppression else ""
    message = about(item_of(file, finding) if len(file.items) > 1 else None, finding)
    severity = finding.severity
    out = [
        f'<article class="{severity}{passed_over}">\n',
        f'<p class="what"><span class="severity">{severity}</span>: {_text(message)}</p>\n',
        _code(finding, lines),
    ]
    if finding.hint:
        out.append(f"<p>{_text(finding.hint)}</p>\n")
    if len(same) > 1:
        places = ", ".join(f"{each.line}:{each.column}" for each in same)
        out.append(f"<p>{count(len(same), 'place')}: {places}{_also(values_of(same))}</p>\n")
    return "".join((*out, *_notes(finding)))


def _also(values: Mapping[str, None]) -> str:
    """Further values that alike findings quote, on a line of their own."""
    also = more_values(values)
    return f"<br>{_text(also)}" if also else ""


def _notes(finding: Finding) -> Iterator[str]:
    """Related places, reason of a suppression, place and origin of a finding."""
    for related in finding.related:
        where = f"{_text(f'{related.path}:') if related.path else ''}{related.line}:{related.column}"
        yield f'<p class="quiet">see {where}: {_text(related.message)}</p>\n'
    if why := finding.suppression:
        reason = f" ({_text(why.reason)})" if why.reason else ""
        yield f'<p class="quiet">not counted: {_NOT_COUNTED[why.kind]}{reason}</p>\n'
    origin = f"{finding.authority}, {finding.profile}" if finding.profile else finding.authority
    rule = f"<code>{_text(finding.rule)}</code>"
    if finding.doc_url.startswith(("http://", "https://")):
        rule = f'<a href="{escape(finding.doc_url)}">{rule}</a>'
    yield f'<p class="quiet">{finding.line}:{finding.column} {rule}, {_text(origin)}</p>\n</article>\n'


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
