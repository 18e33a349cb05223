"""Same value given twice.

The repetition does no harm, but adds nothing; the usual cause is a template that prints a list twice.
Source: https://www.w3.org/TR/json-ld11/#sets-and-lists, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.text import clip
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "waypost"
SEVERITY = "info"
APPLIES_TO = frozenset({"*"})
PROPERTIES = frozenset({"sameAs", "image", "url", "keywords", "recipeCategory", "recipeCuisine", "gtin", "sku"})
SIGN = "several"


def check(item: Item) -> Iterator[FindingDraft]:
    for prop in PROPERTIES & item.node.props.keys():
        if len(item.node.props[prop]) < 2:
            continue
        seen: set[str] = set()
        for index, value in item.values(prop):
            if not isinstance(value, str):
                continue
            if value in seen:
                yield item.info(prop, f"{prop} gives {clip(value)!r} twice", "leave the second out", index=index)
                break
            seen.add(value)
