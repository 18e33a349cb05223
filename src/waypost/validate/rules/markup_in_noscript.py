"""Typed markup stands inside noscript.

A consumer that runs scripts, as Google does, sees the content of `noscript` as plain text: the items and
properties there do not exist for it. waypost does not read them either. The finding is made once a page.
Source: HTML Standard, section 4.12.2 (The noscript element), read 2026-11-20.
"""

from __future__ import annotations

from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "html"
SEVERITY = "info"


def explain(_: ReadError) -> FindingDraft:
    return FindingDraft(
        severity="info",
        message="structured data inside noscript is not read by consumers that run scripts",
        hint="move it out of the noscript element",
    )
