"""Sources of a crawl become units of work. No archive is read: a unit is a stretch of bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from urllib.parse import urlsplit

import msgspec

from waypost.crawl.model import CrawlFile, FilesUnit, SiteUnit, StretchUnit, Unit

STRETCH_BYTES = 128 << 20
_MOST_FILES = 500
_MOST_FILES_BYTES = 8 << 20
"""Most files of a unit, and most bytes: small units occupy every worker."""
_FILE_COST = 2_000
"""Bytes that stand for opening a file."""


def archive_units(where: str, path: str, size_bytes: int, stretch_bytes: int = STRETCH_BYTES) -> Iterator[StretchUnit]:
    """Stretches of an archive, about equally long. Numbers are given by `numbered`."""
    number = max(1, round(size_bytes / stretch_bytes))
    edges = [size_bytes * n // number for n in range(number + 1)]
    for start, end in pairwise(edges):
        yield StretchUnit(number=-1, where=where, path=path, start=start, end=end, size_bytes=size_bytes)


def file_units(files: Sequence[tuple[CrawlFile, int]], stretch_bytes: int = STRETCH_BYTES) -> Iterator[FilesUnit]:
    """Files in units of about the same size. `files`: (file, size in bytes)."""
    group: list[CrawlFile] = []
    held = 0
    for file, size_bytes in files:
        group.append(file)
        held += size_bytes + _FILE_COST
        if held >= min(stretch_bytes, _MOST_FILES_BYTES) or len(group) >= _MOST_FILES:
            yield FilesUnit(number=-1, files=tuple(group), size_bytes=held)
            group, held = [], 0
    if group:
        yield FilesUnit(number=-1, files=tuple(group), size_bytes=held)


def site_units(urls: Iterable[str]) -> Iterator[SiteUnit]:
    """A unit per registrable domain: a single task sets the pace of a site."""
    by_site: dict[str, list[str]] = {}
    for url in dict.fromkeys(urls):
        by_site.setdefault(_site_of(url), []).append(url)
    for site, addresses in by_site.items():
        yield SiteUnit(number=-1, site=site, urls=tuple(addresses))


def _site_of(url: str) -> str:
    from waypost.safety.target import registrable_domain

    try:
        host = (urlsplit(url).hostname or "").rstrip(".").lower()
    except ValueError:
        return ""
    return registrable_domain(host) or host


def numbered(units: Iterable[Unit]) -> tuple[Unit, ...]:
    """Units with their numbers, in the order of the sources."""
    return tuple(msgspec.structs.replace(unit, number=number) for number, unit in enumerate(units))


__all__ = ["STRETCH_BYTES", "archive_units", "file_units", "numbered", "site_units"]
