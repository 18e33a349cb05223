"""Coordinates are too imprecise.

Google asks for at least five decimal places, about one metre; two are a kilometre. Trailing zeroes count, but a
JSON number cannot keep them: then write the number as a text. A place that is a complete town or country needs no
more.
Source: https://developers.google.com/search/docs/appearance/structured-data/local-business, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.numbers import number
from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_kinds import holders

AUTHORITY = "google"
SEVERITY = "info"
PROPERTIES = frozenset({"latitude"})
LEAST = 5


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    degrees = number(value)
    if degrees is None:
        return
    # Of the text as written: a number drops its zeros at the end.
    places = len(str(value).strip().partition(".")[2])
    are_a = item.context.registry.vocabulary.are_a
    # Only of shops, which people look for by the map.
    if places < LEAST and any(are_a(holder.types, SHOPS) for holder, _ in holders(item.node)):
        yield item.info(
            prop,
            f"the latitude {clip(str(value))} has {places} decimal place{'s' * (places != 1)}",
            f"give at least {LEAST}",
            index=index,
        )


SHOPS = frozenset({"LocalBusiness", "LodgingBusiness"})
