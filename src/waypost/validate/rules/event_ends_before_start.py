"""An event ends before it starts.

Nobody can attend it; the cause is nearly always a slip in the year, or the two dates swapped. Dates without a time
cover the whole day: 2026-05-01 to 2026-05-01 is fine. Where only one of the two has an offset, the other is given
the benefit of every time zone.
Source: https://schema.org/startDate and https://schema.org/endDate, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.dates import is_before, moment
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "vocabulary"
SEVERITY = "error"
APPLIES_TO = frozenset({"*"})
PROPERTIES = frozenset({"endDate"})


def check(event: Item) -> Iterator[FindingDraft]:
    start, end = moment(event.text("startDate")), moment(event.text("endDate"))
    if start and end and is_before(end, start):
        what = "the event" if event.is_a("Event") else "it"
        yield event.error(
            "endDate",
            f"{what} ends ({event.text('endDate')}) before it starts ({event.text('startDate')})",
            "swap the two dates, or correct the year",
            related=(("it starts here", (event.node, "startDate")),),
        )
