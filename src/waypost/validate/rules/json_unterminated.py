"""A text, an object or a list is never closed.

The end of the block comes first. Often the output was cut off, by a length limit or by an error in the
middle of a template.
Source: RFC 8259, section 2, read 2026-11-20.
"""

from __future__ import annotations

from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "json"
SEVERITY = "error"


def explain(read_error: ReadError) -> FindingDraft:
    return FindingDraft(
        severity="error",
        message=(
            "the text that begins here has no closing quote"
            if read_error.detail["what"] == "text"
            else f"this {read_error.detail['what']} is never closed"
            if read_error.detail.get("early")
            else f"the block ends inside of {'an object' if read_error.detail['what'] == 'object' else 'a list'}"
        ),
        hint="close it; see whether the end of the data is missing too",
        safe=False,
    )
