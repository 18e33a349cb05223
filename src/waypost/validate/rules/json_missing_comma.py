"""A comma between two members is missing.

A strict parser gives up at the second one, and the whole block is lost.
Source: RFC 8259, section 4 and 5, read 2026-11-20.
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
        message=(
            f"{trouble.detail['instead']} stands where a comma belongs"
            if "instead" in trouble.detail
            else "a comma is missing before this"
        )
        + more(trouble),
        hint="put a comma between the members",
    )
