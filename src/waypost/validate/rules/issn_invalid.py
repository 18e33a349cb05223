"""Invalid ISSN.

An ISSN has eight characters, written 1234-5679; the last is computed from the first seven and may be X.
Source: ISO 3297:2022 and https://schema.org/issn, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.check_digits import issn_check_digit
from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "vocabulary"
SEVERITY = "warning"
PROPERTIES = frozenset({"issn"})


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if not isinstance(value, str):
        return
    code = value.strip().removeprefix("ISSN").lstrip(": ").replace("-", "").replace(" ", "").upper()
    # The last character may be X.
    if not (code.isascii() and code[:-1].isdecimal() and len(code) == 8):
        yield item.warning(
            prop, f"{clip(value)!r} is not an ISSN", "write four digits, a hyphen and four digits", index=index
        )
    elif code[-1] != (right := issn_check_digit(code[:-1])):
        yield item.warning(
            prop,
            f"the digits of {clip(value)!r} do not fit together: the last should be {right}",
            "compare it with the periodical",
            index=index,
        )
