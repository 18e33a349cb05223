"""Role without the actual value.

A Role sits between a property and its value to say when or as what: the role repeats the property, and the
repeated property holds the value. A role without the property says that a part exists, but not who has it.
Source: https://schema.org/Role and https://blog.schema.org/2014/06/16/introducing-role/, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_kinds import holders

AUTHORITY = "vocabulary"
SEVERITY = "warning"
APPLIES_TO = frozenset({"Role"})


def check(role: Item) -> Iterator[FindingDraft]:
    vias = {via for _, via in holders(role.node)}
    if vias and not any(role.has(via) for via in vias):
        # Any of them, but the same one in each run: the set has no order.
        via = min(vias)
        yield role.warning(
            None,
            f"the {role.name} in {via} has no {via} of its own",
            f"put the real value into its {via}",
            property=via,
        )
