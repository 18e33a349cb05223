"""A `@context` is neither an address nor an object.

It must be a text (the address of a context), an object with definitions, a list of these, or null.
Anything else makes a JSON-LD processor stop ("invalid local context").
Source: W3C JSON-LD 1.1 Processing Algorithms, section 4.1, read 2026-11-20.
"""

from __future__ import annotations

from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "json"
SEVERITY = "error"


def explain(read_error: ReadError) -> FindingDraft:
    return FindingDraft(
        severity="error",
        message=f"the @context is {read_error.detail['kind']}; it must be an address or an object",
        hint='write "@context": "https://schema.org"',
    )
