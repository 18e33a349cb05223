"""A content attribute holds the value on an element other than meta.

HTML knows `content` on `meta` alone; by the standard the value of `<span itemprop="price" content="11.19">` is
its text. Consumers take the attribute, schema.org's own examples use it, and so does waypost: the page works,
but a strict reader sees other values. One finding covers the page.
Source: HTML Standard, section 5.2.4 (Values), and W3C HTML Microdata, section 5.4, read 2026-11-20.
"""

from __future__ import annotations

from waypost.formats.text import clip
from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "html"
SEVERITY = "info"


def explain(read_error: ReadError) -> FindingDraft:
    count, tag = read_error.detail["count"], read_error.detail["tag"]
    return FindingDraft(
        severity="info",
        message=f"content on {clip(tag)} is not in the standard ({'once' if count == 1 else f'{count} times'} here)",
        hint="write <data value>, <time datetime> or <meta content> instead",
    )
