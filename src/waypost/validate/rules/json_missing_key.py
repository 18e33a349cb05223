"""A member of an object has no name.

Inside braces every value has a name before it. Values without names belong in a list, in square
brackets.
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
        message="a value without a name, inside an object" + more(read_error),
        hint="give it a name, or put the values in a list",
    )
