"""The value is not a number.

A number has a decimal point and no unit, separator or words: "about 3", "3 kg" or "1,204" cannot be counted with. A
unit goes to the object's `unitCode` or `unitText`.
Source: schema.org release 30.0 (rangeIncludes Number only) and https://schema.org/Number, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.text import clip
from waypost.formats.values import number
from waypost.models.page import Node, Value
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_kinds import KINDS

AUTHORITY = "vocabulary"
SEVERITY = "warning"
PROPERTIES = KINDS.number - {
    "bestRating",
    "worstRating",
    "ratingValue",
    "price",
    "lowPrice",
    "highPrice",
    "latitude",
    "longitude",
}


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if not isinstance(value, Node) and number(value) is None:
        yield item.warning(
            prop, f"{clip(str(value))!r} is not a number", f"{prop} takes a number alone, as in 3.5", index=index
        )
