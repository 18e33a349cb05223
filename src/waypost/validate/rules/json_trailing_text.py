"""Something stands behind the JSON.

After the closing bracket of the value nothing may follow but white space. Often it is one closing
bracket too many, which ends the object early: what comes after is not read by anybody.
Source: RFC 8259, section 2, read 2026-11-20.
"""

from __future__ import annotations

from waypost.formats.text import clip
from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft
from waypost.validate.rules._swarm import is_safe

AUTHORITY = "json"
SEVERITY = "error"


def explain(read_error: ReadError) -> FindingDraft:
    return FindingDraft(
        severity="error",
        message=f"{clip(read_error.detail['written'], 40)} stands behind the end of the JSON",
        hint="take it away, or find the bracket that closes too early",
        safe=is_safe(read_error),
    )
