"""RDFa property describes the link target.

An `href` or `src` on an element without `property` makes the link's target the subject of all properties inside.
So `<a href="/pie"><span property="name">` names the page `/pie`, and the item around the link has no name. One
finding covers the page.
Source: W3C RDFa Core 1.1, section 7.5, step 5 (new subject from href or src), read 2026-11-20.
"""

from __future__ import annotations

from waypost.formats.text import clip, join_words
from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "html"
SEVERITY = "warning"


def explain(read_error: ReadError) -> FindingDraft:
    count: int = read_error.detail["count"]
    names: list[str] = read_error.detail["names"]
    displayed = join_words([clip(name, 30) for name in names[:4]] + (["others"] if len(names) > 4 else []))
    verb = "describes" if len(names) == 1 else "describe"
    return FindingDraft(
        severity="warning",
        message=f"{displayed} {verb} the target of the link around it, not the item",
        hint="give the link a property of its own (url), or move the name outside the link"
        + ("" if count == 1 else f"; {count} properties of this page stand so"),
    )
