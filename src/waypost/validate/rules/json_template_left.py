"""A template's placeholder was published instead of its value.

`{{ ... }}`, `{% ... %}`, `<?php ... ?>` and the like are for a template engine that has not run here. The
text is no JSON with them, and the value is missing.
Source: RFC 8259, section 2, read 2026-11-20.
"""

from __future__ import annotations

from waypost.formats.text import clip
from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft
from waypost.validate.rules._swarm import more

AUTHORITY = "json"
SEVERITY = "error"


def explain(read_error: ReadError) -> FindingDraft:
    return FindingDraft(
        severity="error",
        message=f"the placeholder {clip(read_error.detail['written'], 40)} was never filled in" + more(read_error),
        hint="see why the template engine does not reach this script",
    )
