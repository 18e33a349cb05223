"""A name stands twice in one object.

Parsers keep one of the two, usually the last, and drop the other without a word. With two different
values, one of the statements is lost; where several values are meant, a list holds them. With equal
values nothing is lost but clarity.
Source: RFC 8259, section 4 (names should be unique), read 2026-11-20.
"""

from __future__ import annotations

from waypost.formats.text import clip
from waypost.models.page import ReadError
from waypost.validate.item import Draft

AUTHORITY = "json"
SEVERITY = "error"


def explain(trouble: ReadError) -> Draft:
    key, same = clip(trouble.detail["key"], 40), trouble.detail["same"]
    return Draft(
        severity="warning" if same else "error",
        message=f"{key} stands twice in this object, "
        + ("with the same value" if same else "and only the last is read"),
        hint="take one away" if same else "keep one, or put both values in a list",
    )
