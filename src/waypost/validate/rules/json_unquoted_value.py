"""A text has no quotes.

Only numbers, true, false and null stand without quotes in JSON. A template without quotes around its
placeholder writes this as soon as the value is a text.
Source: RFC 8259, section 3, read 2026-11-20.
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
        message=f"the text {clip(read_error.detail['written'], 40)} has no {_lacks(read_error)}" + more(read_error),
        hint="put it in double quotes, best with a JSON encoder",
        safe=False,
    )


def _lacks(read_error: ReadError) -> str:
    return "opening quote" if read_error.detail.get("half") else "quotes"
