"""Placeholder was never filled in.

A template or a script prints "undefined", "[object Object]", "{{ title }}", "%%title%%" or "Lorem ipsum" when the
real value is missing; a lone "-" or "[{" is not better. The text is shown to searchers as it is. `"url": "/"` is the
home page, and a template's marks inside a long text, a question or an answer are code that the text is about.
Source: own measurement of pages in the wild, read 2026-11-23.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from waypost.formats.patterns import pattern
from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item

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
MARKS = pattern(r"[\[\]{}().,;:\-_/\\|<>\"'*#–—]{1,6}")
TEMPLATE = pattern(
    r"\{\{[^{}]{1,80}\}\}|\{%[^%]{1,80}%\}|<%[^%]{1,80}%>|<\?php|\$\{[\w. ]{1,60}\}|%%[a-z_]{3,30}%%"
    r"|\[object Object\]|^lorem ipsum\b|/undefined(?:/|$)|^TODO:",
    re.IGNORECASE,
)


def is_placeholder(value: Value) -> bool:
    if not isinstance(value, str):
        return False
    # Before `strip` and `lower`, which cost more than the length of a long text.
    if len(value) < LONGEST:
        bare = value.strip().lower()
        if bare in EXACT or (len(bare) <= 6 and MARKS.fullmatch(bare)):
            return True
    head = value[:CHECKED_LENGTH]
    # Single characters first: most texts have none of them, and no pattern is run.
    if "{" in head or "%" in head or "<" in head or "[" in head or "/undefined" in head or head[:5] in STARTS:
        return _may_be_template(head) and TEMPLATE.search(value, 0, CHECKED_LENGTH) is not None
    return False


WHEN = is_placeholder


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    text = str(value).strip()
    # "/" is the address of the home page, not a mark.
    if (prop == "url" and text == "/") or _is_about_code(item, text):
        return
    hint = "fill it in, or leave the property out"
    yield item.warning(prop, f"{clip(str(value))!r} is a placeholder", hint, index=index)


def _is_about_code(item: Item, text: str) -> bool:
    """Are the marks of a template a part of what people wrote, and not the whole value?"""
    found = TEMPLATE.search(text, 0, CHECKED_LENGTH)
    # A text of lorem ipsum or [object Object] is never about code.
    if found is None or found[0][0] not in "{<$%" or found[0] == text:
        return False
    return len(text) > LONGEST_TITLE or item.is_a("Comment", "SocialMediaPosting", "Question")


def _may_be_template(text: str) -> bool:
    """Fast test before the pattern: every match holds one of these."""
    return text[:5].lower() in STARTS or any(pair in text for pair in PAIRS)


PAIRS = ("{{", "{%", "<%", "<?", "${", "%%", "[o", "[O", "/u", "/U")
LONGEST = 20
LONGEST_TITLE = 200
CHECKED_LENGTH = 300
STARTS = frozenset({"lorem", "Lorem", "LOREM", "todo:", "TODO:"})
