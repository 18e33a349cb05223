"""Event starts at exactly midnight.

A start of `T00:00:00` is shown as "12:00 AM". Give the date alone when the time is not known, or when the event
lasts the entire day.
Source: https://developers.google.com/search/docs/appearance/structured-data/event, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.dates import moment
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "google"
SEVERITY = "info"
APPLIES_TO = frozenset({"Event"})
PROPERTIES = frozenset({"startDate"})


def check(event: Item) -> Iterator[FindingDraft]:
    text = event.text("startDate")
    found = moment(text)
    # The clock as written, not in UTC: the visitor's midnight counts.
    if text and found and found.form == "datetime" and text[11:16] == "00:00":
        yield event.info(
            "startDate", f"the event starts at midnight ({text})", f"if the time is not known, write {text[:10]}"
        )
