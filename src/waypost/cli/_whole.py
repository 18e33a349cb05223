"""What is to be said about pages together, on behalf of the command line: which of them lie where, and who is told."""

from __future__ import annotations

from collections.abc import Sequence

from waypost.cli import _work
from waypost.cli._inputs import Input
from waypost.cli._reading import Kept, opened, page_of
from waypost.cli._registry import registry
from waypost.errors import Unreadable
from waypost.models.finding import SEVERITIES, FileReport, Finding, Suppression
from waypost.models.page import Page
from waypost.net.presence import Presence

_GONE = frozenset({404, 410})


def add_site_findings(
    inputs: Sequence[Input],
    results: Sequence[_work.Result],
    wanted: _work.Wanted,
    kept: Kept,
    also_there: frozenset[str] = frozenset(),
) -> None:
    """Add to each file what is told at it about the site as a whole. `also_there`: files that count as being there."""
    if not any(result.facts for result in results):
        return
    from waypost.validate import whole

    def read(number: int) -> Page | None:
        what = inputs[number]
        try:
            found = kept.get(what.path) or opened(what, wanted.allow_private)
        except Unreadable:
            return None
        return page_of(found, what.path, wanted.syntaxes)

    told = whole.judge(
        [result.facts for result in results],
        registry(),
        read,
        now=wanted.now,
        is_there=_presence(inputs, results, also_there).of,
        site=wanted.site,
    )
    for number, finding, hushed in told:
        file = results[number].file
        if file is not None and file.error is None:
            _add(inputs[number], file, finding, hushed, wanted)


def _add(
    what: Input, file: FileReport, finding: Finding, hushed: tuple[tuple[str, ...], str] | None, wanted: _work.Wanted
) -> None:
    aside = FileReport(path=file.path, findings=[finding])
    if hushed is not None:
        finding.suppression = Suppression("page", hushed[1] or None)
        aside.findings, aside.suppressed = [], [finding]
    _work.rule(what, aside, wanted)
    file.suppressed.extend(aside.suppressed)
    file.findings.extend(aside.findings)
    file.findings.sort(key=lambda each: (each.start, SEVERITIES.index(each.severity), each.end, each.rule))


def _presence(inputs: Sequence[Input], results: Sequence[_work.Result], also_there: frozenset[str]) -> Presence:
    gone: set[str] = set()
    places: list[tuple[str, str]] = []
    for what, result in zip(inputs, results, strict=True):
        fetch = result.file.fetch if result.file is not None else None
        if fetch is not None and fetch.outcome == "fetched" and fetch.status in _GONE:
            gone.add(what.where.partition("#")[0])
        if what.kind == "file" and result.address:
            places.append((what.where, result.address))
    return Presence(places, frozenset(gone), also_there)
