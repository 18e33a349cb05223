"""Findings about several pages together: place of a page on the site, and file for a finding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from waypost.config import Config
from waypost.errors import Unreadable
from waypost.lint.inputs import Input
from waypost.lint.page import LintOptions, Result, apply_config, config_path
from waypost.lint.page_sources import PageStore, open_page, parse_page
from waypost.lint.results import ResultList
from waypost.models.finding import SEVERITIES, FileReport, Finding, Suppression
from waypost.models.page import Page
from waypost.net.presence import SAMPLE, Presence
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
    facts = results.facts if isinstance(results, ResultList) else [result.facts for result in results]
    if not any(facts):
        return
    from waypost.validate.site_rules import check_site

    def read(number: int) -> Page | None:
        item = inputs[number]
        try:
            source = store.get(item.path) or open_page(item, options.allow_private)
        except Unreadable:
            return None
        return parse_page(source, item.path, options.syntaxes)

    is_there = _presence(inputs, results, also_present).of
    for numbers in _sites(inputs, options.config):
        site_findings = check_site(
            facts if numbers is None else [facts[number] for number in numbers],
            shared_registry(),
            read if numbers is None else lambda number, own=numbers: read(own[number]),  # type: ignore[misc]
            now=options.now,
            is_there=is_there,
            site=options.site,
        )
        for position, finding, suppression in site_findings:
            number = position if numbers is None else numbers[position]
            result = results[number]
            if result.file is not None and result.file.error is None:
                add_finding(inputs[number], result.file, finding, suppression, options)
                results[number] = result


def _sites(inputs: Sequence[Input], config: Config) -> list[list[int] | None]:
    """Numbers of the pages of each site; None for all.

    Pages under different configurations are those of different sites, unless both configurations have base URLs with
    the same host.
    """
    if not config.nested:
        return [None]
    sites: dict[str, list[int]] = {}
    for number, item in enumerate(inputs):
        own = config.nearest(config_path(item))
        host = own.base_url.split("/")[2] if own.base_url else ""
        sites.setdefault(host or own.path or "", []).append(number)
    return [numbers for numbers in sites.values() if len(numbers) > 1]


def add_finding(
    item: Input,
    file: FileReport,
    finding: Finding,
    suppression: tuple[tuple[str, ...], str] | None,
    options: LintOptions,
) -> None:
    """Add a finding of a comparison to the report of a page, under the page's and the configuration's suppressions."""
    addition = FileReport(path=file.path, findings=[finding])
    # A report of its own, so that the configuration is applied to this finding alone.
    if suppression is not None:
        finding.suppression = Suppression("page", suppression[1] or None)
        addition.findings, addition.suppressed = [], [finding]
    apply_config(config_path(item), addition, options)
    file.suppressed.extend(addition.suppressed)
    file.findings.extend(addition.findings)
    file.findings.sort(key=lambda entry: (entry.start, SEVERITIES.index(entry.severity), entry.end, entry.rule))


def _presence(inputs: Sequence[Input], results: list[Result] | ResultList, also_present: frozenset[str]) -> Presence:
    gone: set[str] = set()
    for number, item in enumerate(inputs):
        file = results[number].file if item.kind == "url" else None
        if file and file.fetch and file.fetch.outcome == "fetched" and file.fetch.status in _GONE_STATUSES:
            gone.add(item.where.partition("#")[0])
    number = sum(1 for _ in _places(inputs, results))
    # As many as are compared: every place of a large site would take much memory.
    sample = islice(_places(inputs, results), 0, None, max(1, number // SAMPLE))
    return Presence([*sample], frozenset(gone), also_present)


def _places(inputs: Sequence[Input], results: list[Result] | ResultList) -> Iterator[tuple[str, str]]:
    """(file, URL) of the pages of files with a known URL."""
    if isinstance(results, ResultList):
        addresses = results.addresses()
    else:
        addresses = ((number, result.address) for number, result in enumerate(results) if result.address)
    for number, address in addresses:
        if (item := inputs[number]).kind == "file":
            yield item.where, address
