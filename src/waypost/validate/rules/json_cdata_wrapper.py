"""The JSON is wrapped in a CDATA section.

`<![CDATA[` and `]]>` mean something in XML. In an HTML script they are characters of its text, which
is then no JSON any more. Consumers take them away or lose the block.
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
        message="a CDATA wrapper around the JSON",
        hint="take the wrapper away: HTML needs none",
    )
