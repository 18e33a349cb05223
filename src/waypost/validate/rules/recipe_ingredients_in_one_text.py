"""All ingredients stand in one text.

Each ingredient is a value of its own; lines of one text are not taken apart, so the recipe seems to have a single
ingredient.
Source: https://developers.google.com/search/docs/appearance/structured-data/recipe, read 2026-11-20.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from waypost.text import clip
from waypost.validate.item import Draft, Item

AUTHORITY = "google"
SEVERITY = "warning"
APPLIES_TO = frozenset({"Recipe"})
PROPERTIES = frozenset({"recipeIngredient"})
LINE = re.compile(r"\n\s*\S|<br\b|<li\b|\s•\s", re.IGNORECASE)
LEAST = 2


def check(recipe: Item) -> Iterator[Draft]:
    values = list(recipe.values("recipeIngredient"))
    if len(values) != 1 or not isinstance(values[0][1], str) or recipe.node.block.syntax != "json-ld":
        return
    lines = len(LINE.findall(values[0][1].strip()[:5000]))
    if lines >= LEAST:
        yield recipe.warning(
            "recipeIngredient",
            f"{lines + 1} ingredients stand in one text ({clip(values[0][1], 40)!r})",
            "write a list with one ingredient each",
        )
