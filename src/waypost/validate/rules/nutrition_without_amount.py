"""The energy or a nutrient has no number.

" kcal" or "g" is what a template prints when the amount was never filled in. A word such as "trace" is an amount.
Source: https://developers.google.com/search/docs/appearance/structured-data/recipe (nutrition.calories) and
https://schema.org/NutritionInformation, read 2026-11-20.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from waypost.formats.patterns import pattern
from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "google"
SEVERITY = "warning"
APPLIES_TO = frozenset({"NutritionInformation"})
PROPERTIES = frozenset(
    {"calories", "carbohydrateContent", "cholesterolContent", "fatContent", "fiberContent", "proteinContent",
     "saturatedFatContent", "sodiumContent", "sugarContent", "transFatContent", "unsaturatedFatContent"}
)  # fmt: skip
UNIT = pattern(r"\W*(?:k?cal(?:orie)?s?|kj|mg|g|gr(?:am)?s?|milligrams?)\W*", re.IGNORECASE)


def is_unit_alone(value: Value) -> bool:
    return isinstance(value, str) and len(value) < LONGEST and UNIT.fullmatch(value) is not None


WHEN = is_unit_alone
LONGEST = 40


def check_value(food: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    said = f"{prop} is {clip(str(value))!r}: a unit without a number"
    yield food.warning(prop, said, "give the amount, or leave it out", index=index)
