"""Something stands before the JSON.

Program code such as `var data =`, a function call around the object, or stray words. The script's
whole content must be one JSON value; a strict parser gives up at the first character.
Source: RFC 8259, section 2, read 2026-11-20.
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
        message=f"{clip(read_error.detail['written'], 40)} stands before the JSON",
        hint="leave only the JSON in the script",
        safe=False,
    )
