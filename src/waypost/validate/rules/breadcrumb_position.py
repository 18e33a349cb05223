"""Breadcrumb positions are not 1, 2, 3.

The order of the trail is read from `position`, not from the order of the list: a position that is missing its
number, occurs twice, leaves a gap or starts at 0 puts the steps in the wrong order or breaks the trail. Numbers as
text ("1") are fine.
Source: https://developers.google.com/search/docs/appearance/structured-data/breadcrumb, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from waypost.formats.numbers import is_whole, number, spelling
from waypost.formats.text import clip
from waypost.models.page import Node
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "google"
SEVERITY = "warning"
APPLIES_TO = frozenset({"BreadcrumbList"})
PROPERTIES = frozenset({"itemListElement"})


def check(trail: Item) -> Iterator[FindingDraft]:
    # A reference has its position where the step is described.
    steps = [step for step in trail.node.nodes("itemListElement") if not step.reference]
    placed: list[tuple[Decimal, Node]] = []
    seen: set[str] = set()
    is_readable = True
    for step in steps:
        value = step.get("position")
        if value is None:
            continue  # reported by the profile
        position = number(value)
        if position is None or not is_whole(position):
            yield _at(step, f"the position {_text_of(value)} is not a whole number")
            is_readable = False
        elif is_readable and spelling(position) in seen:
            yield _at(step, f"the position {position} occurs twice in the trail")
            # One finding per trail: the positions after a repeated one follow from it.
            return
        else:
            placed.append((position, step))
            seen.add(spelling(position))
    # The profile reports a step without a position, and breadcrumb-single-item a single step.
    if placed and len(placed) == len(steps) > 1:
        yield from _gaps(placed)


def _gaps(placed: list[tuple[Decimal, Node]]) -> Iterator[FindingDraft]:
    """Finding where the positions are not 1 to the number of steps."""
    ordered = sorted(placed, key=lambda each: each[0])
    (low, first), (high, last) = ordered[0], ordered[-1]
    if low != 1:
        yield _at(first, f"the trail starts at position {low}", "start at 1")
    elif high != len(ordered):
        yield _at(last, f"the positions leave a gap: {len(ordered)} steps, the last at {high}")


def _at(step: Node, message: str, hint: str = "number the steps 1, 2, 3") -> FindingDraft:
    return FindingDraft(severity="warning", node=step, prop="position", message=message, hint=hint)


def _text_of(value: object) -> str:
    return "of an object" if isinstance(value, Node) else repr(clip(str(value)))
