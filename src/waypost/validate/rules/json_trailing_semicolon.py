"""A semicolon stands behind the JSON.

JSON is no program: a strict parser gives up at the semicolon.
Source: RFC 8259, section 2, read 2026-11-20.
"""

from __future__ import annotations

from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "json"
SEVERITY = "error"


def explain(_: ReadError) -> FindingDraft:
    return FindingDraft(
        severity="error",
        message="a semicolon behind the JSON",
        hint="take the semicolon away",
    )
