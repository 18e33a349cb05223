"""A comment stands in or around the JSON.

JSON has no comments. Some consumers take them away before they read; a strict parser gives up, and the
block is lost. What must be explained can be said in the page around the script.
Source: RFC 8259, section 2, read 2026-11-20.
"""

from __future__ import annotations

from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft
from waypost.validate.rules._swarm import more

AUTHORITY = "json"
SEVERITY = "warning"


def explain(read_error: ReadError) -> FindingDraft:
    return FindingDraft(
        severity="warning",
        message="a comment; JSON has none" + more(read_error),
        hint="take the comment away",
    )
