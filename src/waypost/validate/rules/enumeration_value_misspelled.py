"""Enumeration value is misspelled.

`instock`, `In Stock` and `https://schema.org/in_stock` all mean InStock to a person; a consumer compares names
letter by letter. Both `InStock` and `https://schema.org/InStock` (or http) are right.
Source: schema.org release 30.1 (members of enumerations), read 2026-11-28.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.enumerations import intended_member, is_read_by_google
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_kinds import KINDS

AUTHORITY = "vocabulary"
SEVERITY = "warning"
PROPERTIES = KINDS.enumeration | {"suitableForDiet"}


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if not isinstance(value, str):
        return
    vocabulary = item.context.registry.vocabulary
    member = intended_member(vocabulary, prop, value)
    if member is None:
        return
    # Where no search engine reads the value, nothing is lost by its spelling.
    report = item.warning if is_read_by_google(prop) else item.info
    yield report(
        prop,
        f"{clip(value)!r} is not how {member} is written",
        f"write https://schema.org/{member}",
        index=index,
        edits=(item.rewrite(prop, f"https://schema.org/{member}", index),),
    )
