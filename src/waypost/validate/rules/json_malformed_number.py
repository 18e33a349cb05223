"""A number is not written as JSON wants it.

No plus sign, no zero in front, digits on both sides of the point, no hexadecimal digits, and a size
that a computer can hold. A code such as a GTIN or a postal code is a text: with quotes it may begin with
a zero.
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
        message=(
            f"the number {clip(read_error.detail['written'], 40)} is too large to be one"
            if read_error.detail["kind"] == "too large"
            else f"{clip(read_error.detail['written'], 40)} is not how JSON writes a number"
        )
        + more(read_error),
        hint=f"write {read_error.detail['meant']}, or put quotes around it if it is a code"
        if "meant" in read_error.detail
        else None,
        safe=False,
    )
