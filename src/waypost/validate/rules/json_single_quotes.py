"""Names or texts are in single quotes.

JSON knows double quotes alone. Python's `repr` and JavaScript's source look like this; a JSON encoder
does not.
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
        message="single quotes; JSON wants double ones" + more(read_error),
        hint="write it with a JSON encoder",
        safe=is_safe(read_error),
    )
