"""The vocabulary's address is not schema.org's.

Names are put directly behind the address in `vocab`, or in `prefix`: without the slash at its end `Person` becomes
`https://schema.orgPerson`, and without `https:` the address is one on the page's own host. waypost reads the
names as schema.org's.
Source: W3C RDFa Core 1.1, section 7.4.2 (Use of terms), read 2026-11-20.
"""

from __future__ import annotations

from waypost.formats.text import clip
from waypost.models.page import ReadError
from waypost.validate.item import Draft

AUTHORITY = "html"
SEVERITY = "error"


def explain(trouble: ReadError) -> Draft:
    return Draft(
        severity="error",
        message=f"{clip(trouble.detail['written'])!r} in {trouble.detail['home']} is not the address of schema.org",
        hint="write https://schema.org/, with the slash",
        edits=((trouble.span, "https://schema.org/"),),
    )
