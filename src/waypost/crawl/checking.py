"""Check of a page of a crawl, with the findings of `waypost validate`."""

from __future__ import annotations

from waypost.config import apply
from waypost.crawl.model import CheckedRows, PageInfo, Settings
from waypost.crawl.rows import rows_of
from waypost.crawl.shapes import paths_of
from waypost.extract.sources import PageSource, parse_source
from waypost.formats.file_kinds import is_linked_data
from waypost.registry import Registry


def check_page(info: PageInfo, source: PageSource, registry: Registry, settings: Settings) -> CheckedRows | None:
    """Rows of a page; None for a file of a searched folder without a page."""
    from waypost.validate import validate_parsed
    from waypost.validate.site_facts import facts_of

    # Folders of sites hold JSON of every kind; a file that was named is checked whatever it holds.
    if info.walked and source.kind == "json" and ".jsonld" not in info.path.lower() and not is_linked_data(source.data):
        return None
    page = parse_source(source, info.path, registry.vocabulary, settings.syntaxes)
    file = validate_parsed(
        page, registry, now=settings.now, profiles=_profiles(info, settings), site=settings.site,
        also=settings.config.also,
    )  # fmt: skip
    if settings.syntaxes is not None:
        # A suppression may concern a syntax that was not read, so it cannot be called unused.
        file.findings[:] = [finding for finding in file.findings if finding.rule != "suppression-unused"]
    if settings.config.parts:
        from waypost.validate.rulebook import former_names

        holding = settings.config.for_page(info.source)
        if holding.rules or holding.ignore:
            apply(file, holding, former_names())
    facts, url, paths = facts_of(page, registry.vocabulary), page.url, paths_of(page)
    page.release()
    if info.walked and source.kind == "markdown" and not (file.items or file.findings or file.suppressed):
        return None  # a text without structured data
    return rows_of(file, url, paths, facts)


def _profiles(info: PageInfo, settings: Settings) -> tuple[str, ...]:
    if settings.profiles or not settings.config.parts:
        return settings.profiles
    setting = settings.config.for_page(info.source).profiles
    return setting.value if setting else ()
