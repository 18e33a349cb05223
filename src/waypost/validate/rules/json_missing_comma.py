"""A comma between two members is missing.

A strict parser gives up at the second one, and the whole block is lost.
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
        message=(
            f"{read_error.detail['instead']} stands where a comma belongs"
            if "instead" in read_error.detail
            else "a comma is missing before this"
        )
        + more(read_error),
        hint="put a comma between the members",
    )
