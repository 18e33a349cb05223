"""GTIN (barcode) has a wrong check digit.

A digit is wrong or two are swapped, so the number names no product or a different product, and a listing that is
matched by the number goes astray. Numbers of a wrong length are `gtin-length`.
Source: GS1 General Specifications, section 7.9, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.check_digits import gs1_check_digit
from waypost.formats.text import clip
from waypost.models.page import Node, Value
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "vocabulary"
SEVERITY = "warning"
PROPERTIES = frozenset({"gtin", "gtin8", "gtin12", "gtin13", "gtin14"})


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if isinstance(value, Node | bool):
        return
    digits = str(value).strip().replace("-", "").replace(" ", "")
    # Any other length is reported by gtin-length.
    if not (digits.isascii() and digits.isdecimal() and len(digits) in (8, 12, 13, 14)):
        return
    right = gs1_check_digit(digits[:-1])
    if int(digits[-1]) != right:
        yield item.warning(
            prop,
            f"the digits of {clip(str(value))!r} do not fit together: the last should be {right}",
            "compare the number with the one below the bar code",
            index=index,
        )
