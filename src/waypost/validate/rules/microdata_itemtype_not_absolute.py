"""The item's type is not written as an address.

Types of Microdata are absolute URLs: `https://schema.org/Recipe`. A bare `Recipe`, or one without its
`https:`, is the type of no vocabulary. waypost judges the item as the type that was probably meant.
Source: HTML Standard, section 5.2.2 (Items: each token an absolute URL), read 2026-11-20.
"""

from __future__ import annotations

from waypost.formats.text import clip
from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "html"
SEVERITY = "error"


def explain(read_error: ReadError) -> FindingDraft:
    written, name = read_error.detail["written"], read_error.detail["name"]
    return FindingDraft(
        severity="error",
        message=f"the type {clip(written)!r} is not an absolute URL",
        hint=f"write https://schema.org/{clip(name)}",
    )
