"""Which nodes of a page ask for a result.

The roots do, and the main entity that is reached from the page. What these carry as content of their own (a video,
a review, a rating, an image) is judged by its own profile too. A node that is only mentioned asks for nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from waypost.models.page import Node
from waypost.validate.profiles.look import Look, is_reference

# From a page, list or feed to what it is about.
_MAIN = frozenset({"mainEntity", "breadcrumb", "itemListElement", "dataFeedElement", "mainEntityOfPage"})
# What a node carries itself, and others would read as a thing of its own.
CONTENT = frozenset(
    {"aggregateRating", "associatedMedia", "hasMemberProgram", "hasMerchantReturnPolicy", "hasShippingService",
     "hasVariant", "image", "logo", "photo", "primaryImageOfPage", "review", "reviews", "trailer", "video"}
)  # fmt: skip
_PAGE = frozenset({"WebPage"})
_LIST = frozenset({"ItemList"})
_NO_LIST = frozenset({"BreadcrumbList", "HowToSection", "HowToStep", "OfferCatalog"})
_FEED = frozenset({"DataFeed"})


class Asker(msgspec.Struct, frozen=True):
    """A node that is judged. `root` is the item of the report that it belongs to.

    nested  it is content of another node, and what it lacks costs that content only.
    among   the list or holder that has several like it, with the property; None when it stands alone.
    """

    node: Node
    root: Node
    nested: bool
    among: tuple[Node, str] | None


def askers(look: Look) -> Iterator[Asker]:
    """Everything on a page that asks for a result, each once: what asks itself first, then its content."""
    seen: set[Node] = set()
    main = [Asker(node, node, False, None) for node in _seeds(look)]
    for asker in main:  # grows while it is walked
        if asker.node in seen:
            continue
        seen.add(asker.node)
        yield asker
        if not _MAIN.isdisjoint(asker.node.props):
            main.extend(_main_of(look, asker))
    content = [inner for asker in main if not CONTENT.isdisjoint(asker.node.props) for inner in _content_of(asker)]
    for asker in content:
        if asker.node in seen:
            continue
        seen.add(asker.node)
        yield asker
        if not CONTENT.isdisjoint(asker.node.props):
            content.extend(_content_of(asker))


def _seeds(look: Look) -> Iterator[Node]:
    """The roots, then nodes about the page itself that something else refers to."""
    page = look.page
    yield from page.roots
    for node in page.nodes:
        if node.parent is None and node.referrers and look.are_a(node.types, _PAGE) and node.same_as is None:
            yield node


def _main_of(look: Look, asker: Asker) -> Iterator[Asker]:
    node, root, are_a = asker.node, asker.root, look.are_a
    for page in node.nodes("mainEntityOfPage"):
        if are_a(page.types, _PAGE) and not _MAIN.isdisjoint(page.props):
            yield Asker(page, root, False, None)
    if are_a(node.types, _PAGE):
        for prop in ("mainEntity", "breadcrumb"):
            yield from (Asker(each, root, False, None) for each in node.nodes(prop) if not is_reference(each))
    if are_a(node.types, _LIST) and not are_a(node.types, _NO_LIST):
        yield from (Asker(each, root, False, (node, "item")) for each in _items(node) if not is_reference(each))
    if are_a(node.types, _FEED):
        among = (node, "dataFeedElement")
        yield from (Asker(each, root, False, among) for each in node.nodes("dataFeedElement") if not is_reference(each))


def _items(node: Node) -> Iterator[Node]:
    for element in node.nodes("itemListElement"):
        if "item" in element.props:
            yield from element.nodes("item")
        elif "ListItem" not in element.types:
            yield element


def _content_of(asker: Asker) -> Iterator[Asker]:
    node = asker.node
    for prop in node.props:
        if prop in CONTENT:
            for each in node.nodes(prop):
                if not each.foreign and not is_reference(each):
                    yield Asker(each, asker.root, True, (node, prop))
