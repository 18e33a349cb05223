"""Duplicate position in a list.

Consumers order a carousel or list by `position`; of two entries with one number either may be dropped. Lists
without positions keep the order in which they are written.
Source: https://developers.google.com/search/docs/appearance/structured-data/carousel and
https://schema.org/position, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.numbers import number, spelling
from waypost.models.page import Node
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "google"
SEVERITY = "warning"
APPLIES_TO = frozenset({"ItemList"})
PROPERTIES = frozenset({"itemListElement"})


def check(items: Item) -> Iterator[FindingDraft]:
    if items.is_a("BreadcrumbList"):
        return  # reported by breadcrumb-position
    seen: dict[str, Node] = {}
    for entry in items.node.nodes("itemListElement"):
        position = number(entry.get("position"))
        if position is None:
            continue
        first = seen.get(spelling(position))
        if first is not None:
            yield FindingDraft(
                severity="warning",
                node=entry,
                prop="position",
                message=f"the position {position} occurs twice in the list",
                hint="number the entries 1, 2, 3",
                related=(("the first time", (first, "position")),),
            )
            # The first one shows where the numbering went wrong.
            return
        seen[spelling(position)] = entry
