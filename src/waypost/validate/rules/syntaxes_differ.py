"""Two syntaxes of one page contradict each other.

A page may describe one product in JSON-LD and again in Microdata or RDFa, as where a plugin and a theme both write it.
If the two have different prices, availabilities or ratings, a search engine takes one of them, perhaps the wrong one.
Products of one name are compared; prices and ratings as numbers, so that 10 and 10.00 are equal.
Source: https://developers.google.com/search/docs/appearance/structured-data/sd-policies (accuracy), read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.numbers import number
from waypost.formats.text import clip
from waypost.models.page import Node, Value
from waypost.validate.item import FindingDraft, Item, RuleContext
from waypost.validate.profiles.nodes import text_of

AUTHORITY = "google"
SEVERITY = "info"
_PRODUCT = frozenset({"Product"})
_PATHS = (("offers", "price"), ("offers", "availability"), ("aggregateRating", "ratingValue"))
_SYNTAXES = {"json-ld": "JSON-LD", "microdata": "Microdata", "rdfa": "RDFa"}
_MOST_COMPARED = 200


def check_page(context: RuleContext) -> Iterator[FindingDraft]:
    roots = context.page.roots[:_MOST_COMPARED]
    if len({root.block.syntax for root in roots}) < 2:
        return
    firsts: dict[str, Node] = {}
    for root in roots:
        name = root.get("name")
        if root.foreign or not isinstance(name, str) or not context.registry.vocabulary.are_a(root.types, _PRODUCT):
            continue
        first = firsts.setdefault(name.strip(), root)
        if first.block.syntax != root.block.syntax:
            yield from _differences(context, first, root)


def _differences(context: RuleContext, first: Node, second: Node) -> Iterator[FindingDraft]:
    for via, prop in _PATHS:
        one, other = next(first.nodes(via), None), next(second.nodes(via), None)
        if one is None or other is None:
            continue
        before, after = one.get(prop), other.get(prop)
        if before is not None and after is not None and _is_other(before, after):
            syntax = _SYNTAXES[first.block.syntax]
            yield Item(other, context).info(
                prop,
                f"{via}.{prop} is {clip(str(text_of(after)))!r} here and {clip(str(text_of(before)))!r} in {syntax}",
                "make both the same, or leave one of the two descriptions out",
                related=((f"the product in {syntax}", (one, prop)),),
            )


def _is_other(one: Value, other: Value) -> bool:
    """Are both of one kind, and different?"""
    if isinstance(one, Node) or isinstance(other, Node):
        return text_of(one) is not None and text_of(other) is not None and text_of(one) != text_of(other)
    before, after = number(one), number(other)
    if before is not None and after is not None:
        return before != after
    return before is None and after is None and text_of(one) != text_of(other)
