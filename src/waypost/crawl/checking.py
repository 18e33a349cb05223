"""Check of a page of a crawl, with the findings of `waypost validate`."""

from __future__ import annotations

from waypost.crawl.model import CheckedRows, PageInfo, Settings
from waypost.crawl.rows import rows_of
from waypost.crawl.shapes import paths_of
from waypost.lint import page as lint
from waypost.lint.inputs import Input, is_address
from waypost.reader.sources import PageSource
from waypost.registry import Registry
from waypost.render.model import Rendered


def check_page(
    info: PageInfo, source: PageSource, registry: Registry, settings: Settings, rendered: Rendered | None = None
) -> CheckedRows | None:
    """Rows of a page; None for a file of a searched folder without a page.

    rendered  the page after its scripts: the rows are about both.
    """
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
    if rendered is not None:
        from waypost.lint.rendering import add_rendering

        add_rendering(input_of(info), source, file, rendered, settings, None)
    return rows_of(file, url, paths, facts)


def input_of(info: PageInfo) -> Input:
    """Page of a crawl as an input of `waypost validate`."""
    if is_address(info.source):
        return Input(info.path, info.source, "url", from_list=True)
    return Input(info.path, info.source, "file", info.url)
