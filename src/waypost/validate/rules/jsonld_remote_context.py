"""A context other than schema.org's was not looked at.

waypost never fetches a context: what its terms mean is unknown, and what is written with them is left
alone. Names given as full schema.org addresses are judged all the same. Google, too, knows only
schema.org.
Source: W3C JSON-LD 1.1, section 3.1; Google Search Central, introduction to structured data, read 2026-11-20.
"""

from __future__ import annotations

from waypost.formats.text import clip
from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "json"
SEVERITY = "info"


def explain(read_error: ReadError) -> FindingDraft:
    return FindingDraft(
        severity="info",
        message=f"the context {clip(read_error.detail['written'])} is not fetched; its terms are left alone",
    )
