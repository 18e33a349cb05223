"""RDFa vocabulary is not schema.org.

Names are put directly behind the address in `vocab`, or in `prefix`: without the slash at its end `Person` becomes
`https://schema.orgPerson`, and without `https:` the address is one on the page's own host. waypost reads the
names as schema.org's.
Source: W3C RDFa Core 1.1, section 7.4.2 (Use of terms), read 2026-11-20.
"""

from __future__ import annotations

from waypost.formats.text import clip
from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "html"
SEVERITY = "error"


def explain(read_error: ReadError) -> FindingDraft:
    written = clip(read_error.detail["written"])
    return FindingDraft(
        severity="error",
        message=f"{written!r} in {read_error.detail['home']} is not the address of schema.org",
        hint="write https://schema.org/, with the slash",
        edits=((read_error.span, "https://schema.org/"),),
    )
