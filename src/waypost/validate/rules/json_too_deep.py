"""Objects are nested deeper than anybody reads.

waypost stops at 200 levels (at 10,000 in a block that is no valid JSON); what lies deeper was not
judged. Structured data of a real page has fewer than ten. Such depth comes from a generator that follows
a reference round and round.
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
        message=f"nested more than {read_error.detail['most']:,} levels deep; what lies deeper was not read",
        hint="refer to things by @id instead of repeating them inside each other",
    )
