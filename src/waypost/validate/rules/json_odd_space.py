"""Unusual space character in JSON.

Between values JSON allows only the plain space, tab and line ends. A no-break space or a zero-width space, often
pasted from an editor or a web page, looks the same and stops a strict parser.
Source: RFC 8259, section 2, read 2026-11-20.
"""

from __future__ import annotations

from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft
from waypost.validate.table_rules import count_suffix

AUTHORITY = "json"
SEVERITY = "error"


def explain(read_error: ReadError) -> FindingDraft:
    return FindingDraft(
        severity="error",
        message=f"U+{read_error.detail['code']:04X} between values; JSON does not allow it as a space"
        + count_suffix(read_error),
        hint="put a plain space there",
    )
