"""Microdata property outside any item.

An `itemprop` counts only inside an element with `itemscope`, or where an item's `itemref` points to it. Elsewhere
its value is lost. Usually the item was closed too early, by a stray end tag or a template. One finding covers the
page and stands at the first such property. An item with a type that is written so (`itemprop="video" itemscope
itemtype="https://schema.org/VideoObject"`) is read by search engines as an item of the page, and checked as one: that
the HTML Standard has no such item is information, once a page. Properties inside an element with a type and no
`itemscope` are reported there. A `<meta itemprop>` in the head was there for Google+, and belongs to nothing without an
item: information.
Source: HTML Standard, section 5.2.3 (Names: the itemprop attribute), read 2026-11-20; Google Search Central, video
structured data (samples in Microdata), read 2026-11-28.
"""

from __future__ import annotations

from waypost.formats.text import clip, join_words
from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "html"
SEVERITY = "warning"


def explain(read_error: ReadError) -> FindingDraft:
    is_item: bool = read_error.detail["is_item"]
    if is_item:
        return _of_items(read_error)
    is_of_page: bool = read_error.detail["is_of_page"]
    if is_of_page:
        return _of_head(read_error)
    return outside_every_item(read_error, "move what belongs to an item into its element, or point to it with itemref")


def _of_items(read_error: ReadError) -> FindingDraft:
    """Draft about items with a type that are properties of no item."""
    count: int = read_error.detail["count"]
    names: list[str] = read_error.detail["names"]
    displayed = _displayed(names)
    return FindingDraft(
        severity="info",
        message=(
            f"this item is the {displayed} of no item, so it is read as an item of the page"
            if count == 1
            else f"{count} items are properties of no item ({displayed}), so they are read as items of the page"
        ),
        hint="leave itemprop out, or move the item into the one that it belongs to",
    )


def _of_head(read_error: ReadError) -> FindingDraft:
    """Draft about `<meta itemprop>` in the head of a page, as several services ask for."""
    count, displayed = read_error.detail["count"], _displayed(read_error.detail["names"])
    return FindingDraft(
        severity="info",
        message=f"{'the property' if count == 1 else f'{count} properties'} in the head, {displayed}, "
        f"{'belongs' if count == 1 else 'belong'} to no item",
        hint="leave itemprop out, or write itemscope and itemtype on the html element",
    )


def outside_every_item(read_error: ReadError, hint: str) -> FindingDraft:
    """Draft about properties that no item takes, of RDFa too."""
    count: int = read_error.detail["count"]
    names: list[str] = read_error.detail["names"]
    displayed = _displayed(names)
    return FindingDraft(
        severity="warning",
        message=(
            f"the property {displayed} is outside every item, so search engines skip it"
            if count == 1
            else f"{count} properties are outside every item, so search engines skip them: {displayed}"
        ),
        hint=hint,
    )


def _displayed(names: list[str]) -> str:
    return join_words([clip(name, 30) for name in names[:4]] + (["others"] if len(names) > 4 else []))
