"""A page holds more structured data than is read.

waypost stops at 100,000 nodes a page, and at 200,000 terms in inline contexts; what comes after was
not judged.
Source: waypost's own limit, read 2026-11-20.
"""

from __future__ import annotations

from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "waypost"
SEVERITY = "error"


def explain(read_error: ReadError) -> FindingDraft:
    return FindingDraft(
        severity="error",
        message=f"more than {read_error.detail['most']:,} {read_error.detail['what']}; what comes after was not read",
        hint="spread the data over several pages",
    )
