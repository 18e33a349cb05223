"""Microdata itemref refers to its own item.

By the standard the property is dropped, and careless tools follow it without end. Often an `itemref` names an
element around the item instead of an element next to it.
Source: HTML Standard, section 5.2.5 (Associating names with items), read 2026-11-20.
"""

from __future__ import annotations

from waypost.formats.text import clip, join_words
from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "html"
SEVERITY = "warning"


def explain(read_error: ReadError) -> FindingDraft:
    given: list[str] = read_error.detail["names"]
    names = join_words([clip(name, 30) for name in given[:4]])
    return FindingDraft(
        severity="warning",
        message=f"itemref makes this item a part of itself ({names})",
        hint="point itemref at elements that do not hold this item",
    )
