"""List item outside a list.

A ListItem is an entry of a list. Where nothing around it is a BreadcrumbList or an ItemList, search engines find
entries and no list, and so no trail: the element or object around them is missing, as where a theme prints the trail
of a plugin without the element around it. One finding covers the page. It is an error where the page has no other
list, and an entry has a position and a name or an address. An empty list next to the entries is reported at the list.
Source: https://developers.google.com/search/docs/appearance/structured-data/breadcrumb, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.page import Node
from waypost.validate.item import FindingDraft, Item, RuleContext

AUTHORITY = "google"
SEVERITY = "warning"
LISTS = frozenset({"BreadcrumbList", "ItemList"})


def check_page(context: RuleContext) -> Iterator[FindingDraft]:
    loose = outside_lists(context)
    if not loose:
        return
    vocabulary = context.registry.vocabulary
    lists = [node for node in context.page.nodes if not node.foreign and vocabulary.are_a(node.types, LISTS)]
    if any(node.get("itemListElement") is None for node in lists):
        return
    first = Item(loose[0], context)
    is_trail = any(node.get("position") is not None and _leads_somewhere(node) for node in loose)
    report = first.error if is_trail and not lists else first.warning
    message = (
        "this ListItem is outside a list, so it is the step of no trail"
        if len(loose) == 1
        else f"these {len(loose)} ListItems are outside a list, so they are the steps of no trail"
    )
    yield report(None, message, _HINTS[first.node.block.syntax], part="node", about=("outside a list",))


_HINTS = {
    "json-ld": "put them into itemListElement of an object of type BreadcrumbList",
    "microdata": 'add itemscope itemtype="https://schema.org/BreadcrumbList" to the element around them',
    "rdfa": 'add vocab="https://schema.org/" typeof="BreadcrumbList" to the element around them',
}


def outside_lists(context: RuleContext) -> list[Node]:
    """Items of the page that are entries of no list."""
    return [node for node in context.page.roots if "ListItem" in node.types and not node.foreign and node.props]


def _leads_somewhere(node: Node) -> bool:
    return any(node.get(name) is not None for name in ("item", "name", "url"))
