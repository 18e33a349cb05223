r"""Half of a character is written as an escape.

Characters beyond U+FFFF (emoji, mostly) are two escapes, `\ud83d\ude00`. One of the two alone stands for
nothing; a text was probably cut in the middle of a character. waypost reads a replacement mark.
Source: RFC 8259, section 8.2, read 2026-11-20.
"""

from __future__ import annotations

from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft
from waypost.validate.rules._swarm import more

AUTHORITY = "json"
SEVERITY = "warning"


def explain(read_error: ReadError) -> FindingDraft:
    return FindingDraft(
        severity="warning",
        message="half of a two-part character escape; the other half is missing" + more(read_error),
        hint="write the whole character, or leave it out",
        safe=False,
    )
