"""Check of a page of a crawl, with the findings of `waypost validate`."""

from __future__ import annotations

from waypost.crawl.model import CheckedRows, PageInfo, Settings
from waypost.crawl.rows import rows_of
from waypost.crawl.shapes import paths_of
from waypost.lint import page as lint
from waypost.reader.sources import PageSource
from waypost.registry import Registry


def check_page(info: PageInfo, source: PageSource, registry: Registry, settings: Settings) -> CheckedRows | None:
    """Rows of a page; None for a file of a searched folder without a page."""
    from waypost.validate.site_facts import facts_of

    if info.walked and lint.is_other_data(source, info.path):
        return None
    page, file = lint.check_page(source, info.path, info.source, settings)
    lint.apply_config(info.source, file, settings)
    facts = facts_of(page, registry.vocabulary, with_products=bool(settings.feeds))
    url, paths = page.url, paths_of(page)
    page.release()
    if info.walked and lint.is_text_alone(source, file):
        return None
    return rows_of(file, url, paths, facts)
