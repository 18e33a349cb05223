"""A name has no value.

A template's placeholder was empty, and nothing stands between the colon and the next comma or bracket.
waypost reads null.
Source: RFC 8259, section 4, read 2026-11-20.
"""

from __future__ import annotations

from waypost.models.page import ReadError
from waypost.validate.item import Draft
from waypost.validate.rules._swarm import more

AUTHORITY = "json"
SEVERITY = "error"


def explain(trouble: ReadError) -> Draft:
    return Draft(
        severity="error",
        message="this name has no value" + more(trouble),
        hint="write a value, or leave the property out",
    )
