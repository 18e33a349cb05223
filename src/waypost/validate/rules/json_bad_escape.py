r"""A backslash stands before something that JSON has no escape for.

JSON has `\" \\ \/ \b \f \n \r \t` and `\uXXXX`. Templates that escape for JavaScript write
`\x27` or `\'`: use their JSON filter instead (Jinja and Twig `tojson` and `json_encode`, Hugo `jsonify`).
Source: RFC 8259, section 7, read 2026-11-20.
"""

from __future__ import annotations

from waypost.formats.text import clip
from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft
from waypost.validate.rules._swarm import is_safe, more

AUTHORITY = "json"
SEVERITY = "error"


def explain(read_error: ReadError) -> FindingDraft:
    return FindingDraft(
        severity="error",
        message=f"{clip(read_error.detail['written'], 24)} is no escape of JSON" + more(read_error),
        hint="escape for JSON, not for JavaScript",
        safe=is_safe(read_error),
    )
