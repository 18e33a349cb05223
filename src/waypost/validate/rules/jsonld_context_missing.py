"""Nothing says which vocabulary the names belong to.

Without `@context` (or with an empty one) `"@type": "Recipe"` is just a word: by the standard such
names mean nothing, and the whole object is dropped. waypost reads it as schema.org, so that
everything else can be judged too.
Source: W3C JSON-LD 1.1, section 3.1 (the context); Google Search Central, introduction to structured
data (every example carries it), read 2026-11-20.
"""

from __future__ import annotations

from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "json"
SEVERITY = "error"


def explain(read_error: ReadError) -> FindingDraft:
    absent = read_error.detail["kind"] == "absent"
    return FindingDraft(
        severity="error",
        message=f"the @context is {'missing' if absent else 'empty'}, so no name here has a meaning",
        hint='add "@context": "https://schema.org"',
        safe=False,
    )
