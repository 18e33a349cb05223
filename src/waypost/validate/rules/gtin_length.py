"""GTIN (barcode) has the wrong length or other characters.

A GTIN has 8, 12, 13 or 14 digits, and `gtin13` exactly 13: a number of another length belongs to no product, and a
spreadsheet that dropped a leading zero or wrote 4.00638E+12 is the usual cause. Spaces and hyphens are for people.
A `gtin` may also be a GS1 Digital Link.
Source: https://schema.org/gtin and GS1 General Specifications, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.text import clip, join_words
from waypost.models.page import Node, Value
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "vocabulary"
SEVERITY = "warning"
PROPERTIES = frozenset({"gtin", "gtin8", "gtin12", "gtin13", "gtin14"})

LENGTHS = {"gtin8": (8,), "gtin12": (12,), "gtin13": (13,), "gtin14": (14,)}


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if isinstance(value, Node | bool):
        return
    text = str(value).strip()
    # GS1 Digital Link: `gtin` may be a URL that holds the number.
    if prop == "gtin" and "/" in text:
        return
    lengths = LENGTHS.get(prop, (8, 12, 13, 14))
    bare_text = text.replace("-", "").replace(" ", "")
    if not (bare_text.isascii() and bare_text.isdecimal()):
        yield item.warning(prop, f"{clip(text)!r} is not a GTIN", "write digits only", index=index)
    elif len(bare_text) not in lengths:
        expected = join_words((str(n) for n in lengths), "or")
        # A JSON number cannot have leading zeros (RFC 8259, section 6).
        hint = (
            "write it as a string, with its leading zeros"
            if not isinstance(value, str)
            else f"{prop} takes {expected} digits"
        )
        yield item.warning(prop, f"{clip(text)!r} has {len(bare_text)} digits", hint, index=index)
