"""Bytes do not match the page's encoding.

What cannot be decoded reads as U+FFFD, the black diamond. The finding stands at the first such byte. The
usual cause is text in another encoding pasted into the page, or a text cut in the middle of a character.
Source: WHATWG Encoding Standard, section 4 (error mode "replacement"), read 2026-11-20.
"""

from __future__ import annotations

from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "html"
SEVERITY = "warning"


def explain(read_error: ReadError) -> FindingDraft:
    return FindingDraft(
        severity="warning",
        message=f"from here on there are bytes that are not valid {read_error.detail['label']}",
        hint="save the page in the encoding it names, best UTF-8",
    )
