"""Nutrition value has no unit.

`calories` is a text with its unit, as in "270 calories" or "1130 kJ", and `fatContent` and the other nutrients
likewise ("9 g"): a bare 270 may be either.
Source: https://schema.org/NutritionInformation, https://schema.org/Energy and
https://schema.org/Mass, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.numbers import number
from waypost.formats.text import clip, join_words
from waypost.validate.item import FindingDraft, Item, describe

AUTHORITY = "vocabulary"
SEVERITY = "info"
APPLIES_TO = frozenset({"NutritionInformation"})
PROPERTIES = frozenset(
    {"calories", "carbohydrateContent", "cholesterolContent", "fatContent", "fiberContent", "proteinContent",
     "saturatedFatContent", "sodiumContent", "sugarContent", "transFatContent", "unsaturatedFatContent"}
)  # fmt: skip


def check(food: Item) -> Iterator[FindingDraft]:
    bare_amounts = [prop for prop in food.node.props if prop in PROPERTIES and number(food.get(prop)) is not None]
    if bare_amounts:
        verb = "has" if len(bare_amounts) == 1 else "have"
        unit = "calories or kJ" if bare_amounts[0] == "calories" else "g or mg"
        yield food.info(
            bare_amounts[0],
            f"{join_words(bare_amounts)} {verb} no unit",
            f"write {clip(str(food.get(bare_amounts[0])))} {unit}",
            about=(describe(food.node.parent or food.node), *sorted(bare_amounts)),
        )
