"""A block is not JSON, and nothing could be read from it.

Consumers read no structured data from such a script. What usually stands there is program code, a
template that was never filled in, or markup.
Source: RFC 8259, read 2026-11-20.
"""

from __future__ import annotations

from waypost.formats.text import clip
from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "json"
SEVERITY = "error"


def explain(read_error: ReadError) -> FindingDraft:
    return FindingDraft(
        severity="error",
        message=f"this is not JSON: it begins with {clip(read_error.detail['found'], 40)}",
        hint="write one JSON object, and try it in a JSON parser before it is published",
    )
