"""Names or texts are in curly quotes.

A word processor or a content management system has made the straight quotes pretty. To JSON they are
no quotes at all.
Source: RFC 8259, section 7, read 2026-11-20.
"""

from __future__ import annotations

from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft
from waypost.validate.rules._swarm import is_safe, more

AUTHORITY = "json"
SEVERITY = "error"


def explain(read_error: ReadError) -> FindingDraft:
    return FindingDraft(
        severity="error",
        message="curly quotes; JSON wants straight ones" + more(read_error),
        hint="replace them with straight double quotes",
        safe=is_safe(read_error),
    )
