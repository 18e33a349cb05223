"""The positions of a breadcrumb trail are not 1, 2, 3.

The order of the trail is read from `position`, not from the order of the list: a position that is missing its
number, occurs twice, leaves a gap or starts at 0 puts the steps in the wrong order or breaks the trail. Numbers as
text ("1") are fine.
Source: https://developers.google.com/search/docs/appearance/structured-data/breadcrumb, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from waypost.formats.numbers import number
from waypost.formats.text import clip
from waypost.models.page import Node
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "google"
SEVERITY = "warning"
APPLIES_TO = frozenset({"BreadcrumbList"})
PROPERTIES = frozenset({"itemListElement"})


def check(trail: Item) -> Iterator[FindingDraft]:
    steps = [step for step in trail.node.nodes("itemListElement") if not step.reference]
    found: set[Decimal] = set()
    for step in steps:
        value = step.get("position")
        if value is None:
            continue  # the profile asks for it
        position = number(value)
        if position is None or position != position.to_integral_value():
            yield _at(step, f"the position {_text_of(value)} is no whole number", "number the steps 1, 2, 3")
            return
        if position in found:
            yield _at(step, f"the position {position} occurs twice in the trail", "number the steps 1, 2, 3")
            return
        found.add(position)
    if not found or len(found) < len(steps):
        return
    if min(found) != 1:
        first = next(step for step in steps if number(step.get("position")) == min(found))
        yield _at(first, f"the trail starts at position {min(found)}", "start at 1")
    elif max(found) != len(found):
        last = next(step for step in steps if number(step.get("position")) == max(found))
        yield _at(
            last, f"the positions leave a gap: {len(found)} steps, the last at {max(found)}", "number the steps 1, 2, 3"
        )


def _at(step: Node, message: str, hint: str) -> FindingDraft:
    return FindingDraft(severity="warning", node=step, prop="position", message=message, hint=hint)


def _text_of(value: object) -> str:
    return "of an object" if isinstance(value, Node) else repr(clip(str(value)))
