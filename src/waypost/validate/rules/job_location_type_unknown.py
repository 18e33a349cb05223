"""The kind of workplace is not the one word that is read.

Google knows TELECOMMUTE for work that is done wholly away from an office, in capitals, and nothing else: "remote"
is ignored and the job is taken for one at a place.
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
PROPERTIES = frozenset({"jobLocationType"})


def check_value(job: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if isinstance(value, str) and value.strip() != "TELECOMMUTE":
        same = value.strip().upper() == "TELECOMMUTE"
        yield job.warning(
            prop,
            f"{clip(value)!r} is no kind of workplace",
            "write TELECOMMUTE, or leave it out",
            index=index,
            edits=(job.rewrite(prop, "TELECOMMUTE", index),) if same else (),
        )
