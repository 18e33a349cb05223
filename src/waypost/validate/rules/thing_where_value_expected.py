"""Object where a plain value is expected.

A date, number, true or false, or a URL is expected. Consumers do not read an object in its place, because no rule
says which property of the object would count. Where text is welcome an object is accepted too, and where a URL is
expected an object with an id.
Source: schema.org release 30.1 (rangeIncludes), read 2026-11-28.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.page import Node, Value
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_kinds import KINDS

AUTHORITY = "vocabulary"
SEVERITY = "warning"
PROPERTIES = (
    KINDS.date | KINDS.time | KINDS.number | KINDS.integer | KINDS.boolean | KINDS.url
    | {"price", "lowPrice", "highPrice", "ratingValue", "bestRating", "worstRating", "latitude", "longitude"}
)  # fmt: skip
VALUES = frozenset({"thing"})


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if not isinstance(value, Node) or value.foreign:
        return
    # The @id of the object is the address, or says where the value is.
    if value.id and (prop in KINDS.url or value.reference):
        return
    types = item.context.registry.vocabulary
    # A Role stands in for any value, and PropertyValueSpecification for the input of an action.
    if any(types.is_a(name, "Role") for name in value.types) or "PropertyValueSpecification" in value.types:
        return
    term = types.properties.get(prop)
    kinds = " or ".join(term.r) if term else "a plain value"
    what = f"an object of type {' and '.join(value.types)}" if value.types else "an object"
    yield item.warning(prop, f"{prop} holds {what}", f"{prop} takes {kinds}: give the value itself", index=index)
