"""A property is there, but empty.

An empty text or an object without content says nothing: consumers treat the property as missing, so a required one
makes the item fail. Templates print it for a field that nobody filled in. A JSON null and an empty list are read as
if they were not there, and are a note only.
Source: https://www.w3.org/TR/json-ld11/#terms-imported-from-other-specifications and own
measurement, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.shapes.page import is_present
from waypost.text import listed
from waypost.validate.item import Draft, Item

AUTHORITY = "waypost"
SEVERITY = "warning"
APPLIES_TO = frozenset({"*"})
MOST_NAMED = 6


def check(item: Item) -> Iterator[Draft]:
    empty: list[str] = []
    nothing: list[str] = []
    for prop, values in item.node.props.items():
        first = values[0] if values else None
        if first and first.__class__ is str and not first.isspace():
            continue
        if any(is_present(value) for value in values):
            continue
        (nothing if all(value is None for value in values) else empty).append(prop)
    for names, say in ((empty, item.warning), (nothing, item.info)):
        if names:
            shown = (
                listed(names[:MOST_NAMED])
                if len(names) <= MOST_NAMED
                else f"{', '.join(names[:MOST_NAMED])} and others"
            )
            verb = "is" if len(names) == 1 else "are"
            yield say(names[0], f"{shown} {verb} empty", "fill it in, or leave the property out")
