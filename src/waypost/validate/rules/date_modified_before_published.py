"""Modified before it was published.

A page cannot change before its publication. Readers who sort by date, and consumers who show either date, get it
wrong. Dates without an offset are given the benefit of every time zone; a difference below a minute is ignored.
Source: https://schema.org/dateModified and https://schema.org/datePublished, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.dates import follows_within_a_minute, is_before, moment
from waypost.validate.item import FindingDraft, Item
from waypost.validate.rules.date_is_a_placeholder import is_empty_date

AUTHORITY = "vocabulary"
SEVERITY = "warning"
APPLIES_TO = frozenset({"CreativeWork"})
PROPERTIES = frozenset({"dateModified"})


def check(work: Item) -> Iterator[FindingDraft]:
    published, modified = moment(work.text("datePublished")), moment(work.text("dateModified"))
    if not published or not modified or not is_before(modified, published):
        return
    if is_empty_date(work.text("dateModified")):
        return  # date-is-a-placeholder reports it
    # One of the two may be written a moment later. Without a zone on one side the minutes are not known.
    if modified.zoned == published.zoned and follows_within_a_minute(modified, published):
        return
    yield work.warning(
        "dateModified",
        f"dateModified ({work.text('dateModified')}) is before datePublished ({work.text('datePublished')})",
        "correct one of the two, or leave dateModified out",
        related=(("published here", (work.node, "datePublished")),),
    )
