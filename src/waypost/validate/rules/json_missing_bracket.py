"""An opening brace is missing.

Names with colons stand where a value was expected: the brace before them is missing, or was taken away
with something else. A strict parser gives up at the first colon.
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
        message=f"{read_error.detail['written']} is missing before this name" + more(read_error),
        hint="open the object here",
        safe=False,
    )
