"""Several products on one page.

Product results are for pages about a single product. Of a page with several, as a list of a shop, Google shows none, or
one that it takes for the main one. Variants of one product belong into a ProductGroup; a list of products is an
ItemList that leads to their pages.
Source: https://developers.google.com/search/docs/appearance/structured-data/product (guidelines), read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.validate.item import FindingDraft, Item, RuleContext

AUTHORITY = "google"
SEVERITY = "info"


def check_page(context: RuleContext) -> Iterator[FindingDraft]:
    are_a = context.registry.vocabulary.are_a
    # Variants belong together in a ProductGroup.
    products = [root for root in context.page.roots if are_a(root.types, _PRODUCT) and not are_a(root.types, _GROUP)]
    # One product in two syntaxes, or in two scripts, has one name.
    names = list(dict.fromkeys(name for root in products if isinstance(name := root.get("name"), str)))
    if len(names) > 1:
        second = next(root for root in products if root.get("name") == names[1])
        yield Item(second, context).info(
            None,
            f"{len(names)} products on this page: Google shows product results for pages about one",
            "mark up each product on its own page, and the list as an ItemList of their addresses",
        )


_PRODUCT = frozenset({"Product"})
_GROUP = frozenset({"ProductGroup"})
