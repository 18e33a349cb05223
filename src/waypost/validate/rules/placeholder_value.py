"""Placeholder was never filled in.

A template or a script prints "undefined", "[object Object]", "{{ title }}", "%%title%%", "[node:title]" or "Lorem
ipsum" when the real value is missing; a lone "-" or "[{" is not better. Nor is what a theme shows in an empty field:
"Your Street Address", "123 Main Street, Your City", "Company Name". The text is shown to searchers as it is. Where
a rich result requires the value, a text of a template's marks alone costs the result, as an empty text would.
`"url": "/"` is the home page, and a template's marks inside a long text, a question or an answer are code that the
text is about.
Source: own measurement of pages in the wild, read 2026-11-23.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.placeholders import (
    CHECKED_LENGTH,
    LONGEST_TITLE,
    TEMPLATE,
    is_placeholder,
    is_sample,
    may_be_sample,
)
from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "waypost"
SEVERITY = "warning"
PROPERTIES = frozenset(
    {"name", "headline", "title", "description", "url", "image", "logo", "author", "publisher", "brand", "sku", "price",
     "alternateName", "legalName", "streetAddress", "addressLocality",
     "addressRegion", "postalCode", "addressCountry", "address", "telephone", "email", "thumbnailUrl", "contentUrl",
     "text", "keywords", "articleSection", "priceCurrency", "datePublished", "recipeYield", "recipeCategory",
     "recipeCuisine", "recipeIngredient", "recipeInstructions", "openingHours"}
)  # fmt: skip
VALUES = frozenset({"text"})
ADDRESSES = frozenset({"url", "image", "logo", "thumbnailUrl", "contentUrl"})
HOLDERS_OF_NAMES = ("Organization", "Person", "Place", "Brand", "WebSite", "PostalAddress", "ContactPoint", "Product")


def may_be_placeholder(value: Value) -> bool:
    return is_placeholder(value) or may_be_sample(value)


WHEN = may_be_placeholder


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    text = str(value).strip()
    if is_placeholder(value):
        # "/" is the address of the home page, not a mark, and of "//" `url-invalid` says what is missing.
        if (prop == "url" and text == "/") or (prop in ADDRESSES and text[:2] == "//") or _is_about_code(item, text):
            return
    # "Your Name" is a film.
    elif not is_sample(prop, text) or not (item.is_a(*HOLDERS_OF_NAMES) or text.lower().endswith("here")):
        return
    hint = "check the template or script that should fill it in, or leave the property out"
    yield item.warning(prop, f"{clip(str(value))!r} is a placeholder", hint, index=index)


def _is_about_code(item: Item, text: str) -> bool:
    """Are the marks of a template a part of what people wrote, and not the whole value?"""
    found = TEMPLATE.search(text[:CHECKED_LENGTH])
    # A text of lorem ipsum or [object Object] is never about code.
    if found is None or found[0][0] not in "{<$%[" or found[0][:2] in {"[o", "[O"} or found[0] == text:
        return False
    return len(text) > LONGEST_TITLE or item.is_a("Comment", "SocialMediaPosting", "Question")
