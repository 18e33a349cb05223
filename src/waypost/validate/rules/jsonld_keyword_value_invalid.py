"""`@type` or `@id` holds something that is not a text.

`@type` takes a text or a list of texts, `@id` one text. Anything else makes a JSON-LD processor stop
("invalid type value", "invalid @id value"); waypost reads the node as if the keyword were not there.
Source: W3C JSON-LD 1.1 Processing Algorithms, section 5.1 (expansion), read 2026-11-20.
"""

from __future__ import annotations

from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "json"
SEVERITY = "error"


def explain(read_error: ReadError) -> FindingDraft:
    keyword = read_error.detail["keyword"]
    wanted = "a text or a list of texts" if keyword == "@type" else "one text"
    return FindingDraft(
        severity="error",
        message=f"{keyword} is {read_error.detail['kind']}; it must be {wanted}",
        hint="put the name of a type here" if keyword == "@type" else "put one address here",
    )
