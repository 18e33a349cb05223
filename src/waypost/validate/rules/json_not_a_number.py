"""NaN or Infinity stands where JSON wants a number.

JSON has no such values. They come from a division by zero or from a missing number, and a strict parser
gives up at them. waypost reads null.
Source: RFC 8259, section 6, read 2026-11-20.
"""

from __future__ import annotations

from waypost.formats.text import clip
from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft
from waypost.validate.rules._swarm import more

AUTHORITY = "json"
SEVERITY = "error"


def explain(read_error: ReadError) -> FindingDraft:
    return FindingDraft(
        severity="error",
        message=f"{clip(read_error.detail['written'], 24)} is no JSON number" + more(read_error),
        hint="leave the property out, or write null",
        safe=False,
    )
