"""The job can no longer be applied for.

Past `validThrough` the posting is not shown, and Google asks that a filled job be taken down or its markup removed.
A site that keeps expired postings risks a manual action against all its jobs.
Source: https://developers.google.com/search/docs/appearance/structured-data/job-posting, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.dates import moment
from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "google"
SEVERITY = "warning"
APPLIES_TO = frozenset({"JobPosting"})
PROPERTIES = frozenset({"validThrough"})


def check_value(job: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    found = moment(value)
    if found and job.context.is_past(found):
        yield job.warning(
            prop, f"applications closed on {clip(str(value))}", "remove the markup of a job that is gone", index=index
        )
