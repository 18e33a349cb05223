"""RDFa type without a vocabulary.

`typeof="Person"` means something only inside an element with `vocab="https://schema.org/"`; otherwise the
word is ignored, and with it every bare property name inside. waypost checks the item as schema.org's type.
Source: W3C RDFa Lite 1.1, section 2.1 (vocab, typeof and property), read 2026-11-20.
"""

from __future__ import annotations

from waypost.formats.text import clip
from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "html"
SEVERITY = "error"


def explain(read_error: ReadError) -> FindingDraft:
    return FindingDraft(
        severity="error",
        message=f"no vocab applies here, so the type {clip(read_error.detail['name'])} means nothing",
        hint='add vocab="https://schema.org/" to this tag or to one around it',
    )
