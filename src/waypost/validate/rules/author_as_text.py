"""The author is a text, not a person or organization.

The name is read all the same, but a text cannot say whether it is a person, nor link to who that is; Google asks
for an object with `name` and `url`.
Source: https://developers.google.com/search/docs/appearance/structured-data/article#author-bp, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "google"
SEVERITY = "warning"
APPLIES_TO = frozenset({"Article", "Recipe", "Review", "SocialMediaPosting", "Comment", "Question", "Answer"})
PROPERTIES = frozenset({"author"})
VALUES = frozenset({"text"})


def check_value(work: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if not isinstance(value, str):
        return
    if value.strip().startswith(("https://", "http://")):
        message = f"the author is an address ({clip(value)!r}), without a name"
    else:
        message = f"the author is a text ({clip(value)!r})"
    hint = "make it an object of type Person or Organization with name and url"
    yield work.warning(prop, message, hint, index=index)
