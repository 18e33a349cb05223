"""An item has an id but no type.

What an `itemid` identifies is defined by the vocabulary of the item's type; without one it says nothing.
Source: HTML Standard, section 5.2.2 (Items: itemid needs itemscope and itemtype), read 2026-11-20.
"""

from __future__ import annotations

from waypost.formats.text import clip
from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "html"
SEVERITY = "warning"


def explain(read_error: ReadError) -> FindingDraft:
    return FindingDraft(
        severity="warning",
        message=f"itemid {clip(read_error.detail['id'])!r} on an item without itemtype",
        hint="add itemtype, or leave itemid out",
    )
