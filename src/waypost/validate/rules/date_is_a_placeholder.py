"""Date is a placeholder such as 1970-01-01.

Software prints `1970-01-01T00:00:00Z`, `0001-01-01` and `1900-01-01` when no date was given. Readers show these
dates as if they were true. Only dates of pages, offers and events are checked; a birth date may be that old.
Source: own measurement of pages in the wild and IEEE Std 1003.1-2024 (the Epoch), read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.dates import moment, starts_at_midnight
from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "waypost"
SEVERITY = "warning"
PROPERTIES = frozenset(
    {"datePublished", "dateModified", "dateCreated", "uploadDate", "datePosted", "validThrough", "validFrom",
     "priceValidUntil", "expires", "startDate", "endDate", "availabilityStarts", "availabilityEnds"}
)  # fmt: skip
VALUES = frozenset({"text"})
# The zero of Unix time (in 1969 west of Greenwich), of .NET and of SQL Server.
EMPTY = frozenset({"1970-01-01", "0001-01-01", "1900-01-01", "1969-12-31"})


def is_empty_date(value: Value) -> bool:
    """Does the text begin with a date that software prints for no date?"""
    return isinstance(value, str) and value.strip()[:10] in EMPTY


WHEN = is_empty_date


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    found = moment(value)
    # Midnight, in UTC or an hour east of it: at another hour the date may be meant.
    if found and (starts_at_midnight(found) or found.form == "date"):
        if prop in ("startDate", "endDate", "datePublished", "dateCreated") and found.form == "date":
            return  # a work or an event may well be of that day
        yield item.warning(
            prop,
            f"{clip(str(value))!r} is what software prints for no date",
            "give the date, or leave it out",
            index=index,
        )
