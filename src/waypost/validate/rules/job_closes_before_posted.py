"""The job closes before it was posted.

A posting that was never open is not shown; the cause is a slip in the year or the two dates swapped.
Source: https://developers.google.com/search/docs/appearance/structured-data/job-posting, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.dates import is_before, moment
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "google"
SEVERITY = "error"
APPLIES_TO = frozenset({"JobPosting"})
PROPERTIES = frozenset({"validThrough"})


def check(job: Item) -> Iterator[FindingDraft]:
    posted, closes = moment(job.text("datePosted")), moment(job.text("validThrough"))
    if posted and closes and is_before(closes, posted):
        yield job.error(
            "validThrough",
            f"the job closes ({job.text('validThrough')}) before it was posted ({job.text('datePosted')})",
            "swap the two dates, or correct the year",
            related=(("posted here", (job.node, "datePosted")),),
        )
