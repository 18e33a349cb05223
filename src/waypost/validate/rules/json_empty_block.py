"""A script of structured data is empty.

Nothing in it, or only an empty object or list. It does no harm, but whoever filled it failed: a
template without its data, or a plugin with nothing to say.
Source: WHATWG HTML, data blocks, and RFC 8259, section 2 (a JSON text is a value), read 2026-11-20.
"""

from __future__ import annotations

from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "json"
SEVERITY = "warning"


def explain(read_error: ReadError) -> FindingDraft:
    kind = read_error.detail.get("kind", "nothing")
    held = "nothing at all" if kind == "nothing" else f"only an empty {kind}"
    return FindingDraft(
        severity="warning",
        message=f"the block holds {held}",
        hint="fill it, or leave the script out",
    )
