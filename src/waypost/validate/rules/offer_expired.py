"""Offer has expired.

Past `priceValidUntil` or `validThrough`, Google may stop showing the product's price or its listing; the usual
cause is a date that was set once and never renewed. Offers of events are ignored: the ticket sale simply ended.
Source: https://developers.google.com/search/docs/appearance/structured-data/product-snippet, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.dates import moment
from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_kinds import holders

AUTHORITY = "google"
SEVERITY = "warning"
APPLIES_TO = frozenset({"Offer"})
PROPERTIES = frozenset({"priceValidUntil", "validThrough"})
EVENT = frozenset({"Event"})


def check_value(offer: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    found = moment(value)
    if not found or not offer.context.is_past(found):
        return
    are_a = offer.context.registry.vocabulary.are_a
    # Of an event the sale of tickets has ended, which is not an error.
    if any(are_a(holder.types, EVENT) for holder, _ in holders(offer.node)):
        return
    yield offer.warning(
        prop,
        f"the price was valid until {clip(str(value))}, which is past",
        "give a new date, or leave it out",
        index=index,
    )
