"""Total time is shorter than one of its parts.

Preparing and cooking happen within the total time, so the total cannot be less than either. The total may be less
than the sum of both (work goes on while the oven heats) and more (dough rests).
Source: https://schema.org/totalTime, https://schema.org/prepTime and https://schema.org/cookTime, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.dates import read_duration
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "vocabulary"
SEVERITY = "warning"
APPLIES_TO = frozenset({"Recipe", "HowTo"})
PROPERTIES = frozenset({"totalTime"})


def check(recipe: Item) -> Iterator[FindingDraft]:
    total = read_duration(recipe.text("totalTime") or "")
    # A month has no fixed number of seconds to compare.
    if total is None or total.months or total.is_empty:
        return
    for part in ("prepTime", "cookTime", "performTime"):
        spent = read_duration(recipe.text(part) or "")
        if spent is not None and not spent.months and spent.seconds > total.seconds:
            yield recipe.warning(
                "totalTime",
                f"the total time ({recipe.text('totalTime')}) is shorter than {part} ({recipe.text(part)})",
                f"correct totalTime or {part}",
                related=((part, (recipe.node, part)),),
            )
            return
