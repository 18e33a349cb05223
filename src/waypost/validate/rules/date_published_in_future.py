"""The publication is dated in the future.

The page is there, so it has been published; a date in the future is a slip, or the date of a printed issue. Google
asks not to give a date in the future for when a page was published. Books, films and recordings may be announced
before they are out.
Source: https://developers.google.com/search/docs/appearance/publication-dates, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.dates import moment
from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "google"
SEVERITY = "warning"
APPLIES_TO = frozenset({"Article", "WebPage", "Recipe", "Review", "Comment", "Question", "Answer"})
PROPERTIES = frozenset({"datePublished", "dateModified", "dateCreated"})
VALUES = frozenset({"text"})


def check_value(work: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    found = moment(value)
    if found and work.context.is_future(found):
        yield work.warning(
            prop, f"{prop} lies in the future ({clip(str(value))})", "correct the date, the year first", index=index
        )
