"""The job's description only repeats its title.

Google asks for a description of the job in full, and one that is the same as the title is against its rules.
Source: https://developers.google.com/search/docs/appearance/structured-data/job-posting, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.text import clip
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "google"
SEVERITY = "warning"
APPLIES_TO = frozenset({"JobPosting"})
PROPERTIES = frozenset({"description"})


def check(job: Item) -> Iterator[FindingDraft]:
    title, description = job.text("title"), job.text("description")
    if title and description and title.casefold() == description.casefold():
        yield job.warning(
            "description",
            f"the description only repeats the title ({clip(title)!r})",
            "describe duties, skills and terms",
        )
