"""Value is neither true nor false.

Consumers read `true` and `false`, as JSON or as text, and the schema.org members True and False; "yes", "no", 1 or
0 may be taken for the opposite of what was meant, because any text that is not empty counts as true somewhere.
Source: schema.org release 30.1 (rangeIncludes Boolean only) and https://schema.org/Boolean, read 2026-11-28.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.text import clip
from waypost.models.page import Node, Value
from waypost.registry.vocabulary import bare
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_kinds import KINDS

AUTHORITY = "vocabulary"
SEVERITY = "warning"
PROPERTIES = KINDS.boolean

KNOWN = frozenset({"true", "false"})
CORRECTIONS = {
    "yes": "true",
    "y": "true",
    "1": "true",
    "on": "true",
    "no": "false",
    "n": "false",
    "0": "false",
    "off": "false",
}


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if isinstance(value, bool | Node):
        return
    text = str(value).strip()
    # `https://schema.org/True` is a value of Boolean, too.
    name = bare(text) if isinstance(value, str) else text
    if name is not None and name.lower() in KNOWN:
        return
    correction = CORRECTIONS.get(text.lower())
    yield item.warning(
        prop,
        f"{clip(text)!r} is neither true nor false",
        f"write {correction}" if correction else "write true or false",
        index=index,
        edits=(item.rewrite(prop, correction, index),) if correction else (),
    )
