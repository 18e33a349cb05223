"""The value is a placeholder that nobody filled in.

"undefined", "[object Object]", "{{ title }}", "%%title%%" or "Lorem ipsum" is what a template or a script prints
when the real value was missing; a lone "-" or "[{" is no better. It is shown to searchers as it is.
Source: own measurement of pages in the wild, read 2026-11-20.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from waypost.shapes.page import Value
from waypost.text import clip
from waypost.validate.item import Draft, Item

AUTHORITY = "waypost"
SEVERITY = "warning"
PROPERTIES = frozenset(
    {"name", "headline", "title", "description", "url", "image", "logo", "author", "publisher", "brand", "sku", "price",
     "alternateName", "streetAddress", "addressLocality", "telephone", "email", "thumbnailUrl", "contentUrl", "text",
     "keywords", "articleSection", "priceCurrency", "datePublished", "recipeYield", "recipeCategory", "recipeCuisine",
     "recipeIngredient", "recipeInstructions"}
)  # fmt: skip
VALUES = frozenset({"text"})
EXACT = frozenset(
    {"undefined", "null", "nan", "[object object]", "todo", "tbd", "fixme", "xxx", "(null)", "none none", "n/a"}
)
MARKS = re.compile(r"[\[\]{}().,;:\-_/\\|<>\"'*#–—]{1,6}")
TEMPLATE = re.compile(
    r"\{\{[^{}]{1,80}\}\}|\{%[^%]{1,80}%\}|<%[^%]{1,80}%>|<\?php|\$\{[\w. ]{1,60}\}|%%[a-z_]{3,30}%%"
    r"|\[object Object\]|^lorem ipsum\b|/undefined(?:/|$)|^TODO:",
    re.IGNORECASE,
)


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterable[Draft]:
    if not isinstance(value, str) or not _is_placeholder(value):
        return ()
    hint = "fill it in, or leave the property out"
    return (item.warning(prop, f"{clip(value)!r} is a placeholder", hint, index=index),)


def _is_placeholder(text: str) -> bool:
    if len(text) < LONGEST:
        bare = text.strip().lower()
        if bare in EXACT or (len(bare) <= 6 and MARKS.fullmatch(bare)):
            return True
    marked = "{" in text or "%" in text or "<" in text or "[" in text or "/undefined" in text or text[:5] in STARTS
    return marked and _may_be_template(text) and TEMPLATE.search(text, 0, 300) is not None


def _may_be_template(text: str) -> bool:
    """A quick look: one of these is in every text that the pattern finds."""
    return text[:5].lower() in STARTS or any(pair in text for pair in PAIRS)


PAIRS = ("{{", "{%", "<%", "<?", "${", "%%", "[o", "[O", "/u", "/U")
LONGEST = 20
STARTS = frozenset({"lorem", "Lorem", "LOREM", "todo:", "TODO:"})
