"""A comma stands before a closing bracket, or doubled.

JavaScript allows it, JSON does not: a strict parser gives up at this place, and the whole block is
lost. It is what a template's loop leaves behind when it writes a comma after every member.
Source: RFC 8259, section 4 and 5, read 2026-11-20.
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
        message=("one comma too many" if "extra" in read_error.detail else "a comma before the closing bracket")
        + more(read_error),
        hint="take the comma away",
    )
