"""A name has no value.

A template's placeholder was empty, and nothing stands between the colon and the next comma or bracket.
waypost reads null.
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
        message="this name has no value" + more(read_error),
        hint="write a value, or leave the property out",
    )
