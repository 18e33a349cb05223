"""Subjects of a page: the nodes on which profiles are evaluated.

Subjects are the roots, the main entity of the page, and content with a profile of the content's own type (a video, a
review, a rating, an image). A node mentioned in passing is not a subject.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from waypost.models.page import Node
from waypost.validate.profiles.model import EvaluationContext
from waypost.validate.profiles.nodes import is_reference

# Properties that lead from a page, list or feed to its subject.
_MAIN = frozenset({"mainEntity", "breadcrumb", "itemListElement", "dataFeedElement", "mainEntityOfPage"})
# Properties whose nodes are content of their holder and items of their own.
_CONTENT = frozenset(
    {"aggregateRating", "associatedMedia", "hasMemberProgram", "hasMerchantReturnPolicy", "hasShippingService",
     "hasVariant", "image", "logo", "photo", "primaryImageOfPage", "review", "reviews", "trailer", "video"}
)  # fmt: skip
_PAGE = frozenset({"WebPage"})
_LIST = frozenset({"ItemList"})
# Subtypes of ItemList whose members are steps or sections, not items with results of their own.
_NO_LIST = frozenset({"BreadcrumbList", "HowToSection", "HowToStep", "OfferCatalog"})
_FEED = frozenset({"DataFeed"})


class Subject(msgspec.Struct, frozen=True):
    """Node on which profiles are evaluated.

    root       item of the report to which the node belongs.
    is_nested  the node is content of another node; gaps cost only the content.
    siblings   list or holder of alike nodes, with the property; `None` for a node alone.
    """

    node: Node
    root: Node
    is_nested: bool = False
    siblings: tuple[Node, str] | None = None


def subjects(context: EvaluationContext) -> Iterator[Subject]:
    """Subjects of a page, without repetitions: first roots and main entities, then content."""
    seen: set[Node] = set()
    main = [Subject(node, node) for node in _starting_nodes(context)]
    for subject in main:  # grows while it is iterated over
        if subject.node in seen:
            continue
        seen.add(subject.node)
        yield subject
        if not _MAIN.isdisjoint(subject.node.props):
            main.extend(_main_entities(context, subject))
    content = [inner for subject in main for inner in _content_of(subject)]
    for subject in content:  # grows while it is iterated over
        if subject.node in seen:
            continue
        seen.add(subject.node)
        yield subject
        content.extend(_content_of(subject))


def _starting_nodes(context: EvaluationContext) -> Iterator[Node]:
    """Roots, then nodes of type WebPage with referrers."""
    page = context.page
    yield from page.roots
    for node in page.nodes:
        # A page that only its breadcrumb or article refers to is not a root, and still has a main entity.
        if node.parent is None and node.referrers and context.are_a(node.types, _PAGE) and node.same_as is None:
            yield node


def _main_entities(context: EvaluationContext, subject: Subject) -> Iterator[Subject]:
    """Subjects reached from a page, list or feed."""
    node, root, are_a = subject.node, subject.root, context.are_a
    for page in node.nodes("mainEntityOfPage"):
        if are_a(page.types, _PAGE) and not _MAIN.isdisjoint(page.props):
            yield Subject(page, root)
    if are_a(node.types, _PAGE):
        for prop in ("mainEntity", "breadcrumb"):
            yield from (Subject(entity, root) for entity in node.nodes(prop) if not is_reference(entity))
    if are_a(node.types, _LIST) and not are_a(node.types, _NO_LIST):
        siblings = (node, "item")
        yield from (Subject(item, root, False, siblings) for item in _items(node) if not is_reference(item))
    if are_a(node.types, _FEED):
        siblings = (node, "dataFeedElement")
        elements = node.nodes("dataFeedElement")
        yield from (Subject(element, root, False, siblings) for element in elements if not is_reference(element))


def _items(node: Node) -> Iterator[Node]:
    for element in node.nodes("itemListElement"):
        if "item" in element.props:
            yield from element.nodes("item")
        elif "ListItem" not in element.types:
            yield element


def _content_of(subject: Subject) -> Iterator[Subject]:
    node = subject.node
    for prop in node.props:
        if prop in _CONTENT:
            for inner in node.nodes(prop):
                if not inner.foreign and not is_reference(inner):
                    yield Subject(inner, subject.root, True, (node, prop))
