"""An invisible byte-order mark (U+FEFF) stands in the JSON.

It comes from a file that was saved "with BOM" and pasted or included. It is no white space in JSON, so
a strict parser gives up before the first brace.
Source: RFC 8259, section 8.1, read 2026-11-20.
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
        message="an invisible byte-order mark (U+FEFF) in the JSON" + more(read_error),
        hint="save the included file without a byte-order mark",
    )
