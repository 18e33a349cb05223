"""A script holds something that describes nothing.

A JSON-LD document is an object or a list of objects. A bare text, number or `null`, alone or as a
member of a list or of `@graph`, says nothing about anything, and consumers drop it. The usual cause
is a template that encodes JSON twice, so that an object arrives as one long text.
Source: W3C JSON-LD 1.1, section 9.1 (document) and 9.2 (node objects), read 2026-11-20.
"""

from __future__ import annotations

from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "json"
SEVERITY = "error"


def explain(read_error: ReadError) -> FindingDraft:
    return FindingDraft(
        severity="error",
        message=f"{read_error.detail['kind']} stands where an object was expected; it describes nothing",
        hint="put an object with @context and @type here, or take this away",
    )
