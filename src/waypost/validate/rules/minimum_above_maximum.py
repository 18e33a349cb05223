"""A minimum is above the maximum beside it.

No value can lie in such a range, so readers drop it: the two are swapped, or one of them is wrong.
Source: https://schema.org/minValue and https://schema.org/maxValue, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.values import number
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "vocabulary"
SEVERITY = "warning"
APPLIES_TO = frozenset({"*"})
PAIRS = (
    ("minValue", "maxValue"),
    ("minPrice", "maxPrice"),
    ("suggestedMinAge", "suggestedMaxAge"),
    ("requiredMinAge", "requiredMaxAge"),
    ("childMinAge", "childMaxAge"),
    ("valueMinLength", "valueMaxLength"),
)
PROPERTIES = frozenset(most for _, most in PAIRS)


def check(item: Item) -> Iterator[FindingDraft]:
    for least, most in PAIRS:
        low, high = number(item.get(least)), number(item.get(most))
        if low is not None and high is not None and low > high:
            yield item.warning(
                least,
                f"{least} ({low}) is above {most} ({high})",
                "swap the two, or correct one",
                related=((f"{most} is here", (item.node, most)),),
            )
