"""Between a name and its value the colon is missing.

An equals sign or an arrow is no substitute.
Source: RFC 8259, section 4, read 2026-11-20.
"""

from __future__ import annotations

from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft
from waypost.validate.rules._swarm import more

AUTHORITY = "json"
SEVERITY = "error"


def explain(read_error: ReadError) -> FindingDraft:
    return FindingDraft(
        severity="error",
        message="no colon between this name and its value" + more(read_error),
        hint="put a colon there",
        safe=False,
    )
