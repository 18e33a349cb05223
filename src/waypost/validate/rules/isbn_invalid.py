"""Invalid ISBN.

An ISBN has 13 digits, before 2007 ten (the last may be X), and the last digit is computed from the rest: after a
typo the number names no book or a different book. Hyphens and spaces do no harm.
Source: ISO 2108:2017 and https://schema.org/isbn, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.check_digits import gs1_check_digit, isbn10_check_digit
from waypost.formats.text import clip
from waypost.models.page import Node, Value
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "vocabulary"
SEVERITY = "warning"
PROPERTIES = frozenset({"isbn"})


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if isinstance(value, Node | bool):
        return
    text = str(value).strip()
    code = text.removeprefix("urn:isbn:").removeprefix("ISBN").lstrip(": ")
    # Books print several kinds of hyphen.
    code = "".join(c for c in code if c not in " -‐‑–").upper()
    if not (code.isascii() and code[:-1].isdecimal() and len(code) in (10, 13)) or not (
        # The check digit of an ISBN-10 is counted modulo 11, with X for ten.
        code[-1].isdecimal() or code[-1] == "X"
    ):
        yield item.warning(
            prop, f"{clip(text)!r} is not an ISBN", "write its 13 digits (or 10, before 2007)", index=index
        )
        return
    right = str(gs1_check_digit(code[:-1])) if len(code) == 13 else isbn10_check_digit(code[:-1])
    if code[-1] != right:
        yield item.warning(
            prop,
            f"the digits of {clip(text)!r} do not fit together: the last should be {right}",
            "compare it with the book",
            index=index,
        )
