"""A name stands twice in one object.

Parsers keep one of the two, usually the last, and drop the other without a word. With two different
values, one of the statements is lost; where several values are meant, a list holds them. With equal
values nothing is lost but clarity.
Source: RFC 8259, section 4 (names should be unique), read 2026-11-20.
"""

from __future__ import annotations

from waypost.formats.text import clip
from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "json"
SEVERITY = "error"


def explain(read_error: ReadError) -> FindingDraft:
    key, same = clip(read_error.detail["key"], 40), read_error.detail["same"]
    return FindingDraft(
        severity="warning" if same else "error",
        message=f"{key} stands twice in this object, "
        + ("with the same value" if same else "and only the last is read"),
        hint="take one away" if same else "keep one, or put both values in a list",
    )
