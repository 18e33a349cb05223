"""A property's name has no quotes.

JavaScript allows that, JSON does not.
Source: RFC 8259, section 4, read 2026-11-20.
"""

from __future__ import annotations

from waypost.formats.text import clip
from waypost.models.page import ReadError
from waypost.validate.item import Draft
from waypost.validate.rules._swarm import more

AUTHORITY = "json"
SEVERITY = "error"


def explain(trouble: ReadError) -> Draft:
    return Draft(
        severity="error",
        message=f"the name {clip(trouble.detail['written'], 40)} has no {_lacks(trouble)}" + more(trouble),
        hint="put every name in double quotes",
    )


def _lacks(trouble: ReadError) -> str:
    return "opening quote" if trouble.detail.get("half") else "quotes"
