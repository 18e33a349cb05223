"""The JSON is wrapped in an HTML comment.

`<!--` and `-->` once hid scripts from browsers of the nineties. In a script element they are
characters of its text, which is then no JSON any more. Consumers take them away or lose the block.
Source: WHATWG HTML, section 4.12.1.3 (restrictions for contents of script elements), and RFC 8259,
section 2, read 2026-11-20.
"""

from __future__ import annotations

from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "json"
SEVERITY = "warning"


def explain(_: ReadError) -> FindingDraft:
    return FindingDraft(
        severity="warning",
        message="an HTML comment around the JSON",
        hint="take <!-- and --> away",
    )
