"""Report about a crawl as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from waypost.crawl import report_words as words
from waypost.crawl.analysis import Changes, CrawlReport, Moment, Reason, RichResult

_SPECIAL = str.maketrans({each: f"\\{each}" for each in "\\`*_[]<>|"})


def pieces(report: CrawlReport) -> Iterator[str]:
    """Report in parts."""
    yield f"# Structured data of a crawl\n\n{words.summary(report)}.\n"
    for note in words.notes(report):
        yield f"\n- {_text(note)}"
    yield from _fixes(report)
    yield from _results(report.results)
    yield from _causes(report)
    yield from _templates(report)
    yield from _timeline(report.timeline)
    if report.changes is not None:
        yield from _changes(report.changes)
    yield f"\n\nwaypost {report.waypost}, registry {report.registry}, dates as of {report.now}\n"


def _results(results: Sequence[RichResult]) -> Iterator[str]:
    yield "\n\n## Rich results\n"
    if not results:
        yield "\nNo page has markup for a rich result.\n"
        return
    yield "\n| rich result | pages eligible | not eligible | most frequent reason |\n| --- | ---: | ---: | --- |\n"
    for each in results:
        why = f"{_text(each.reasons[0].message)} ({each.reasons[0].pages:,})" if each.reasons else ""
        yield f"| {_text(words.results(each.profile))} | {each.eligible:,} | {each.missed:,} | {why} |\n"


def _fixes(report: CrawlReport) -> Iterator[str]:
    if not report.fixes:
        return
    yield f"\n\n## What to fix first\n\n{words.FIXES}\n"
    for number, fix in enumerate(report.fixes, 1):
        yield f"\n{number}. **{_text(words.fix(fix))}**: {words.gain(fix)}"
        for reason in fix.reasons:
            yield f"\n   - {_text(words.title(reason))}" + (f"; {_text(reason.hint)}" if reason.hint else "")
            yield f" ({words.numbers(reason)}, such as {_places(reason)})"
    yield "\n"


def _causes(report: CrawlReport) -> Iterator[str]:
    if not report.causes:
        return
    yield "\n## Causes\n\n| cause | pages | share | places | examples |\n| --- | ---: | ---: | ---: | --- |\n"
    for each in report.causes:
        yield (
            f"| {_text(words.title(each))} `{each.rule}` | {each.pages:,} | {words.percent(each.share)} | "
            f"{each.places:,} | {_places(each)} |\n"
        )
    if report.more_causes:
        yield f"\n{report.more_causes:,} more causes: `{words.MORE_CAUSES}`\n"


def _templates(report: CrawlReport) -> Iterator[str]:
    if not report.templates:
        return
    yield "\n## Templates\n"
    for each in report.templates:
        yield (
            f"\n### {_text(each.name)}\n\n{each.pages:,} pages ({words.percent(each.share)}), "
            f"{each.eligible:,} eligible, {each.with_errors:,} with errors; such as "
            f"{', '.join(map(_text, each.examples))}\n"
        )
        for reason in each.reasons:
            yield f"\n- {_text(words.title(reason))}: {words.numbers(reason)}, such as {_places(reason)}"
        yield "\n"
    if report.more_templates:
        yield f"\n{report.more_templates:,} more templates with fewer pages\n"


def _timeline(moments: Sequence[Moment]) -> Iterator[str]:
    if not moments:
        return
    yield "\n## Over time\n\n| day | pages | eligible | with errors |\n| --- | ---: | ---: | ---: |\n"
    for each in moments:
        yield f"| {each.day} | {each.pages:,} | {each.eligible:,} | {each.with_errors:,} |\n"


def _changes(changes: Changes) -> Iterator[str]:
    yield f"\n## Changes\n\n{_text(words.changes(changes))}.\n"
    if changes.results:
        yield "\n| rich result | eligible before | now |\n| --- | ---: | ---: |\n"
        for result in changes.results:
            yield f"| {_text(words.results(result.profile))} | {result.before:,} | {result.after:,} |\n"
    if changes.causes:
        yield "\n| cause | pages before | now |\n| --- | ---: | ---: |\n"
        for cause in changes.causes:
            text = _text(f"{cause.severity}: {cause.message}")
            yield f"| {text} `{cause.rule}` | {cause.before:,} | {cause.after:,} |\n"


def _places(reason: Reason) -> str:
    return ", ".join(_text(f"{each.path}:{each.line}:{each.column}") for each in reason.examples)


def _text(text: str) -> str:
    return " ".join(text.translate(_SPECIAL).split())
