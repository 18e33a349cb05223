"""Self-serving review: no stars for your own organization.

Google shows no stars for ratings that a business or another organization publishes about itself, on its own site or by
a widget there. On a site that collects reviews of others the same markup is fine: so it is of a vacation rental, whose
ratings Google recommends, and of the entries of a list. Nothing has to be changed: the rating is read, and earns
nothing.
Source: https://developers.google.com/search/docs/appearance/structured-data/review-snippet, read 2026-11-20, and
https://developers.google.com/search/docs/appearance/structured-data/vacation-rental, read 2026-11-28.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.page import Node
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "google"
SEVERITY = "info"
APPLIES_TO = frozenset({"Organization"})
PROPERTIES = frozenset({"aggregateRating", "review", "reviews"})


def check(item: Item) -> Iterator[FindingDraft]:
    if item.is_a("VacationRental") or item.node.via in ("item", "itemListElement"):
        return
    for prop in item.node.props:
        if prop in PROPERTIES and isinstance(item.get(prop), Node):
            message = f"{item.name}: Google shows no stars for ratings that a business publishes about itself"
            yield item.info(prop, message, "leave it as it is, and expect no stars from it", part="key")
            # Once per organization, whichever property holds the rating.
            return
