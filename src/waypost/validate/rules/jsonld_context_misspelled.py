"""The address of schema.org in `@context` is not written right.

`"schema.org"` without a scheme is a relative address and means a file beside the page. Google and
others read it as schema.org all the same, and so does waypost; a processor that keeps to the standard
finds nothing. The same holds for a stray space or for a type behind the host
(`https://schema.org/Recipe`). Another host (`https://shema.org`) is another vocabulary, which nobody
reads: that is an error, and waypost still reads on as if it were schema.org. `http://` and `https://`,
with or without `www.` and the slash at the end, are all fine.
Source: W3C JSON-LD 1.1, section 3.1; schema.org/docs/faq, read 2026-11-20.
"""

from __future__ import annotations

from waypost.formats.text import clip
from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "json"
SEVERITY = "warning"


def explain(read_error: ReadError) -> FindingDraft:
    return FindingDraft(
        severity="error" if read_error.detail.get("is_elsewhere") else "warning",
        message=f'"{clip(read_error.detail["written"])}" is not the address of schema.org; it was read as if it were',
        hint='write "https://schema.org"',
        edits=((read_error.span, '"https://schema.org"'),),
    )
