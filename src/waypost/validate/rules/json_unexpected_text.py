"""Something stands where nothing belongs.

Between members of an object or a list only a comma may stand. waypost passes over the rest.
Source: RFC 8259, section 2, read 2026-11-20.
"""

from __future__ import annotations

from waypost.formats.text import clip
from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft
from waypost.validate.rules._swarm import more

AUTHORITY = "json"
SEVERITY = "error"


def explain(read_error: ReadError) -> FindingDraft:
    return FindingDraft(
        severity="error",
        message=f"{clip(read_error.detail['written'], 40)} does not belong here" + more(read_error),
        hint="take it away, or put quotes around what is a text",
        safe=False,
    )
