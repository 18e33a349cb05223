"""The kind of employment is not one of the eight words that are read.

Google reads FULL_TIME, PART_TIME, CONTRACTOR, TEMPORARY, INTERN, VOLUNTEER, PER_DIEM and OTHER, in capitals;
"Full-time" is ignored, and so is a list in one text.
Source: https://developers.google.com/search/docs/appearance/structured-data/job-posting, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "google"
SEVERITY = "warning"
APPLIES_TO = frozenset({"JobPosting"})
PROPERTIES = frozenset({"employmentType"})

WORDS = ("FULL_TIME", "PART_TIME", "CONTRACTOR", "TEMPORARY", "INTERN", "VOLUNTEER", "PER_DIEM", "OTHER")
MEANT = {word.replace("_", ""): word for word in WORDS} | {
    "CONTRACT": "CONTRACTOR", "FREELANCE": "CONTRACTOR", "TEMP": "TEMPORARY", "INTERNSHIP": "INTERN",
}  # fmt: skip
SAFE = frozenset(word.replace("_", "") for word in WORDS)


def check_value(job: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if not isinstance(value, str) or value.strip() in WORDS:
        return
    folded = "".join(c for c in value.upper() if c not in " _-")
    meant = MEANT.get(folded)
    yield job.warning(
        prop,
        f"{clip(value)!r} is no employment type",
        f"write {meant}" if meant else f"write one of {', '.join(WORDS)}",
        index=index,
        edits=(job.rewrite(prop, meant, index),) if meant else (),
        safe=folded in SAFE,
    )
