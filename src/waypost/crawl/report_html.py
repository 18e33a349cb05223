"""Report about a crawl as a page: no script, nothing from elsewhere, and no meaning in colour alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from waypost.crawl import report_words as words
from waypost.crawl.analysis import Changes, CrawlReport, Moment, Reason, RichResult, Template
from waypost.report._words import count

_MOST_OPEN = 20
"""Causes that are shown at once; the others are folded."""
_MOST_DAYS = 6
"""Days of the time line whose numbers are shown at once."""
_STYLE = """
:root{color-scheme:light dark;--ground:#fff;--ink:#14181d;--line:#d0d4da;--soft:#f3f4f6;--quiet:#59616c;--bar:#0b5674;
  --error:#b42318;--warning:#8a5300}
@media(prefers-color-scheme:dark){:root{--ground:#14181d;--ink:#eef0f3;--line:#3b424c;--soft:#1f252c;--quiet:#a0a8b3;
  --bar:#8fcbe4;--error:#ff8a80;--warning:#f5b950}}
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;background:var(--ground);color:var(--ink);max-width:64rem;margin:0 auto;
  padding:2rem 1rem 4rem;overflow-wrap:anywhere}
h1{font-size:1.6rem;line-height:1.2;margin:0}
h2{font-size:1.25rem;margin:2.5rem 0 .75rem}
h3{font-size:1rem;margin:1.5rem 0 .25rem}
p{margin:.3rem 0}
ul,ol{margin:.4rem 0;padding-left:1.4rem}
li{margin:.3rem 0}
.lead{font-size:1.1rem;margin:.35rem 0 .75rem}
.quiet{color:var(--quiet)}
.error b.level{color:var(--error)}
.warning b.level{color:var(--warning)}
.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.95rem}
th,td{text-align:left;padding:.4rem 1rem .4rem 0;border-bottom:1px solid var(--line);vertical-align:top}
th:last-child,td:last-child{padding-right:0}
th{font-weight:600}
.bar{display:block;width:100%;height:.9rem;margin:.25rem 0}
.bar .rest{fill:none;stroke:var(--quiet);stroke-width:1}
.bar .part{fill:var(--bar)}
.result{border-bottom:1px solid var(--line);padding:.75rem 0}
a{color:inherit}
.fixes{padding-left:1.6rem}.fixes>li{margin:1rem 0}.fixes header{display:flex;flex-wrap:wrap;
  justify-content:space-between;gap:0 1rem}.fixes ul{padding-left:1.1rem}
.result header{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 1rem}
.legend svg{width:1.6rem;height:.8rem;display:inline-block;vertical-align:middle;margin:0 .3rem}
.line{display:block;width:100%;max-width:34rem;height:auto}
.line text{font:11px system-ui,sans-serif;fill:var(--ink)}
.line .axis{stroke:var(--line)}
.line .good{fill:none;stroke:var(--bar);stroke-width:2}
.line .bad{fill:none;stroke:var(--error);stroke-width:2;stroke-dasharray:5 3}
.line circle{fill:var(--bar)}
.line rect{fill:var(--error)}
code{font:.92em ui-monospace,monospace}
.causes td:first-child{min-width:14rem}
@media(max-width:40rem){th,td{padding-right:.6rem}body{padding-top:1.25rem}
  .causes,.causes tbody,.causes tr,.causes td{display:block}.causes thead{display:none}
  .causes tr{border-bottom:1px solid var(--line);padding:.5rem 0}.causes td{border:0;padding:.1rem 0}
  .causes td.number{text-align:left;display:inline-block;margin-right:1rem}
  .causes td.number::before{content:attr(data-label) " ";color:var(--quiet)}}
@media print{.result,article{break-inside:avoid}}
""".strip()


def pieces(report: CrawlReport) -> Iterator[str]:
    """Report in parts."""
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>Structured data of a crawl</title>\n<style>\n{_STYLE}\n</style>\n</head>\n<body>\n"
        f'<h1>Structured data of a crawl</h1>\n<p class="lead">{_text(words.summary(report))}.</p>\n'
    )
    notes = "".join(f"<li>{_text(note)}</li>\n" for note in words.notes(report))
    yield f"<ul>\n{notes}</ul>\n" if notes else ""
    yield from _fixes(report)
    yield from _results(report.results)
    yield from _causes(report)
    yield from _templates(report)
    yield from _timeline(report.timeline)
    if report.changes is not None:
        yield from _changes(report.changes)
    yield (
        f'<p class="quiet">waypost {_text(report.waypost)}, registry {_text(report.registry)}, dates as of '
        f"{_text(report.now)}; of {_text(', '.join(report.sources))}</p>\n</body>\n</html>\n"
    )


def bar(part: int, whole: int, label: str) -> str:
    """Bar of a part in a whole: filled for the part, an outline for the rest. The label says the same in words."""
    width = 100 * part / whole if whole else 0
    return (
        f'<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="{_text(label)}">'
        '<rect class="rest" x="0" y="0.5" width="100" height="9" vector-effect="non-scaling-stroke"/>'
        f'<rect class="part" x="0" y="0.5" width="{width:.2f}" height="9"/></svg>'
    )


_LEGEND = (
    '<p class="legend quiet"><svg viewBox="0 0 16 8" aria-hidden="true"><rect width="16" height="8" fill="var(--bar)"/>'
    '</svg>{filled} <svg viewBox="0 0 16 8" aria-hidden="true"><rect x=".5" y=".5" width="15" height="7" fill="none" '
    'stroke="var(--quiet)"/></svg>{empty}</p>\n'
)


def _results(results: Sequence[RichResult]) -> Iterator[str]:
    yield "<h2>Rich results</h2>\n"
    if not results:
        yield "<p>No page has markup for a rich result.</p>\n"
        return
    open_results = [each for each in results if each.missed]
    if open_results:
        yield _LEGEND.format(filled="pages that are eligible", empty="pages that are not, with such an item")
    for each in open_results:
        total = each.eligible + each.missed
        text = f"{each.eligible:,} of {total:,} pages eligible ({words.percent(each.eligible / total)})"
        name = words.results(each.profile)
        yield (
            f'<section class="result"><header><b>{_text(name)}</b><span>{text}</span></header>\n'
            f"{bar(each.eligible, total, f'{name}: {text}')}\n"
        )
        if each.reasons:
            yield f"<details><summary>why {each.missed:,} are not</summary>\n"
            yield f"<ul>\n{''.join(map(_reason, each.reasons))}</ul></details>\n"
        yield "</section>\n"
    done = [f"{words.results(each.profile)} ({each.eligible:,})" for each in results if not each.missed]
    if done:
        others = "For these, every page with such an item is eligible" if open_results else "Every page is eligible"
        yield f"<p>{others}: {_text(', '.join(done))}.</p>\n"


def _fixes(report: CrawlReport) -> Iterator[str]:
    if not report.fixes:
        return
    yield f'<h2>What to fix first</h2>\n<p>{words.FIXES}</p>\n<ol class="fixes">\n'
    most = max(fix.gained for fix in report.fixes)
    for fix in report.fixes:
        gain = words.gain(fix)
        yield (
            f"<li><header><b>{_text(words.fix(fix))}</b><span>{gain}</span></header>\n{bar(fix.gained, most, gain)}\n"
        )
        if len(fix.reasons) == 1:
            (reason,) = fix.reasons
            yield f'<p class="{reason.severity}">{_advice(reason)}</p></li>\n'
        else:
            yield f"<ul>\n{''.join(map(_reason, fix.reasons))}</ul></li>\n"
    yield "</ol>\n"


def _advice(reason: Reason) -> str:
    """Severity, hint and examples of a cause whose message stands above."""
    hint = f" {_text(reason.hint)}." if reason.hint else ""
    return (
        f'<b class="level">{reason.severity}</b>:{hint} '
        f'<span class="quiet">{words.numbers(reason)}, such as {_places(reason)}</span>'
    )


def _reason(reason: Reason) -> str:
    hint = f"; {_text(reason.hint)}" if reason.hint else ""
    return (
        f'<li class="{reason.severity}"><b class="level">{reason.severity}</b>: {_text(words.message(reason))}{hint}. '
        f'<span class="quiet">{words.numbers(reason)}, such as {_places(reason)}</span></li>\n'
    )


def _causes(report: CrawlReport) -> Iterator[str]:
    if not report.causes:
        return
    yield (
        '<h2>Causes</h2>\n<p class="quiet">Alike findings are one cause. First come the ones that cost a rich result.'
        "</p>\n"
    )
    yield from _cause_table(report.causes[:_MOST_OPEN])
    if rest := report.causes[_MOST_OPEN:]:
        yield f"<details><summary>{count(len(rest), 'more cause')}</summary>\n"
        yield from _cause_table(rest)
        yield "</details>\n"
    if report.more_causes:
        command = _text(words.MORE_CAUSES)
        yield f'<p class="quiet">{report.more_causes:,} more causes: <code>{command}</code></p>\n'


def _cause_table(causes: Iterable[Reason]) -> Iterator[str]:
    yield (
        '<table class="causes">\n<thead><tr><th scope="col">Cause, with examples</th>'
        '<th scope="col" class="number">Pages</th><th scope="col" class="number">Share</th>'
        '<th scope="col" class="number">Places</th></tr></thead>\n<tbody>\n'
    )
    for each in causes:
        yield (
            f'<tr><td class="{each.severity}"><b class="level">{each.severity}</b>: {_text(words.message(each))} '
            f'<code>{_text(each.rule)}</code><br><span class="quiet">{_places(each)}</span></td>'
            f'<td class="number" data-label="pages">{each.pages:,}</td>'
            f'<td class="number" data-label="share">{words.percent(each.share)}</td>'
            f'<td class="number" data-label="places">{each.places:,}</td></tr>\n'
        )
    yield "</tbody>\n</table>\n"


def _templates(report: CrawlReport) -> Iterator[str]:
    if not report.templates:
        return
    yield (
        '<h2>Templates</h2>\n<p class="quiet">Pages whose markup has one shape, except for a few optional properties.'
        "</p>\n" + _LEGEND.format(filled="pages without errors", empty="pages with errors")
    )
    yield from map(_template, report.templates)
    if report.more_templates:
        yield f'<p class="quiet">{report.more_templates:,} more templates with fewer pages.</p>\n'


def _template(each: Template) -> str:
    clean = each.pages - each.with_errors
    text = f"{clean:,} of {each.pages:,} pages without errors, {each.eligible:,} eligible"
    reasons = f"<ul>\n{''.join(map(_reason, each.reasons))}</ul>\n" if each.reasons else ""
    if reasons and not each.with_errors:
        reasons = f"<details><summary>most frequent warnings</summary>\n{reasons}</details>\n"
    return (
        f"<article><h3>{_text(each.name)}</h3>\n<p>{text} "
        f'<span class="quiet">({words.percent(each.share)} of all pages)</span></p>\n'
        f"{bar(clean, each.pages, f'{each.name}: {text}')}\n"
        f'<p class="quiet">{", ".join(map(_page, each.examples))}</p>\n{reasons}</article>\n'
    )


_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 360, 170, 14, 16, 132


def _timeline(moments: Sequence[Moment]) -> Iterator[str]:
    """Time line of the shares of eligible pages and of pages with errors; the table below has the numbers."""
    # A single moment is a point, not a line.
    if len(moments) > 1:
        yield from _chart(moments)
        yield from _numbers_by_day(moments)


def _chart(moments: Sequence[Moment]) -> Iterator[str]:
    good = [moment.eligible / moment.pages if moment.pages else 0.0 for moment in moments]
    bad = [moment.with_errors / moment.pages if moment.pages else 0.0 for moment in moments]
    xs = [_LEFT + (_WIDTH - 2 * _LEFT) * n / (len(moments) - 1) for n in range(len(moments))]
    label = (
        f"from {moments[0].day} to {moments[-1].day}: eligible {words.percent(good[0])} to {words.percent(good[-1])}, "
    )
    label += f"with errors {words.percent(bad[0])} to {words.percent(bad[-1])}"
    yield (
        f'<h2>Over time</h2>\n<svg class="line" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="{_text(label)}">\n'
        f'<line class="axis" x1="{_LEFT}" y1="{_BOTTOM}" x2="{_WIDTH - _LEFT}" y2="{_BOTTOM}"/>\n'
        f'<line class="axis" x1="{_LEFT}" y1="{_TOP}" x2="{_WIDTH - _LEFT}" y2="{_TOP}"/>\n'
    )
    for name, shares in (("good", good), ("bad", bad)):
        points = [(x, _BOTTOM - (_BOTTOM - _TOP) * share) for x, share in zip(xs, shares, strict=True)]
        yield f'<polyline class="{name}" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>\n'
        for x, y in points:
            mark = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>' if name == "good" else (
                f'<rect x="{x - 3:.1f}" y="{y - 3:.1f}" width="6" height="6"/>')  # fmt: skip
            yield f"{mark}\n"
    yield (
        f'<text x="{_LEFT}" y="{_BOTTOM + 14}">{moments[0].day}</text>'
        f'<text x="{_WIDTH - _LEFT}" y="{_BOTTOM + 14}" text-anchor="end">{moments[-1].day}</text>'
        f'<text x="{_LEFT}" y="{_TOP - 4}">100 % of the pages</text>\n'
        f'<circle cx="{_LEFT + 4}" cy="{_BOTTOM + 27}" r="3.5"/>'
        f'<text x="{_LEFT + 12}" y="{_BOTTOM + 31}">eligible</text>'
        f'<rect x="{_LEFT + 75}" y="{_BOTTOM + 24}" width="6" height="6"/>'
        f'<text x="{_LEFT + 86}" y="{_BOTTOM + 31}">with errors</text>\n</svg>\n'
    )


def _numbers_by_day(moments: Sequence[Moment]) -> Iterator[str]:
    yield (
        f"<details{' open' * (len(moments) <= _MOST_DAYS)}><summary>numbers by day</summary>\n"
        '<div class="wide"><table>\n<thead><tr><th scope="col">Day</th><th scope="col" class="number">Pages</th>'
        '<th scope="col" class="number">Eligible</th><th scope="col" class="number">With errors</th></tr></thead>\n'
        "<tbody>\n"
    )
    for each in moments:
        yield (
            f'<tr><td>{_text(each.day)}</td><td class="number">{each.pages:,}</td>'
            f'<td class="number">{each.eligible:,}</td><td class="number">{each.with_errors:,}</td></tr>\n'
        )
    yield "</tbody>\n</table></div></details>\n"


def _changes(changes: Changes) -> Iterator[str]:
    yield f"<h2>Changes</h2>\n<p>{_text(words.changes(changes)).capitalize()}.</p>\n"
    rows = [
        (f"eligible for {words.results(each.profile).lower()}", each.before, each.after) for each in changes.results
    ]
    rows += [(f"{each.severity}: {each.message}", each.before, each.after) for each in changes.causes]
    if not rows:
        return
    yield (
        '<div class="wide"><table>\n<thead><tr><th scope="col">Pages</th><th scope="col" class="number">Before</th>'
        '<th scope="col" class="number">Now</th><th scope="col" class="number">Difference</th></tr></thead>\n<tbody>\n'
    )
    for text, before, after in rows:
        yield (
            f'<tr><td>{_text(text)}</td><td class="number">{before:,}</td><td class="number">{after:,}</td>'
            f'<td class="number">{after - before:+,}</td></tr>\n'
        )
    yield "</tbody>\n</table></div>\n"


def _places(reason: Reason) -> str:
    return ", ".join(_place(each.path, each.line, each.column) for each in reason.examples)


def _place(path: str, line: int, column: int) -> str:
    """Place of a finding: an address is a link, whose line stands behind it."""
    if not path.startswith(("https://", "http://")):
        return _text(f"{path}:{line}:{column}")
    return f"{_page(path)} (line {line})"


def _page(path: str) -> str:
    if not path.startswith(("https://", "http://")):
        return _text(path)
    return f'<a href="{_text(path)}" rel="noreferrer">{_text(path)}</a>'


def _text(text: str) -> str:
    return escape(text)
