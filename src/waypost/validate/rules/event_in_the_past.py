"""Event is in the past.

Past events are not shown in the event experience. The markup has no error; the finding explains why no result
appears. A page may well keep its record.
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
    prop = "endDate" if event.has("endDate") else "startDate"
    found = moment(event.text(prop))
    if found and event.context.is_past(found):
        yield event.info(prop, f"the event is over ({event.text(prop)})")
