"""Values of the items of a page that the page contradicts: `differences(context)`."""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.page import Node
from waypost.validate.displayed.offers import (
    IN_STOCK,
    availability_differences,
    near_price,
    price_differences,
    prices_of,
    states_of,
)
from waypost.validate.displayed.page import (
    Difference,
    Displayed,
    candidates,
    displayed,
    main_items,
    main_nodes,
    name_difference,
    name_of_item,
)
from waypost.validate.displayed.ratings import rating_differences
from waypost.validate.item import RuleContext

PRODUCTS = frozenset({"Product", "ProductGroup"})
RATED = frozenset(
    {"Recipe", "SoftwareApplication", "Course", "Book", "Movie", "LocalBusiness", "CreativeWorkSeries", "Game"}
)
ARTICLES = frozenset({"Article", "Recipe"})
EVENTS = frozenset({"Event"})
JOBS = frozenset({"JobPosting"})
_KINDS = (PRODUCTS, JOBS, EVENTS, ARTICLES, RATED)
_OF_ARTICLES = ("datePublished", "dateModified", "dateCreated", "uploadDate")
_OF_EVENTS = ("startDate", "endDate", "doorTime", "previousStartDate")
_OF_JOBS = ("datePosted", "validThrough")


def differences(context: RuleContext) -> Iterator[Difference]:
    """Differences between the items that the page is about and what stands under its main heading."""
    page, vocabulary = context.page, context.registry.vocabulary
    nodes = main_nodes(page)
    by_kind = [(kinds, found) for kinds in _KINDS if (found := candidates(nodes, vocabulary, kinds))]
    names = [named.text for _, found in by_kind for node in found if (named := name_of_item(node))]
    display = displayed(page, vocabulary, names) if by_kind else None
    if display is None:
        return
    if len({node for _, found in by_kind for node in found}) == 1:
        yield from name_difference(display, by_kind[0][1])
    for kinds, found in by_kind:
        main = main_items(display, found)
        if kinds is PRODUCTS:
            yield from _of_products(display, main)
            continue
        for node in main:
            yield from _of_item(display, node, kinds)


def _of_products(display: Displayed, main: list[Node]) -> Iterator[Difference]:
    """Differences of the items with the name of the page: several are its variants, of which it displays one."""
    if not main:
        return
    lines, amounts = near_price(display)
    prices = [price.value for node in main for price in prices_of(node) if not price.former]
    is_one_price = bool(prices) and all(price == prices[0] for price in prices)
    states = {state for node in main for _, _, state in states_of(node)}
    for node in main:
        if is_one_price:
            yield from price_differences(display, node, lines, amounts)
        if len({state in IN_STOCK for state in states}) == 1:
            yield from availability_differences(display, node, lines)
        yield from rating_differences(display, node, lines)


def _of_item(display: Displayed, node: Node, kinds: frozenset[str]) -> Iterator[Difference]:
    if kinds is RATED:
        yield from rating_differences(display, node, None)
        return
    # Most pages of a shop need none of these.
    from waypost.validate.displayed.events import (
        author_difference,
        day_difference,
        salary_difference,
        status_difference,
    )

    if kinds is JOBS:
        yield from day_difference(display, node, _OF_JOBS, "date")
        yield from salary_difference(display, node)
    elif kinds is EVENTS:
        yield from status_difference(display, node)
        yield from day_difference(display, node, _OF_EVENTS, "date")
    elif kinds is ARTICLES:
        yield from day_difference(display, node, _OF_ARTICLES, "date")
        yield from author_difference(display, node)
