"""The type of the script is almost that of JSON-LD.

Nobody reads JSON-LD from a script of the type `application/json+ld`, `text/ld+json` or `application/ld-json`: for a
browser and for every consumer it is a block of data of an unknown kind. Letter case, spaces around it and parameters
(`; charset=utf-8`) do no harm. Scripts of the type `application/json` are left alone: programs keep their data there.
Source: HTML Standard, section 4.12.1 (the script element), and W3C JSON-LD 1.1, section 7 (embedding JSON-LD in HTML
documents), read 2026-11-20.
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
        message=f"the script is of the type {clip(read_error.detail['written'])!r}: nobody reads it as JSON-LD",
        hint="write application/ld+json",
        edits=((read_error.span, "application/ld+json"),),
    )
