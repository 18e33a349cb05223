"""True, False, None or undefined instead of true, false or null.

JSON's three words are written in lower case. Python, PHP and JavaScript have others.
Source: RFC 8259, section 3, read 2026-11-20.
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
        message=f"{clip(read_error.detail['written'], 24)} is no word of JSON; {read_error.detail['meant']} is"
        + more(read_error),
        hint=f"write {read_error.detail['meant']}",
    )
