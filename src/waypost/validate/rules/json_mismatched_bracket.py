"""A closing bracket does not fit the opening one.

A list is closed by ], an object by }. One of the two was forgotten or mistyped.
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
        message=f"{read_error.detail['written']} where {read_error.detail['wanted']} must come first",
        hint="close what was opened last",
        safe=False,
    )
