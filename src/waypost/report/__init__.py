"""Formats of reports: a module per format, found by scanning this folder.

A format module has a docstring (`--help` shows the first line) and

    pieces(report, view)   yields the text in parts, so that a large report is never in memory twice

A module with a leading "_" in the name is not a format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from waypost.registry.assets import modules

if TYPE_CHECKING:
    from waypost.models.finding import FileReport, Finding, Report, Severity
    from waypost.models.page import Location

_NO_REPORTS = frozenset({"card", "comparison", "decision", "graph", "surfaces"})
"""Modules about something else: a snippet, two sites, a decision, entities, what others draw of a page."""


Grouping: TypeAlias = Literal["cause", "page"]


class Source(NamedTuple):
    """Source text of a page.

    text   decoded, without a byte-order mark, lines end with LF.
    locate (start, end) in bytes of the file -> Location.
    """

    text: str
    locate: Callable[[int, int], Location]


class RuleNote(NamedTuple):
    """Documentation of a rule. `page`: URL on the site, absolute only with a known site."""

    name: str
    doc: str
    authority: str
    severity: Severity
    page: str


def page_of(finding: Finding) -> str:
    """Where to read about a finding: the address of its page, or the command that prints the page without a site."""
    if "://" in finding.doc_url:
        return finding.doc_url
    return f"waypost rules {finding.doc_url.partition('rules/')[2].strip('/') or finding.profile}"


def _no_source(path: str) -> Source | None:  # noqa: ARG001 - the shape of `View.read`
    return None


class View(NamedTuple):
    """Options of a report, and data for formats beyond the report.

    read     path as in the report -> source, None if unreadable. Called only for files with
             findings, in the order of the report.
    rules    rules by name, for formats with rules.
    verbose  show `info` findings, the items of each page and every file that could not be read.
    quiet    no summary.
    colour   ANSI colours.
    width    columns of the terminal; None does not fold lines (code frames are clipped all the same).
    suppressed  show also findings that do not count (SARIF always does).
    baseline    a baseline was used: findings outside the baseline are new.
    statistics  in `text`: number of findings per rule, instead of the findings.
    failing     severities of findings that fail the run, by --fail-on and --max-warnings.
    failing_by_path  the same for files with thresholds of their own.
    group_by    "cause": an entry for alike findings of all pages, "page": an entry for each finding. None: by cause
                in reports about several pages, in the formats for code hosts and test runners.
    """

    read: Callable[[str], Source | None] = _no_source
    rules: Callable[[], Mapping[str, RuleNote]] = dict
    verbose: bool = False
    quiet: bool = False
    colour: bool = False
    width: int | None = None
    suppressed: bool = False
    baseline: bool = False
    statistics: bool = False
    failing: frozenset[Severity] = frozenset({"error"})
    failing_by_path: Mapping[str, frozenset[Severity]] = {}
    group_by: Grouping | None = None

    def by_cause(self, report: Report) -> bool:
        """Whether alike findings of all pages are one entry."""
        return len(report.files) > 1 if self.group_by is None else self.group_by == "cause"

    def failing_in(self, file: FileReport) -> frozenset[Severity]:
        """Severities of the findings of a file that fail the run."""
        return self.failing_by_path.get(file.path, self.failing)

    def counting(self, file: FileReport) -> list[Finding]:
        """Findings for people: `info` only with `verbose`."""
        return file.findings if self.verbose else [f for f in file.findings if f.severity != "info"]

    def not_counting(self, file: FileReport) -> list[Finding]:
        """Findings that do not count, only with `suppressed`."""
        return file.suppressed if self.suppressed else []


def format_names() -> list[str]:
    """Names of the formats, without importing a format."""
    names = set(modules(__path__))
    return sorted(names - _NO_REPORTS, key=lambda name: (name != "text", name))


def pieces(report: Report, name: str, view: View | None = None) -> Iterator[str]:
    """Parts of a report in the format `name`."""
    made: Iterator[str] = import_module(f"{__name__}.{name}").pieces(report, view or View())
    return made


def render(report: Report, name: str, view: View | None = None) -> str:
    """Report in the format `name`."""
    return "".join(pieces(report, name, view))
