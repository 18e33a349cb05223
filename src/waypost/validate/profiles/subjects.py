"""Subjects of a page: the nodes on which profiles are evaluated.

Subjects are the roots, the main entity of the page, its breadcrumbs, content with a profile of the content's own type
(a video, a review, a rating, an image), and the nodes of a graph that belong to them (the publisher, the author, the
site). A node mentioned in passing, such as a cited work and its author, is not a subject.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

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
# Properties that lead from a subject to a node of the graph which the page states for itself.
_LINKS = frozenset(
    {"author", "copyrightHolder", "creator", "isPartOf", "parentOrganization", "provider", "publisher",
     "sourceOrganization", "worksFor"}
)  # fmt: skip
_SITE_LINKS = _LINKS | {"about"}  # of a page or site: who it belongs to; of an article: what it mentions
_SITE = frozenset({"WebPage", "WebSite"})
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
    is_linked  a subject only refers to the node: it gets a verdict, and what it misses is at most a warning.
    """

    node: Node
    root: Node
    is_nested: bool = False
    siblings: tuple[Node, str] | None = None
    is_linked: bool = False

    @property
    def via(self) -> str | None:
        """Property that leads to content or to a linked node."""
        return self.siblings[1] if self.siblings and (self.is_nested or self.is_linked) else None


def subjects(context: EvaluationContext) -> Iterator[Subject]:
    """Subjects of a page, without repetitions: roots and main entities, breadcrumbs, content, linked nodes."""
    seen: set[Node] = set()

    def main_entities(subject: Subject) -> Iterable[Subject]:
        return () if _MAIN.isdisjoint(subject.node.props) else _main_entities(context, subject)

    main = [Subject(node, node) for node in _starting_nodes(context)]
    yield from _grown(main, main_entities, seen)
    # {"@id": ..., "name": ...} as the item of a step, and the item itself elsewhere.
    named = [node for node in context.stated_apart if node.via == "item" and node.types and not node.foreign]
    if named:
        further = [Subject(node, node) for node in named]
        yield from _grown(further, main_entities, seen)
        main += further
    for subject in _breadcrumbs(context):
        if subject.node not in seen:
            seen.add(subject.node)
            yield subject
    yield from _grown([inner for subject in main for inner in _content_of(subject)], _content_of, seen)
    linked = [node for subject in main for node in _linked(context, subject)]
    yield from _grown(linked, lambda subject: _linked(context, subject), seen)


def _grown(
    found: list[Subject], following: Callable[[Subject], Iterable[Subject]], seen: set[Node]
) -> Iterator[Subject]:
    """Subjects that are not in `seen`, each followed by those it leads to, at the end of the list."""
    for subject in found:  # grows while it is iterated over
        if subject.node not in seen:
            seen.add(subject.node)
            yield subject
            found.extend(following(subject))


def _breadcrumbs(context: EvaluationContext) -> Iterator[Subject]:
    """Breadcrumbs that any node refers to or holds: consumers read each trail of a page."""
    for node in context.page.nodes:
        if "BreadcrumbList" not in node.types or (node.parent is None and not node.referrers):
            continue
        if not (node.foreign or node.hollow or node.same_as is not None or is_reference(node)):
            yield Subject(node, node)


def _linked(context: EvaluationContext, subject: Subject) -> Iterator[Subject]:
    """Nodes that the page states for themselves, and that belong to a subject."""
    node = subject.node
    if _SITE_LINKS.isdisjoint(node.props):
        return
    links = _SITE_LINKS if context.are_a(node.types, _SITE) else _LINKS
    for prop in node.props:
        if prop in links:
            for inner in node.nodes(prop):
                is_apart = inner.parent is None or (inner.id is not None and inner in context.stated_apart)
                if is_apart and inner.types and not (inner.foreign or is_reference(inner)):
                    yield Subject(inner, subject.root, siblings=(node, prop), is_linked=True)


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
