"""Sentences of a report about a crawl, common to the formats."""

from __future__ import annotations

from waypost.crawl.analysis import Changes, CrawlReport, Reason, RenderedPages, Repair
from waypost.models.finding import result_name
from waypost.report._words import count

_OUTCOMES = {
    "unreadable": "could not be read",
    "crashed": "ended the program that checked them",
    "timed_out": "took too long",
    "out_of_memory": "took too much memory",
    "not_fetched": "were not fetched",
}


def percent(share: float) -> str:
    """Share in words: 12 %, 0.4 %, under 0.1 %."""
    value = 100 * share
    if 0 < value < 0.1:
        return "under 0.1 %"
    return f"{value:.0f} %" if value >= 10 or value == round(value) else f"{value:.1f} %"


def summary(report: CrawlReport) -> str:
    """Result of a crawl in a sentence."""
    found = report.totals
    of = f" of {found.pages:,}" if found.pages > found.checked else ""
    parts = [
        f"{found.eligible:,} {'is' if found.eligible == 1 else 'are'} eligible for a rich result",
        f"{found.with_errors:,} {'has' if found.with_errors == 1 else 'have'} errors",
    ]
    if without := found.checked - found.with_items:
        parts.append(f"{without:,} {'has' if without == 1 else 'have'} no structured data")
    pages = "page was" if found.checked == 1 and not of else "pages were"
    return f"{found.checked:,}{of} {pages} checked: {', '.join(parts)}"


def notes(report: CrawlReport) -> list[str]:
    """Restrictions of the report: missing units, and pages without a check."""
    lines = [f"{number:,} pages {_OUTCOMES.get(outcome, outcome)}" for outcome, number in report.unread.items()]
    if report.missing_units:
        missing = count(report.missing_units, "unit")
        lines.append(f"the crawl is not complete: {missing} of work missing; waypost crawl --resume does the rest")
    return lines


def title(reason: Reason) -> str:
    """Cause in a line."""
    return f"{reason.severity}: {message(reason)}"


def message(reason: Reason) -> str:
    """Message of a cause."""
    return reason.message + (f", and {reason.variants - 1:,} like it" if reason.variants > 1 else "")


def numbers(reason: Reason) -> str:
    """Counts of a cause in words."""
    places = f", {reason.places:,} places" if reason.places > reason.pages else ""
    return f"{count(reason.pages, 'page')} ({percent(reason.share)}){places}"


def gain(repair: Repair) -> str:
    """Gain of a fix in words."""
    return f"{count(repair.gained, 'more page')} {'readable' if repair.only_readable else 'eligible'}"


def fix(repair: Repair) -> str:
    """Fix in a line: its first cause, and the number of the others."""
    first, *others = repair.reasons
    more = f", and {count(len(others), 'further cause')} on the same pages" if others else ""
    return f"{message(first)}{more}"


def rendered(found: RenderedPages) -> str:
    """Result of rendering in a sentence."""
    counts = {
        "items that exist only after scripts": found.added,
        "items that scripts remove": found.removed,
        "changed values": found.changed,
    }
    kinds = ", ".join(f"{count(number, 'page')} with {words}" for words, number in counts.items() if number)
    gained = f"; {count(found.gained, 'page')} eligible for a rich result only after scripts" if found.gained else ""
    differ = f"{found.differ:,} differ: {kinds}" if found.differ else "none differs after its scripts"
    were = "page was" if found.pages == 1 else "pages were"
    return f"{found.pages:,} {were} rendered (--render-share {found.share:g}), {differ}{gained}"


def not_rendered(found: RenderedPages) -> list[str]:
    """Pages that were not rendered, by reason."""
    return [f"{count(number, 'page')} could not be rendered: {reason}" for reason, number in found.failed.items()]


def changes(found: Changes) -> str:
    """Changed pages in a sentence."""
    rules = "" if found.same_rules else "; the rules are others, so numbers may differ for that reason alone"
    return (
        f"since {found.since}: {count(found.new, 'new page')}, {found.gone:,} gone, {found.changed:,} changed, "
        f"{found.unchanged:,} the same{rules}"
    )


def results(profile: str) -> str:
    """Rich result in words, without `results` behind."""
    return result_name(profile).removesuffix(" results").capitalize() if profile else "Readable markup"


FIXES = "By these fixes most pages become eligible for one more rich result. Each counts the ones before it as done."
MORE_CAUSES = 'waypost report DIR --sql "SELECT rule, message, count(*) FROM findings GROUP BY ALL ORDER BY 3 DESC"'
