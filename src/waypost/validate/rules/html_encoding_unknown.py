"""Unknown page encoding.

A label outside the Encoding Standard (`utf8mb4`, `unicode-8`) is ignored: the text is then read as UTF-8, or as
windows-1252 if the bytes are not valid UTF-8. The label may come from HTTP; then the finding stands at the start.
Source: WHATWG Encoding Standard, section 4.2 (Names and labels), read 2026-11-20.
"""

from __future__ import annotations

from waypost.formats.text import clip
from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "html"
SEVERITY = "warning"


def explain(read_error: ReadError) -> FindingDraft:
    return FindingDraft(
        severity="warning",
        message=f"{clip(read_error.detail['label'])!r} is not an encoding that browsers know",
        hint='write <meta charset="utf-8"> and save the page as UTF-8',
    )
