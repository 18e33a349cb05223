"""The reviewer's name is too long for a name.

Google drops a review whose author has a name of 100 characters or more; usually a sentence has got into the field.
Source: https://developers.google.com/search/docs/appearance/structured-data/review-snippet, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.text import clip
from waypost.models.page import Node, Value
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "google"
SEVERITY = "warning"
APPLIES_TO = frozenset({"Review"})
PROPERTIES = frozenset({"author"})
MOST = 99


def check_value(review: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    name = value.get("name") if isinstance(value, Node) else value
    if isinstance(name, str) and len(name.strip()) > MOST:
        yield review.warning(
            prop,
            f"the reviewer's name has {len(name.strip())} characters ({clip(name, 40)!r})",
            f"use at most {MOST}",
            index=index,
        )
