"""A report written out: one module, one format, found by scanning this folder.

A format module has a docstring (its first line says what the format is for, `--help` shows it) and

    pieces(report, view)   yields the text in parts, so that a large report is never held twice

A module whose name starts with "_" is no format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import NamedTuple

from waypost.models.finding import FileReport, Finding, Report, Severity
from waypost.models.page import Location
from waypost.registry.assets import modules

_NO_REPORTS = frozenset({"card", "decision"})  # they draw a snippet and a decision


class Source(NamedTuple):
    """A page that a report speaks about.

    text   decoded, without a byte-order mark, lines ended by LF.
    locate (start, end) in bytes of the file -> Location.
    """

    text: str
    locate: Callable[[int, int], Location]


class RuleNote(NamedTuple):
    """What a format may say about a rule; `page` is its page on the site, absolute only where a site is known."""

    name: str
    doc: str
    authority: str
    severity: Severity
    page: str


def _no_source(path: str) -> Source | None:  # noqa: ARG001 - the shape of `View.read`
    return None


class View(NamedTuple):
    """How somebody wants to see a report, and what a format may ask for besides it.

    read     path as in the report -> the page, or None when it cannot be had again. Asked only for
             files with something to show, in the order of the report.
    rules    the rules by name, for formats that carry them.
    verbose  show `info` findings and the items of each page.
    quiet    no summary.
    colour   ANSI colours.
    width    columns of the terminal; None does not fold lines (code frames are clipped all the same).
    suppressed  show also what does not count (SARIF always does).
    baseline    a baseline was used: what is not in it is new.
    statistics  in a text: how often each rule found something, in place of the findings.
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

    def counting(self, file: FileReport) -> list[Finding]:
        """The findings for people: `info` only when asked for."""
        return file.findings if self.verbose else [f for f in file.findings if f.severity != "info"]

    def not_counting(self, file: FileReport) -> list[Finding]:
        """What does not count, where somebody wants to see it."""
        return file.suppressed if self.suppressed else []


@cache
def formats() -> dict[str, str]:
    """Every format's name and the line that says what it is for; `text` first."""
    return {
        name: (import_module(f"{__name__}.{name}").__doc__ or "").partition("\n")[0].strip() for name in format_names()
    }


def format_names() -> list[str]:
    """The names alone, without importing any format."""
    names = set(modules(__path__))
    return sorted(names - _NO_REPORTS, key=lambda name: (name != "text", name))


def pieces(report: Report, name: str, view: View | None = None) -> Iterator[str]:
    """A report in the format `name`, part by part."""
    made: Iterator[str] = import_module(f"{__name__}.{name}").pieces(report, view or View())
    return made


def render(report: Report, name: str, view: View | None = None) -> str:
    """A report in the format `name`."""
    return "".join(pieces(report, name, view))
