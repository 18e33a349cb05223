"""Findings about several pages together: place of a page on the site, and file for a finding."""

from __future__ import annotations

from collections.abc import Sequence

from waypost.errors import Unreadable
from waypost.lint.inputs import Input
from waypost.lint.page import LintOptions, Result, apply_config, config_path
from waypost.lint.page_sources import PageStore, open_page, parse_page
from waypost.lint.results import ResultList
from waypost.models.finding import SEVERITIES, FileReport, Finding, Suppression
from waypost.models.page import Page
from waypost.net.presence import Presence
from waypost.registry import shared_registry

_GONE_STATUSES = frozenset({404, 410})


def add_site_findings(
    inputs: Sequence[Input],
    results: list[Result] | ResultList,
    options: LintOptions,
    store: PageStore,
    also_present: frozenset[str] = frozenset(),
) -> None:
    """Add the findings about the pages together to the reports of the files.

    also_present  paths of files counted as existing.
    """
    if not any(result.facts for result in results):
        return
    from waypost.validate.site_rules import check_site

    def read(number: int) -> Page | None:
        item = inputs[number]
        try:
            source = store.get(item.path) or open_page(item, options.allow_private)
        except Unreadable:
            return None
        return parse_page(source, item.path, options.syntaxes)

    site_findings = check_site(
        [result.facts for result in results],
        shared_registry(),
        read,
        now=options.now,
        is_there=_presence(inputs, results, also_present).of,
        site=options.site,
    )
    for number, finding, suppression in site_findings:
        result = results[number]
        if result.file is not None and result.file.error is None:
            _add(inputs[number], result.file, finding, suppression, options)
            results[number] = result


def _add(
    item: Input,
    file: FileReport,
    finding: Finding,
    suppression: tuple[tuple[str, ...], str] | None,
    options: LintOptions,
) -> None:
    addition = FileReport(path=file.path, findings=[finding])
    # A report of its own, so that the configuration is applied to this finding alone.
    if suppression is not None:
        finding.suppression = Suppression("page", suppression[1] or None)
        addition.findings, addition.suppressed = [], [finding]
    apply_config(config_path(item), addition, options)
    file.suppressed.extend(addition.suppressed)
    file.findings.extend(addition.findings)
    file.findings.sort(key=lambda entry: (entry.start, SEVERITIES.index(entry.severity), entry.end, entry.rule))


def _presence(inputs: Sequence[Input], results: Sequence[Result], also_present: frozenset[str]) -> Presence:
    gone: set[str] = set()
    places: list[tuple[str, str]] = []
    for item, result in zip(inputs, results, strict=True):
        fetch = result.file.fetch if result.file is not None else None
        if fetch is not None and fetch.outcome == "fetched" and fetch.status in _GONE_STATUSES:
            gone.add(item.where.partition("#")[0])
        if item.kind == "file" and result.address:
            places.append((item.where, result.address))
    return Presence(places, frozenset(gone), also_present)
