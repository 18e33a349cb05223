"""Main item of a page, the subject of the card.

Roots are candidates first; a page or a list delegates to a main item (`schemas/picking.json`). Among several
candidates the page's main entity wins, then the rank of the service type, then the first in document order.

The site's browser engine runs this module, translated: see `waypost.pages.py2js`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from waypost.formats.text import join_words
from waypost.models.page import Node, Page
from waypost.preview.catalogue import Catalogue
from waypost.preview.evidence import Candidate, best_of, has_meaning, is_recommended, is_referred

_STEPS = 5
_LAST = 1000
"""Rank of an item without a card."""


class Picked(NamedTuple):
    """Main item of a page.

    wrapper  page node that delegated to the item, else None.
    trail    BreadcrumbList of the item, else None.
    about    types whose profiles decide about the display in a search engine.
    """

    node: Node
    service: str
    standard: str
    wrapper: Node | None
    trail: Node | None
    about: tuple[str, ...]


def main_item(page: Page, catalogue: Catalogue, service: str | None = None, number: int | None = None) -> Picked | str:
    """Main item of a page; for a page without a card, the reason.

    service  service type of the item, if the page has one of it
    number   number of the root item that speaks, in document order; by default every root may
    """
    nodes = _alive(page.nodes)
    if not nodes:
        return _nothing_read(page)
    if number is not None and number >= len(page.roots):
        return f"the page has no item {number}: it has {len(page.roots)}, counted from 0"
    tops = [node for node in nodes if node.parent is None] if number is None else [page.roots[number]]
    found = _candidates(tops, catalogue, number is not None)
    of_kind = [each for each in found if each.service == service]
    best = _best(of_kind or found, page, catalogue)
    if best is None:
        roots = _alive(page.roots) if number is None else tops
        return f"{_without_card(roots or tops)}: there is nothing to draw"
    if not best.service:
        return f"{_without_card([best.node])}: there is nothing to draw"
    return Picked(best.node, best.service, best.standard, best.wrapper, _trail(best, nodes), best.about)


def main_node(page: Page, catalogue: Catalogue) -> Node | None:
    """Item that a page is about, with a card or without one; None for a page of which nothing has a card."""
    tops = [node for node in _alive(page.nodes) if node.parent is None]
    best = _best(_candidates(tops, catalogue, False), page, catalogue)
    return best.node if best is not None else None


def _candidates(nodes: list[Node], catalogue: Catalogue, has_number: bool) -> list[Picked]:
    """Items that may be the main one, once each; those without a card have no `service`."""
    found: list[Picked] = []
    for node in nodes:
        picked = _resolve(node, catalogue)
        if picked is not None:
            found.append(picked)
        elif not has_number and has_meaning(node):
            found.append(Picked(node, "", node.types[0], None, None, node.types))
    return found


def _best(found: list[Picked], page: Page, catalogue: Catalogue) -> Picked | None:
    """Main item among candidates; None where none has a card, nor the name of the page."""
    ranks, lifts = catalogue.service_types.page_rank, catalogue.service_types.lifts
    roots = {id(node) for node in page.roots}
    first_article = min(rank for service, rank in ranks.items() if not lifts[service])
    candidates: list[Candidate] = []
    for each in found:
        rank = ranks.get(each.service, _LAST)
        candidates.append(
            Candidate(
                each.node,
                each.service,
                rank,
                lifts.get(each.service, False),
                rank < first_article,
                each.wrapper is not None,
                each.standard == "ItemList",
                is_recommended(each.node),
                id(each.node) not in roots and is_referred(each.node),
            )
        )
    number = best_of(candidates, page)
    return found[number] if number >= 0 else None


def root_number(page: Page, picked: Picked) -> int | None:
    """Number of the root item to which a picked item belongs, as reports count items."""
    roots = {id(node): number for number, node in enumerate(page.roots)}
    for start in (picked.wrapper, picked.node):
        node: Node | None = start
        while node is not None and id(node) not in roots:
            node = node.parent
        if node is not None:
            return roots[id(node)]
    return None


def _nothing_read(page: Page) -> str:
    if page.read_errors:
        return "no item of schema.org could be read here: validate the page to see why"
    return "there is no structured data on this page"


def _without_card(nodes: Iterable[Node]) -> str:
    types = list(dict.fromkeys(name for node in nodes for name in node.types))
    if not types:
        return "nothing has a type"
    return f"{join_words(types[:5])} {'has' if len(types) == 1 else 'have'} no card"


def _alive(nodes: Iterable[Node]) -> list[Node]:
    return [node for node in nodes if node.same_as is None and not node.foreign and not node.reference]


def _resolve(node: Node, catalogue: Catalogue) -> Picked | None:
    """Candidate for a node, after at most `_STEPS` delegations; None without a card."""
    wrapper: Node | None = None
    seen: set[int] = set()
    for _ in range(_STEPS):
        if id(node) in seen:
            return None
        seen.add(id(node))
        served = catalogue.service_types.service(node.types)
        if served:
            about = node.types + wrapper.types if wrapper else node.types
            return Picked(node, served[0], served[1], wrapper, None, about)
        delegate = catalogue.service_types.delegate(node.types)
        target = _at(node, delegate.path) if delegate else None
        if delegate is None or target is None:
            return None
        if delegate.keeps:
            members = catalogue.service_types.service(target.types)
            if members and "itemListElement" in catalogue.mappings[members[0]].fields:
                return Picked(node, members[0], delegate.type, wrapper, None, target.types)
        else:
            wrapper = node
        node = target
    return None


def _at(node: Node, path: str) -> Node | None:
    """First node at a path of one or two steps; a ListItem without the second step gives None."""
    step, _, rest = path.partition(".")
    for value in node.nodes(step):
        if not rest:
            return value
        return next(value.nodes(rest), None if "ListItem" in value.types else value)
    return None


def _trail(picked: Picked, nodes: list[Node]) -> Node | None:
    """Breadcrumb trail of the item, else of a page around the item, else the first trail of the page."""
    for node in _around(picked):
        for value in node.nodes("breadcrumb"):
            if "itemListElement" in value.props:
                return value
    return next((node for node in nodes if "BreadcrumbList" in node.types and "itemListElement" in node.props), None)


def _around(picked: Picked) -> Iterator[Node]:
    yield picked.node
    if picked.wrapper:
        yield picked.wrapper
    for prop in ("mainEntityOfPage", "isPartOf"):
        yield from picked.node.nodes(prop)
