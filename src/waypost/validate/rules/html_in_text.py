"""HTML tags in plain text.

A name, headline or ingredient is plain text: `<br>` or `<b>` appears as written, or the value is cut there.
Descriptions of jobs and texts of answers may have markup and are ignored.
Source: https://schema.org/Text and
https://developers.google.com/search/docs/appearance/structured-data/sd-policies, read 2026-11-20.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from waypost.formats.patterns import pattern
from waypost.formats.text import clip
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "waypost"
SEVERITY = "warning"
APPLIES_TO = frozenset({"*"})
PROPERTIES = frozenset(
    {"name", "headline", "alternativeHeadline", "alternateName", "title", "jobTitle", "recipeIngredient", "recipeYield",
     "streetAddress", "addressLocality", "telephone", "sku", "articleSection", "recipeCategory", "recipeCuisine"}
)  # fmt: skip
SIGN = "<"
# Known tags only: "<3" and "<none>" are text.
TAG = pattern(
    r"</?(?:a|b|br|p|i|em|strong|span|div|u|sup|sub|small|li|ul|ol|h[1-6]|img|font|script|style|table|td|tr)(?:\s*/?|\s+[a-z][\w\-]*\s*=[^<>]{0,300})>",
    re.IGNORECASE,
)


def check(item: Item) -> Iterator[FindingDraft]:
    # Texts such as a description may hold markup; these are shown as they are.
    for prop in PROPERTIES & item.node.props.keys():
        tagged = [
            (index, value, found)
            for index, value in enumerate(item.node.props[prop])
            if isinstance(value, str) and "<" in value and (found := TAG.search(value))
        ]
        if tagged:
            index, value, found = tagged[0]
            more = f", and {len(tagged) - 1} more of its values have tags" if len(tagged) > 1 else ""
            yield item.warning(
                prop,
                f"{prop} has the tag {clip(found[0], 30)} in it ({clip(value, 40)!r}){more}",
                "write plain text",
                index=index,
            )
