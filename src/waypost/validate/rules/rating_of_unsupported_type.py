"""Rating of a type for which Google shows no stars.

Google shows the stars of books, courses, events, games, local businesses, movies, music, organizations, products,
recipes and software, and of parts and series of works. On another type, such as BlogPosting, Service or Place, Search
Console calls a rating or review an invalid object type, and critical: the stars are lost, and other results of the item
are not. A rating about something else belongs to the item that it rates.
Source: https://developers.google.com/search/docs/appearance/structured-data/review-snippet, read 2026-11-28, and
https://github.com/lesterchan/wp-postratings/issues/141, read 2026-11-28.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.page import Node, is_present
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_kinds import is_property_of

AUTHORITY = "google"
SEVERITY = "warning"
APPLIES_TO = frozenset({"*"})
PROPERTIES = frozenset({"aggregateRating", "review", "reviews"})
_RATINGS = ("aggregateRating", "review", "reviews")


def check(item: Item) -> Iterator[FindingDraft]:
    node, registry = item.node, item.context.registry
    if node.parent is not None or not node.types or any(name not in registry.vocabulary.types for name in node.types):
        return
    supported = registry.consumers["google"].enums["reviewableType"].members
    if item.is_a(*supported, "Review", "Rating"):
        return
    for prop in _RATINGS:
        value = item.get(prop)
        if isinstance(value, Node) and is_present(value) and is_property_of(registry.vocabulary, node.types, prop):
            message = f"Google shows no stars for the rating of a {item.name}"
            yield item.warning(prop, message, "put it on the product, business or work that it rates", part="key")
            # Once per item, whichever property holds the rating.
            return
