"""Feeds of products in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from waypost.formats.text import join_words
from waypost.models.finding import FileReport
from waypost.report._words import count

_BY = {"gtin": "GTIN", "mpn": "MPN and brand", "id": "SKU or id", "url": "address"}


def feed_lines(files: Iterable[FileReport]) -> Iterator[str]:
    """Line for each feed: number of rows, matched products, and what is on one side only."""
    for file in files:
        feed = file.feed
        if feed is None or not feed.format:
            continue
        matched = sum(feed.matched.values())
        how = join_words([f"{number:,} by {_BY.get(by, by)}" for by, number in feed.matched.items()])
        parts = [
            f"{file.path}: {count(feed.rows, 'row')} ({feed.format}), {matched:,} matched with a product"
            + (f" ({how})" if matched else ""),
            f"{count(feed.differing, 'product')} {'differs' if feed.differing == 1 else 'differ'}",
        ]
        if feed.rows_without_page:
            parts.append(f"{count(feed.rows_without_page, 'row')} without a page")
        if feed.products_without_row:
            parts.append(f"{count(feed.products_without_row, 'product')} of pages in no row")
        yield "; ".join(parts)
