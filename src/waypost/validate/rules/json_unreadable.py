"""A block is not JSON, and nothing could be read from it.

Consumers read no structured data from such a script. What usually stands there is program code, a
template that was never filled in, or markup.
Source: RFC 8259, read 2026-11-20.
"""

from __future__ import annotations

from waypost.shapes.page import Trouble
from waypost.validate.item import Draft

AUTHORITY = "json"
SEVERITY = "error"


def explain(trouble: Trouble) -> Draft:
    found = trouble.detail.get("found", "")
    return Draft(
        severity="error",
        message=f"this is not JSON{': it begins with ' + found if found else ''}; nothing could be read from the block",
        hint=trouble.detail.get(
            "hint", "write one JSON object, and check it with a JSON parser before it is published"
        ),
    )
