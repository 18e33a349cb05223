"""RDFa property outside any item.

A `property` describes the nearest element around it with a `typeof`. Without such an element the property
describes the page, which has no type, so a consumer finds no item to give the value to. Properties of other
vocabularies (`og:title`) describe pages and are ignored. One finding covers the page.
Source: W3C RDFa Core 1.1, section 7.5 (Sequence: new subject), read 2026-11-20.
"""

from __future__ import annotations

from waypost.formats.text import clip, join_words
from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "html"
SEVERITY = "warning"


def explain(read_error: ReadError) -> FindingDraft:
    count, names = read_error.detail["count"], read_error.detail["names"]
    displayed = join_words([clip(name, 30) for name in names[:4]] + (["others"] if len(names) > 4 else []))
    return FindingDraft(
        severity="warning",
        message=(
            f"the property {displayed} is outside every item, so search engines skip it"
            if count == 1
            else f"{count} properties are outside every item, so search engines skip them: {displayed}"
        ),
        hint="move it into an element with typeof",
    )
