"""A double quote inside a text is not escaped.

It ends the text early, and a strict parser gives up at what follows. Whatever fills the template pastes
texts between quotes instead of encoding them.
Source: RFC 8259, section 7, read 2026-11-20.
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
        message="a double quote inside a text without a backslash" + more(read_error),
        hint='write it as \\", best by letting a JSON encoder write the text',
        safe=False,
    )
