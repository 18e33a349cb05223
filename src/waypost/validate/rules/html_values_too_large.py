"""Nested properties repeat the page's text many times over.

The value of a property is all the text inside its element. Properties nested in properties, or one part of
the page that many items take in by `itemref`, add up to far more than the page itself. waypost stops reading
this syntax there and judges none of it; a consumer may do the same.
Source: HTML Standard, section 5.2.4 (Values), read 2026-11-20.
"""

from __future__ import annotations

from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "html"
SEVERITY = "error"


def explain(_: ReadError) -> FindingDraft:
    return FindingDraft(
        severity="error",
        message="the values of the properties add up to many times the page: they were not judged",
        hint="put a property on the innermost element that holds its value",
    )
