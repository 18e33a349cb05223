"""The markup is nested deeper than browsers keep it.

Parsers cap the nesting (at 512 open elements): a tag below the cap becomes a sibling of what it was meant to
stand in. Nobody can say to which item a property down there belongs, so do not trust what is found below.
Nearly always the cause is a tag that is opened in a loop and never closed.
Source: HTML Standard, section 13.2 (parsers may impose limits) and the 512 levels of Blink's parser, read 2026-11-20.
"""

from __future__ import annotations

from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "html"
SEVERITY = "warning"


def explain(_: ReadError) -> FindingDraft:
    return FindingDraft(
        severity="warning",
        message="this item or property stands below 511 other elements, deeper than parsers keep apart",
        hint="close the elements that are opened again and again above it",
    )
