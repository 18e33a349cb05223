"""One page to read and to pass on: no script, nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from waypost.report import View
from waypost.report._frame import visible
from waypost.report._words import count, verdict
from waypost.shapes.finding import SEVERITIES, FileReport, Finding, Report

_AROUND, _MOST_MARKED = 60, 200  # characters of a line that are shown
_NOT_COUNTED = {"page": "the page says so", "config": "the configuration says so", "baseline": "it is in the baseline"}
_STYLE = """
:root{color-scheme:light dark;--line:#d0d4da;--soft:#f3f4f6;--quiet:#59616c;--error:#b42318;
  --warning:#8a5300;--info:#175cd3}
@media(prefers-color-scheme:dark){:root{--line:#3b424c;--soft:#1c2128;--quiet:#a0a8b3;--error:#ff8a80;
  --warning:#f5b950;--info:#8ab4ff}}
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.5rem;margin:0}
h2{font-size:1.1rem;margin:2.5rem 0 .5rem;overflow-wrap:anywhere}
.verdict{font-size:1.1rem;margin:.25rem 0 1.5rem}
.quiet{color:var(--quiet)}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.3rem .75rem .3rem 0;border-bottom:1px solid var(--line)}
th{font-weight:600}
td.number,th.number{text-align:right}
article{border:1px solid var(--line);border-left:.3rem solid var(--line);border-radius:.3rem;
  padding:.6rem .9rem;margin:.6rem 0}
article.error{border-left-color:var(--error)}
article.warning{border-left-color:var(--warning)}
article.info{border-left-color:var(--info)}
article.passed-over{opacity:.75}
.severity{font-weight:600}
.error .severity{color:var(--error)}
.warning .severity{color:var(--warning)}
.info .severity{color:var(--info)}
article p{margin:.15rem 0;overflow-wrap:anywhere}
pre{background:var(--soft);padding:.5rem .75rem;margin:.5rem 0;overflow-x:auto;border-radius:.25rem;
  font:.85rem/1.45 ui-monospace,monospace}
mark{background:none;color:inherit;font-weight:700;text-decoration:underline wavy var(--error) 1px;
  text-underline-offset:.2em}
code{font:.9em ui-monospace,monospace}
""".strip()


def pieces(report: Report, view: View) -> Iterator[str]:
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>Structured data: {_text(verdict(report))}</title>\n<style>\n{_STYLE}\n</style>\n</head>\n<body>\n"
        f'<h1>Structured data</h1>\n<p class="verdict">{_text(verdict(report))}</p>\n'
    )
    yield from _rules(report, view)
    for file in report.files:
        yield from _file(file, view)
    yield (
        f'<p class="quiet">waypost {_text(report.tool["version"])}, registry {_text(report.registry_version)}</p>\n'
        "</body>\n</html>\n"
    )


def _rules(report: Report, view: View) -> Iterator[str]:
    """What was found how often, the worst first."""
    told: dict[tuple[int, str], list[str]] = {}
    for file in report.files:
        for finding in view.shown(file):
            told.setdefault((SEVERITIES.index(finding.severity), finding.rule), []).append(file.path)
    if not told:
        return
    yield (
        '<table>\n<thead><tr><th scope="col">Rule</th><th scope="col">Severity</th>'
        '<th scope="col" class="number">Found</th><th scope="col" class="number">Files</th></tr></thead>\n<tbody>\n'
    )
    for (rank, rule), paths in sorted(told.items(), key=lambda row: (row[0][0], -len(row[1]), row[0][1])):
        severity = SEVERITIES[rank]
        yield (
            f'<tr class="{severity}"><td><code>{_text(rule)}</code></td><td class="severity">{severity}</td>'
            f'<td class="number">{len(paths):,}</td><td class="number">{len(set(paths)):,}</td></tr>\n'
        )
    yield "</tbody>\n</table>\n"


def _file(file: FileReport, view: View) -> Iterator[str]:
    shown = [*view.shown(file), *view.passed_over(file)]
    if not shown and file.error is None and not file.truncated:
        return
    yield f"<section>\n<h2>{_text(file.path)}</h2>\n"
    if file.error is not None:
        yield f'<article class="error"><p><span class="severity">unreadable</span>: {_text(file.error)}</p></article>\n'
    if shown:
        source = view.read(file.path)
        lines = source.text.split("\n") if source else []
        yield f'<p class="quiet">{count(len(shown), "finding")}</p>\n'
        yield from (_finding(finding, lines) for finding in shown)
    if file.truncated:
        yield '<p class="quiet">This page has more findings than are kept.</p>\n'
    yield "</section>\n"


def _finding(finding: Finding, lines: Sequence[str]) -> str:
    passed_over = " passed-over" if finding.suppression else ""
    whose = f"{finding.authority}, {finding.profile}" if finding.profile else finding.authority
    rule = f"<code>{_text(finding.rule)}</code>"
    if finding.doc_url.startswith(("http://", "https://")):
        rule = f'<a href="{escape(finding.doc_url)}">{rule}</a>'
    severity = finding.severity
    out = [
        f'<article class="{severity}{passed_over}">\n',
        f'<p><span class="severity">{severity}</span>: {_text(finding.message)}</p>\n',
        _code(finding, lines),
    ]
    if finding.hint:
        out.append(f"<p>{_text(finding.hint)}</p>\n")
    out += [
        f'<p class="quiet">see {_text(f"{related.path}:") if related.path else ""}{related.line}:{related.column}: '
        f"{_text(related.message)}</p>\n"
        for related in finding.related
    ]
    if why := finding.suppression:
        reason = f" ({_text(why.reason)})" if why.reason else ""
        out.append(f'<p class="quiet">not counted: {_NOT_COUNTED[why.kind]}{reason}</p>\n')
    out.append(f'<p class="quiet">{finding.line}:{finding.column} {rule}, {_text(whose)}</p>\n</article>\n')
    return "".join(out)


def _code(finding: Finding, lines: Sequence[str]) -> str:
    """The line with its place marked; nothing when the page cannot be read again or has changed since."""
    if not 1 <= finding.line <= len(lines):
        return ""
    line = lines[finding.line - 1].rstrip()
    start = min(finding.column - 1, len(line))
    end = min(finding.end_column - 1, len(line)) if finding.end_line == finding.line else len(line)
    end = max(min(end, start + _MOST_MARKED), start)
    before, after = line[max(0, start - _AROUND) : start], line[end : end + _AROUND]
    left, right = "…" * (start > _AROUND), "…" * (len(line) > end + _AROUND)
    return (
        f"<pre>{finding.line} | {left}{_text(before)}<mark>{_text(line[start:end])}</mark>{_text(after)}{right}</pre>\n"
    )


def _text(text: str) -> str:
    return escape(visible(text))
