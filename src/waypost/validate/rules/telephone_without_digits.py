"""The telephone number has no digits to dial.

A text like "call us" or a number drawn with letters only cannot be dialled by the person who taps it.
Source: https://schema.org/telephone and ITU-T E.164, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "vocabulary"
SEVERITY = "warning"
PROPERTIES = frozenset({"telephone", "faxNumber"})


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if isinstance(value, str) and sum(c.isdecimal() for c in value) < 3:
        yield item.warning(prop, f"{clip(value)!r} has no number to dial", "write it as +49 30 123456", index=index)
