"""Findings about the pages of a host together, from the facts that the units of a crawl have written."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

import msgspec

from waypost.config import apply
from waypost.crawl.folder import CrawlFolder, Plan
from waypost.crawl.model import UNIT_BITS, SiteUnit, StretchUnit, Unit
from waypost.crawl.rows import finding_row
from waypost.crawl.storage import is_remote
from waypost.crawl.tables import Tables, parquet
from waypost.errors import Unreadable
from waypost.formats.file_kinds import kind_of
from waypost.models.finding import FileReport, Finding, Suppression
from waypost.models.page import Page
from waypost.reader.archives import read_page_at
from waypost.reader.sources import MAX_BYTES, PageSource, parse_source, read_file, response_source
from waypost.registry import Registry

FILE = "findings/site.parquet"
FEEDS = "feeds.json"
_MOST_PAGES = 200_000
"""Pages of a host for a comparison."""
_FETCHED = 10_000


class _Page(NamedTuple):
    host: str
    number: int
    path: str
    source: str
    url: str | None
    offset: int | None
    facts: bytes


_PAGES = """
SELECT coalesce(host, '') AS host, page, path, source, url, "offset", facts FROM pages JOIN facts USING (page)
QUALIFY count(*) OVER (PARTITION BY host) > 1 ORDER BY host, page"""

_ALL_PAGES = _PAGES.partition("QUALIFY")[0]


def compare_pages(folder: CrawlFolder, db: Any, plan: Plan, schema: Tables, registry: Registry) -> int:
    """Write the findings about the pages of each host together. Returns the number of the findings.

    db  connection with the tables of the crawl, see `analysis.connect`.
    """
    rows: list[list[Any]] = []
    for _, pages in groupby(_pages(db), key=lambda page: page.host):
        # `groupby` skips what is left of a group.
        compared = [page for _, page in zip(range(_MOST_PAGES), pages, strict=False)]
        rows += _findings(compared, plan, registry)
    if plan.settings.feeds:
        rows += _compare_feeds(folder, db, plan, registry)
    # In the order of the pages, as in the other files of the table.
    rows.sort(key=lambda row: row[0])
    folder.files.write(FILE, parquet(schema.tables["findings"].columns, rows, plan.metadata))
    return len(rows)


def _compare_feeds(folder: CrawlFolder, db: Any, plan: Plan, registry: Registry) -> Iterator[list[Any]]:
    """Rows of the findings about products. The reports about the feeds are written next to the tables."""
    from waypost.lint.feed_findings import ProductFacts
    from waypost.lint.product_feeds import compare_feeds

    settings = plan.settings
    pages = [page for _, page in zip(range(_MOST_PAGES), _pages(db, _ALL_PAGES), strict=False)]
    facts = ProductFacts([page.facts for page in pages])
    reports: list[FileReport] = []
    files = [None if page.url else page.source for page in pages]
    for each in compare_feeds(settings.feeds, facts, files, registry, now=settings.now, site=settings.site):
        if isinstance(each, FileReport):
            reports.append(each)
        elif each.finding is not None:
            each.finding.scope = "site"
            yield from _rows(pages[each.page], each.finding, each.suppression, plan)
    folder.files.write(FEEDS, msgspec.json.encode(reports))


def feed_reports(folder: CrawlFolder) -> list[FileReport]:
    """Reports about the feeds of a crawl."""
    found: list[FileReport] = msgspec.json.decode(folder.files.read(FEEDS), type=list[FileReport])
    return found


def _pages(db: Any, query: str = _PAGES) -> Iterator[_Page]:
    result = db.execute(query)
    while found := result.fetchmany(_FETCHED):
        for row in found:
            yield _Page(*row)


def _findings(pages: list[_Page], plan: Plan, registry: Registry) -> Iterator[list[Any]]:
    from waypost.validate.site_rules import check_site

    units = {unit.number: unit for unit in plan.units}
    settings = plan.settings
    read = partial(_read, pages, units, registry)
    for number, finding, suppression in check_site(
        [page.facts for page in pages], registry, read, now=settings.now, site=settings.site
    ):
        yield from _rows(pages[number], finding, suppression, plan)


def _rows(
    page: _Page, finding: Finding, suppression: tuple[tuple[str, ...], str] | None, plan: Plan
) -> Iterator[list[Any]]:
    """Rows of a finding, under the page's and the configuration's suppressions."""
    from waypost.validate.rulebook import former_names

    config = plan.settings.config
    report = FileReport(path=page.path, findings=[finding])
    if suppression is not None:
        finding.suppression = Suppression("page", suppression[1] or None)
    elif config.nearest(page.source).parts:
        apply(report, config.for_page(page.source), former_names())
    for each in (*report.findings, *report.suppressed):
        yield [page.number, *finding_row(each, FileReport(path=page.path))]


def _read(pages: list[_Page], units: dict[int, Unit], registry: Registry, number: int) -> Page | None:
    """Page of a number, read again; None where that is impossible, as for a page from the web."""
    page = pages[number]
    unit = units[page.number >> UNIT_BITS]
    # A page from the web may have changed since, and is not requested twice.
    if isinstance(unit, SiteUnit) or is_remote(page.source):
        return None
    try:
        if isinstance(unit, StretchUnit):
            data, media_type = read_page_at(unit.where, page.path, page.offset or 0, MAX_BYTES)
            source = response_source(page.path, 200, data, page.url or "", media_type)
        else:
            data = read_file(page.source)
            source = PageSource(data, kind_of(page.path, data), page.url, None)
    except (OSError, Unreadable):
        return None
    return parse_source(source, page.path, registry.vocabulary)
