"""Coordinates are out of range.

A latitude lies between -90 and 90, a longitude between -180 and 180, both as decimal numbers; degrees and minutes
("52° 31' N") cannot be read, and a comma is not a decimal point. Swapped values are the usual cause.
Source: https://schema.org/latitude and https://schema.org/longitude (WGS 84), read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.numbers import number
from waypost.formats.text import clip
from waypost.models.page import Node, Value
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "vocabulary"
SEVERITY = "warning"
PROPERTIES = frozenset({"latitude", "longitude"})


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if isinstance(value, Node):
        return
    degrees = number(value)
    if degrees is None:
        text = str(value).strip()
        correction = (
            text.replace(",", ".") if text.count(",") == 1 and number(text.replace(",", ".")) is not None else None
        )
        yield item.warning(
            prop,
            f"{clip(text)!r} is not a number of degrees",
            f"write {correction}" if correction else "write decimal degrees, with a point before the decimals",
            index=index,
            edits=(item.rewrite(prop, correction, index),) if correction else (),
        )
        return
    most = 90 if prop == "latitude" else 180
    if abs(degrees) > most:
        # A longitude that is a possible latitude makes an exchange of the two likely.
        other = number(item.get("longitude"))
        swapped = prop == "latitude" and other is not None and abs(other) <= 90
        hint = "latitude and longitude seem to be swapped" if swapped else f"it lies between -{most} and {most}"
        yield item.warning(prop, f"the {prop} is {clip(str(value))}", hint, index=index)
