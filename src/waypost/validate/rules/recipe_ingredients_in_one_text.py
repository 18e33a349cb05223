"""All recipe ingredients in one string.

Give every ingredient as a separate value. Consumers split a text neither at lines nor at commas, so the recipe
seems to have a single ingredient.
Source: https://developers.google.com/search/docs/appearance/structured-data/recipe, read 2026-11-20.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from waypost.formats.patterns import pattern
from waypost.formats.text import clip
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "google"
SEVERITY = "warning"
APPLIES_TO = frozenset({"Recipe"})
PROPERTIES = frozenset({"recipeIngredient"})
LINE = pattern(r"\n\s*\S|<br\b|<li\b|\s•\s", re.IGNORECASE)
LEAST = 2
AMOUNT = pattern(r"[,;]\s*(?:\d|[¼-¾⅓-⅞])")
LEAST_AMOUNTS = 3


def check(recipe: Item) -> Iterator[FindingDraft]:
    values = list(recipe.values("recipeIngredient"))
    if len(values) != 1 or not isinstance(values[0][1], str):
        return
    # Enough to recognize a list, whatever the length of the text.
    text = values[0][1].strip()[:5000]
    in_json = recipe.node.block.syntax == "json-ld"
    # In Microdata and RDFa the line breaks are those of the HTML source.
    lines = len(LINE.findall(text)) if in_json else 0
    amounts = len(AMOUNT.findall(text))
    if lines >= LEAST or amounts >= LEAST_AMOUNTS:
        lines = max(lines, amounts)
        yield recipe.warning(
            "recipeIngredient",
            f"{lines + 1} ingredients stand in one text ({clip(values[0][1], 40)!r})",
            "write a list with one ingredient each",
        )
