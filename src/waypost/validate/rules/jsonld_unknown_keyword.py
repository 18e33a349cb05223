"""Unknown JSON-LD keyword.

Processors ignore every unknown key of the form `@word`, with everything below it. With `@Type` the type is gone,
with `@name` the name. Keywords are written in lower case; properties have no @. waypost reads a keyword in the
wrong letter case as the keyword in lower case.
Source: W3C JSON-LD 1.1, section 1.7 and 9.16 (keywords), read 2026-11-20.
"""

from __future__ import annotations

from waypost.formats.text import clip
from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "json"
SEVERITY = "error"


def explain(read_error: ReadError) -> FindingDraft:
    written: str = read_error.detail["written"]
    correction: str = read_error.detail["meant"]
    if correction != written:
        return FindingDraft(
            severity="error",
            message=f"{written} is not a keyword of JSON-LD; {correction} is, in lower case",
            hint=f"write {correction}",
            edits=((read_error.span, f'"{correction}"'),),
        )
    return FindingDraft(
        severity="warning",
        message=f"{clip(written)} is not a keyword of JSON-LD: it is ignored with everything below it",
        hint=f"properties have no @: {clip(written[1:])}" if written[1:2].islower() else None,
    )
