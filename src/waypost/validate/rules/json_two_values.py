"""One script holds two JSON values or more.

A block is one value. Consumers read none of them, or the first alone. Several things belong in one
list, in one `@graph`, or in scripts of their own.
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
        message=f"{read_error.detail['number']} values in one block; JSON is exactly one",
        hint="put them in a list, or each in a script of its own",
    )
