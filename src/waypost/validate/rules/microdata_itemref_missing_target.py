"""itemref points at an id that the page does not have.

The properties that should be taken in from there are missing from the item. Ids are compared letter by
letter, and a `#` in front of the id is part of the name.
Source: HTML Standard, section 5.2.2 (Items: the itemref attribute), read 2026-11-20.
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
        message=f"no element has the id {clip(read_error.detail['id'])!r}",
        hint="write an id of this page, without #, or leave the word out",
    )
