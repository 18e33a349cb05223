"""Microdata property outside any item.

An `itemprop` counts only inside an element with `itemscope`, or where an item's `itemref` points to it. Elsewhere
its value is lost. Usually the item was closed too early, by a stray end tag or a template. One finding covers the
page and stands at the first such property. An item that hangs on such a property is not an item of the page either, and
earns nothing. Properties inside an element with a type and no `itemscope` are reported there.
Source: HTML Standard, section 5.2.3 (Names: the itemprop attribute), read 2026-11-20.
"""

from __future__ import annotations

from waypost.formats.text import clip, join_words
from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "html"
SEVERITY = "warning"


def explain(read_error: ReadError) -> FindingDraft:
    return outside_every_item(read_error, "move what belongs to an item into its element, or point to it with itemref")


def outside_every_item(read_error: ReadError, hint: str) -> FindingDraft:
    """Draft about properties that no item takes, of RDFa too."""
    count, names = read_error.detail["count"], read_error.detail["names"]
    displayed = join_words([clip(name, 30) for name in names[:4]] + (["others"] if len(names) > 4 else []))
    return FindingDraft(
        severity="warning",
        message=(
            f"the property {displayed} is outside every item, so search engines skip it"
            if count == 1
            else f"{count} properties are outside every item, so search engines skip them: {displayed}"
        ),
        hint=hint,
    )
