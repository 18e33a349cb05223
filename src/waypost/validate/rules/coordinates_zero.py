"""Coordinates are 0, 0.

An address that was not found on the map, or an empty field, leaves zeroes behind, and the place is shown off the
coast of Africa.
Source: own measurement of pages in the wild and https://schema.org/GeoCoordinates, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.numbers import number
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "waypost"
SEVERITY = "warning"
APPLIES_TO = frozenset({"GeoCoordinates", "Place"})
PROPERTIES = frozenset({"latitude"})


def check(place: Item) -> Iterator[FindingDraft]:
    if number(place.get("latitude")) == 0 and number(place.get("longitude")) == 0:
        yield place.warning("latitude", "latitude and longitude are both 0", "give the real place, or leave them out")
