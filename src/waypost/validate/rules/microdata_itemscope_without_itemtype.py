"""An item has no type.

Its properties mean nothing to a consumer, which cannot know the vocabulary they come from. An untyped item
that is the value of a typed item's property is left alone: there the type follows from the property.
Source: HTML Standard, section 5.2.2 (Items); schema.org/docs/gs.html, section 1c, read 2026-11-20.
"""

from __future__ import annotations

from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "html"
SEVERITY = "info"


def explain(_: ReadError) -> FindingDraft:
    return FindingDraft(
        severity="info",
        message="itemscope without itemtype: nothing says what the properties in it describe",
        hint='add itemtype="https://schema.org/..." to the tag',
    )
