"""Texts of pages for reports."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from waypost.errors import Unreadable
from waypost.isolation.process import RELEASE_AFTER, release_free_memory
from waypost.lint.inputs import InputList, by_path
from waypost.lint.page_sources import PageStore, open_page
from waypost.reader.sources import PageSource
from waypost.report import Source


def source_of(page: PageSource) -> Source:
    """Text of a page, with the places of its bytes."""
    from waypost.models.page import Span
    from waypost.reader.encoding import decode

    text = decode(page.data, encoding="utf-8") if page.kind != "html" else decode(page.data, page.media_type)
    offset = text.offset
    return Source(text.string, lambda start, end: text.locate(Span(offset(start), offset(end))))


def reader(inputs: InputList, store: PageStore) -> Callable[[str], Source | None]:
    """Function from a path of the report to the page's text, which is read again when a format needs the text."""
    find = by_path(inputs.inputs)
    reads = itertools.count(1)

    def source(path: str) -> Source | None:
        # Formats with the text read every page again, at the end of the run.
        if next(reads) % RELEASE_AFTER == 0:
            release_free_memory()
        try:
            # Fixed pages, standard input and pages from the web are in the store; others are cheap to read again.
            page = store.get(path) or ((item := find(path)) and open_page(item, allow_private=False))
            return source_of(page) if page else None
        except Unreadable:
            return None

    return source
