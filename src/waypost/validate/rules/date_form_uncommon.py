"""Date format is valid but rarely supported.

Week dates (`2026-W18-7`), day numbers (`2026-123`), dates without hyphens (`20260503`) and a space instead of the
T are in the standard or close to it. The profiles of the standard that web software reads (RFC 3339, XML Schema)
allow none of these forms.
Source: RFC 3339 (5.6) and XML Schema 1.1 Part 2 (3.3.7, 3.3.9), read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.dates import Moment, read
from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_conditions import is_unusual_date
from waypost.validate.value_kinds import KINDS

AUTHORITY = "waypost"
SEVERITY = "warning"
PROPERTIES = KINDS.date | KINDS.time
VALUES = frozenset({"text"})
WHEN = is_unusual_date


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if not isinstance(value, str):
        return
    found = read(value)
    if not isinstance(found, Moment):
        return
    text = value.strip()
    right = None
    # In ISO 8601, but in neither RFC 3339 nor XML Schema.
    if found.form in ("week", "ordinal") or "basic" in found.notes:
        what = {"week": "a week date", "ordinal": "the number of a day"}.get(found.form, "a date without hyphens")
        # A week is several days, none of which can be said to be meant.
        if found.form != "datetime" and found.first.date() == found.last.date():
            right = found.first.date().isoformat()
    elif "space" in found.notes:
        what, right = "a date and a time with a space between them", text.replace(" ", "T", 1).replace(" ", "")
        if "offset-basic" in found.notes:
            right = f"{right[:-2]}:{right[-2:]}"
    else:
        return
    yield item.warning(
        prop, f"{clip(value)!r} is {what}", f"write {right}" if right else "write it as 2026-05-03", index=index,
        edits=(item.rewrite(prop, right, index),) if right else (),
    )  # fmt: skip
