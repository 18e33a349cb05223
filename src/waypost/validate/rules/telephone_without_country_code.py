"""Phone number has no country code.

It can be dialled from within the country only. Google asks for country and area code; the international form starts
with a plus.
Source: https://developers.google.com/search/docs/appearance/structured-data/local-business, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "google"
SEVERITY = "info"
PROPERTIES = frozenset({"telephone"})


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    # Fewer digits are a short number such as 112, which has no country code.
    if not isinstance(value, str) or sum(c.isdecimal() for c in value) < 7:
        return
    number = value.strip().removeprefix("tel:").lstrip("( ")
    # Numbers in North America are often written with the country code 1, but without the plus.
    if not number.startswith(("+", "00")) and not (number.startswith("1") and sum(c.isdecimal() for c in number) == 11):
        yield item.info(
            prop,
            f"{clip(value)!r} has no country code",
            "write a plus sign and the country code in front of it",
            index=index,
        )
