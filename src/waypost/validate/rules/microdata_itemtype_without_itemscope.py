"""An element has a type but is no item.

Without `itemscope` the `itemtype` does nothing: no item begins here, and the properties inside belong to
the item around it, or to none.
Source: HTML Standard, section 5.2.2 (Items: itemtype must not be specified without itemscope), read 2026-11-20.
"""

from __future__ import annotations

from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "html"
SEVERITY = "error"


def explain(_: ReadError) -> FindingDraft:
    return FindingDraft(
        severity="error",
        message="itemtype without itemscope: no item begins here",
        hint="add itemscope to the same tag",
    )
