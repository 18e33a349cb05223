"""There are HTML tags in a text that is shown as it is.

A name, headline or ingredient is plain text: `<br>` or `<b>` appears as such, or the value is cut there.
Descriptions of jobs and texts of answers may have markup and are left alone.
Source: https://schema.org/Text and
https://developers.google.com/search/docs/appearance/structured-data/sd-policies, read 2026-11-20.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from waypost.shapes.page import Value
from waypost.text import clip
from waypost.validate.item import Draft, Item

AUTHORITY = "waypost"
SEVERITY = "warning"
PROPERTIES = frozenset(
    {"name", "headline", "alternativeHeadline", "alternateName", "title", "jobTitle", "recipeIngredient", "recipeYield",
     "streetAddress", "addressLocality", "telephone", "sku", "articleSection", "recipeCategory", "recipeCuisine"}
)  # fmt: skip
TAG = re.compile(
    r"</?(?:a|b|br|p|i|em|strong|span|div|u|sup|sub|small|li|ul|ol|h[1-6]|img|font|script|style|table|td|tr)\b[^<>]{0,300}>",
    re.IGNORECASE,
)


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[Draft]:
    if isinstance(value, str) and "<" in value and (found := TAG.search(value)):
        yield item.warning(
            prop,
            f"{prop} has the tag {clip(found[0], 30)} in it ({clip(value, 40)!r})",
            "write plain text",
            index=index,
        )
