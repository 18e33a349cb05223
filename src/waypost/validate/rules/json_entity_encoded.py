"""The quotes of the JSON are written as HTML entities.

Inside a script element HTML decodes nothing: `&quot;` stays six characters, and the text is no JSON.
The template engine has escaped the JSON for HTML; it needs its "raw" or "safe" filter there.
Source: WHATWG HTML, section 13.2.5.4 (script data state), read 2026-11-20.
"""

from __future__ import annotations

from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "json"
SEVERITY = "error"


def explain(_: ReadError) -> FindingDraft:
    return FindingDraft(
        severity="error",
        message="the JSON is encoded as HTML text (&quot; for quotes); inside a script nothing decodes it",
        hint="write the JSON into the script unescaped, with </ as <\\/",
    )
