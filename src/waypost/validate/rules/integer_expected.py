"""The value is not a whole number.

Something is counted here: "1,204", "12+", "about 30" or 4.5 is no count. Text is fine as long as it holds digits
only.
Source: schema.org release 30.0 (rangeIncludes Integer only) and https://schema.org/Integer, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.text import clip
from waypost.formats.values import number
from waypost.models.page import Node, Value
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_conditions import is_unusual_number
from waypost.validate.value_kinds import KINDS

AUTHORITY = "vocabulary"
SEVERITY = "warning"
PROPERTIES = KINDS.integer - {"ratingCount", "reviewCount"}
WHEN = is_unusual_number


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if isinstance(value, Node):
        return
    count = number(value)
    if count is None or count != count.to_integral_value():
        yield item.warning(
            prop, f"{clip(str(value))!r} is not a whole number", f"{prop} takes digits only", index=index
        )
