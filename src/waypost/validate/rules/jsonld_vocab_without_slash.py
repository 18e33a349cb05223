"""`@vocab` names schema.org without the slash at its end.

A name is simply appended to `@vocab`: with `"https://schema.org"` the property `name` becomes
`https://schema.orgname`, which exists nowhere. waypost reads it as schema.org. (A `@context` that is
the plain text `"https://schema.org"` is a different thing, and right.)
Source: W3C JSON-LD 1.1, section 4.1.2 (default vocabulary), read 2026-11-20.
"""

from __future__ import annotations

from waypost.formats.text import clip
from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "json"
SEVERITY = "warning"


def explain(read_error: ReadError) -> FindingDraft:
    mended = read_error.detail["written"].strip() + "/"
    written = clip(read_error.detail["written"])
    return FindingDraft(
        severity="warning",
        message=f'a name appended to "{written}" is no schema.org name; the slash is missing',
        hint=f'write "{mended}"',
        edits=((read_error.span, f'"{mended}"'),),
    )
