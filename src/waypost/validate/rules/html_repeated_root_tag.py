"""The tags html or body are repeated beyond any use.

Each further `<html>` or `<body>` tag hands its attributes to the first one. A page with thousands of them
costs every parser a time that grows with their square, so waypost does not read such a page at all.
Source: HTML Standard, section 13.2.6.4.7 (a start tag "html" or "body" in body), read 2026-11-20.
"""

from __future__ import annotations

from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "html"
SEVERITY = "error"


def explain(_: ReadError) -> FindingDraft:
    return FindingDraft(
        severity="error",
        message="the tags html and body are repeated so often that the page was not read",
        hint="write each of them once",
    )
