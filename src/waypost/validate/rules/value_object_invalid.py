"""A value object holds more than a value.

An object with `@value` stands for one text, number or truth value, perhaps with `@language`, `@type`
or `@direction`. With properties beside it, or with an object or a list inside, processors stop
("invalid value object"); waypost takes the value alone.
Source: W3C JSON-LD 1.1, section 9.5 (value objects), read 2026-11-20.
"""

from __future__ import annotations

from waypost.formats.text import clip
from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "json"
SEVERITY = "error"


def explain(read_error: ReadError) -> FindingDraft:
    more = read_error.detail.get("more")
    if more is not None:
        return FindingDraft(
            severity="error",
            message=f"{clip(more)} stands beside @value; an object is either a value or a thing, never both",
            hint="take @value away, or move the property to the object around this one",
        )
    return FindingDraft(
        severity="error",
        message=f"@value is {read_error.detail['kind']}; it must be a text, a number, true, false or null",
        hint="write the object itself, without @value around it",
    )
