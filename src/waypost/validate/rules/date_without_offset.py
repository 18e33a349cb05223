"""Time has no time zone.

Google takes the venue's zone for events and its own crawler's zone for articles and videos, which shifts the time
by hours for most publishers: Search Console lists it for videos and articles as a non-critical issue. A date without a
time of day needs no offset.
Source: https://developers.google.com/search/docs/appearance/structured-data/article and
https://developers.google.com/search/docs/appearance/structured-data/event, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.dates import Moment, normal_form, read
from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_conditions import is_unusual_date
from waypost.validate.value_kinds import KINDS

AUTHORITY = "google"
SEVERITY = "info"
PROPERTIES = KINDS.date
VALUES = frozenset({"text"})
WHEN = is_unusual_date
_OF_ARTICLES = frozenset({"datePublished", "dateModified"})


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if not isinstance(value, str):
        return
    found = read(value)
    if isinstance(found, Moment) and found.form == "datetime" and not found.zoned:
        is_issue = prop == "uploadDate" or (prop in _OF_ARTICLES and item.is_a("Article"))
        report = item.warning if is_issue else item.info
        yield report(
            prop,
            f"{clip(value)!r} has a time but no time zone",
            f"write {clip(normal_form(value))}Z if the time is in UTC, else its offset from UTC behind it",
            index=index,
        )
