r"""A line break or another control character stands raw inside a text.

Inside quotes JSON wants them escaped: `\n` for a line break, `\t` for a tab. It is the
commonest reason why a block on the web is no JSON. Whatever fills the template should encode texts
as JSON rather than paste them between quotes.
Source: RFC 8259, section 7, read 2026-11-20.
"""

from __future__ import annotations

from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft
from waypost.validate.rules._swarm import more

AUTHORITY = "json"
SEVERITY = "error"

_NAMES = {9: "tab", 10: "line break", 13: "carriage return"}


def explain(read_error: ReadError) -> FindingDraft:
    return FindingDraft(
        severity="error",
        message=f"a raw {_NAMES.get(read_error.detail['code'], 'control character')} inside a text" + more(read_error),
        hint="write it as an escape, best by letting a JSON encoder write the text",
    )
