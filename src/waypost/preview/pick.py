"""Main item of a page, the subject of the card.

Roots are candidates first; a page or a list delegates to a main item (`schemas/picking.json`). Among several
candidates the page's main entity wins, then the rank of the service type, then the first in document order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from waypost.errors import NothingToShow
from waypost.formats.text import join_words
from waypost.models.page import Node, Page
from waypost.preview.catalogue import Catalogue

_STEPS = 5


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


def pick_main_item(page: Page, catalogue: Catalogue, service: str | None = None, number: int | None = None) -> Picked:
    """Main item of a page. Raises NothingToShow, with the reason, for a page without a card.

    service  service type of the item, if the page has one of it
    number   number of the root item that speaks, in document order; by default every root may
    """
    nodes = _alive(page.nodes)
    if not nodes:
        raise NothingToShow(_nothing_read(page))
    roots = _alive(page.roots)
    tops = [node for node in nodes if node.parent is None]
    named = [node for node in tops if _is_of_the_page(node, page)]
    if number is not None:
        if number >= len(page.roots):
            raise NothingToShow(f"the page has no item {number}: it has {len(page.roots)}, counted from 0")
        roots, named, tops = [page.roots[number]], [], []
    # Top nodes that are not roots, as those that others refer to, only where no root has a card.
    for candidates in ([*roots, *named], tops):
        found = [each for node in dict.fromkeys(candidates) if (each := _resolve(node, catalogue))]
        if found:
            found = [each for each in found if each.service == service] or found
            best = min(found, key=lambda each: _order(each, page, catalogue))
            return best._replace(trail=_trail(best, nodes))
    raise NothingToShow(f"{_without_card(roots or tops)}: there is nothing to draw")


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


def _order(picked: Picked, page: Page, catalogue: Catalogue) -> tuple[bool, int, bool]:
    """Sort key: main entity of the page first, then rank of the service type."""
    # Publishing systems mark every article as main entity, also next to the recipe of the page: for a type
    # without `lifts` the mark decides only between candidates of the same rank.
    named = picked.wrapper is not None or _is_of_the_page(picked.node, page)
    dispatch = catalogue.service_types
    return not (named and dispatch.lifts[picked.service]), dispatch.page_rank[picked.service], not named


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
            about = (*node.types, *(wrapper.types if wrapper else ()))
            return Picked(node, *served, wrapper, None, about)
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


def _is_of_the_page(node: Node, page: Page) -> bool:
    """Whether `mainEntityOfPage` of a node points to this page."""
    for value in node.props.get("mainEntityOfPage", ()):
        # A page without a known URL cannot tell: the mark is believed.
        target = value.id or value.get("url") if isinstance(value, Node) else value
        if isinstance(target, str) and (page.url is None or _same_address(target, page.url)):
            return True
    return False


def _same_address(first: str, second: str) -> bool:
    return _core(first) == _core(second)


def _core(address: str) -> str:
    # Scheme, www and the final slash differ between what pages write and where they are served.
    return address.strip().partition("#")[0].rpartition("://")[2].removeprefix("www.").rstrip("/").casefold()


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
