"""Same @id for two different items.

A person is not an organization, and a web page is not a product. Nodes with the same `@id` are read as one item with
the types and properties of both. Often the page's own address serves as the id of several items on the page: give
every item a separate id, such as `#product`. Types with a common ancestor (a restaurant and a hotel, an article
and a review) may well be one item, and anything is a `Thing`.
Source: W3C JSON-LD 1.1, section 3.3 (node identifiers), read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.text import clip
from waypost.registry.vocabulary import Vocabulary
from waypost.validate.item import FindingDraft, RuleContext

AUTHORITY = "waypost"
SEVERITY = "warning"
SIGN = "merged"


def check_page(context: RuleContext) -> Iterator[FindingDraft]:
    vocabulary = context.registry.vocabulary
    for node in context.nodes_by_sign.get(SIGN, ()):
        head = node.same_as
        # A mere reference has no type and contradicts nothing.
        if head is None or not node.types or not head.types or node.foreign:
            continue
        # A node may be typed once as Organization and once as LocalBusiness.
        if any(_related(name, head.types[0], vocabulary) for name in node.types):
            continue
        yield FindingDraft(
            severity="warning",
            message=f"the @id {clip(node.id or '')} stands for {node.types[0]} here and for {head.types[0]} elsewhere",
            hint="give each item an @id of its own",
            node=node,
            span=node.block.span(node, "@id"),
            related=((f"the {head.types[0]}", (head, None, None, "node")),),
        )


def _related(one: str, two: str, vocabulary: Vocabulary) -> bool:
    """Have two types a common ancestor below Thing, or is one of them Thing?"""
    if one not in vocabulary.types or two not in vocabulary.types or "Thing" in (one, two):
        return True
    return bool(vocabulary.ancestors(one) & vocabulary.ancestors(two) - {"Thing"})
