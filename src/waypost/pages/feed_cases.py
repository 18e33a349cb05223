"""Examples of rules about feeds of products: a feed, and the pages that it is compared with."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from msgspec.structs import replace

from waypost.lint.product_feeds import compare_feeds
from waypost.models.finding import FileReport, Finding
from waypost.reader import read_page
from waypost.reader.sources import display_path
from waypost.registry import Registry
from waypost.validate.feeds.products import products_of

LANGUAGES = {".xml": "XML", ".csv": "CSV"}


def files_of(folder: Path) -> tuple[Path, list[Path]]:
    """(feed, pages) of an example."""
    (feed,) = folder.glob("feed.*")
    return feed, sorted(folder.glob("*.html"))


def findings_of(folder: Path, registry: Registry, now: datetime) -> list[tuple[Path, Finding]]:
    """(file, finding) of a feed and of the pages that it is compared with, without those of the pages alone."""
    feed, pages = files_of(folder)
    facts = [products_of(read_page(page.read_bytes(), registry.vocabulary), registry.vocabulary) for page in pages]
    found: list[tuple[Path, Finding]] = []
    for each in compare_feeds([str(feed)], facts, [str(page) for page in pages], registry, now=now):
        if isinstance(each, FileReport):
            found += [(feed, finding) for finding in each.findings]
        elif each.finding is not None:
            found.append((pages[each.page], _named(each.finding, display_path(str(feed)), feed.name)))
    return found


def _named(finding: Finding, path: str, name: str) -> Finding:
    """Finding that calls the feed by its name, wherever the example lies."""
    related = tuple(replace(place, path=name) if place.path == path else place for place in finding.related)
    return replace(finding, message=finding.message.replace(path, name), related=related)


def ranges_of(text: str, findings: list[Finding]) -> list[tuple[int, int]]:
    """Lines of a feed with findings, which know line and column only: (start, end) in characters, without indents."""
    lines = text.splitlines(keepends=True)
    found = []
    for number in sorted({finding.line for finding in findings}):
        start = sum(map(len, lines[: number - 1]))
        line = lines[number - 1].rstrip("\n")
        found.append((start + len(line) - len(line.lstrip()), start + len(line)))
    return found
