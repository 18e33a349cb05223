"""Property is empty.

Consumers treat a property with an empty text or an object without content as missing, so an empty required
property makes the item fail. Templates print empty values for empty fields: where no rich result of the item requires
or recommends the property, that is information only, as are a JSON null and an empty list, which are read as absent.
In HTML the value may also stand in the wrong attribute: a `meta` is read from `content` and never from `value`, an
`img` from `src` and never from `data-src`. Siblings with the same gap make a single finding. An empty text next to
other values of its property is information.
Source: https://www.w3.org/TR/json-ld11/#terms-imported-from-other-specifications, HTML Standard (5.2.4) and own
measurement, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.patterns import pattern
from waypost.formats.text import join_words
from waypost.models.page import Node, is_present
from waypost.validate.item import FindingDraft, Item, RuleContext, describe

AUTHORITY = "waypost"
SEVERITY = "warning"
SIGN = "empty"
FILL_IN = "fill in what is empty, or leave out what is not needed"
MOST_NAMED = 6
_LONGEST_PATH = 4


def check_page(context: RuleContext) -> Iterator[FindingDraft]:
    for node in context.nodes_by_sign.get(SIGN, ()):
        yield from _of_node(node, context)


def _of_node(node: Node, context: RuleContext) -> Iterator[FindingDraft]:
    expected, others = _empty_properties(node, context)
    item = Item(node, context)
    for names, report in ((expected, item.warning), (others, item.info)):
        hint = hint_of(node, names[0], context) if names else FILL_IN
        if names and not (hint == FILL_IN and _is_in_empty_required(node, context)):
            displayed = (
                join_words(names[:MOST_NAMED])
                if len(names) <= MOST_NAMED
                else f"{', '.join(names[:MOST_NAMED])} and others"
            )
            verb = "is" if len(names) == 1 else "are"
            above = _above(node)
            if above:
                displayed = f"{above}.{displayed}" if len(names) == 1 else f"{displayed} of {above}"
            about = (describe(node.parent or node), node.via or "", *sorted(names))
            yield report(names[0], f"{displayed} {verb} empty", hint, about=about)
    for prop, values in node.props.items():
        blank = [index for index, value in enumerate(values) if isinstance(value, str) and not is_present(value)]
        blank = [index for index in blank if context.page.lazy_image(node, prop, index) is None]
        if blank and any(is_present(value) for value in values):
            verb = "is" if len(blank) == 1 else "are"
            path = f"{_above(node)}.{prop}" if _above(node) else prop
            yield item.info(
                prop, f"{len(blank)} of {len(values)} values of {path} {verb} empty", "leave out what is empty",
                index=blank[0], about=(describe(node.parent or node), node.via or "", prop, "one of several"),
            )  # fmt: skip


def _above(node: Node) -> str:
    """Path to a nested node from its item, as in review.author; empty for an item."""
    names: list[str] = []
    while node.parent is not None and node.via and len(names) < _LONGEST_PATH:
        names.append(node.via)
        node = node.parent
    return ".".join(reversed(names))


def _is_in_empty_required(node: Node, context: RuleContext) -> bool:
    """Is a node part of an empty object that a rich result requires? A profile reports that object."""
    while node.hollow and node.parent is not None and node.via:
        if context.is_empty_required(node.parent, node.via):
            return True
        node = node.parent
    return False


def _empty_properties(node: Node, context: RuleContext) -> tuple[list[str], list[str]]:
    """Properties without a value that a rich result recommends or that a tag holds elsewhere, and the others."""
    expected: list[str] = []
    others: list[str] = []
    for prop, values in node.props.items():
        if context.is_empty_required(node, prop) or any(
            context.page.lazy_image(node, prop, index) is not None for index in range(len(values))
        ):
            continue
        if any(isinstance(value, Node) and value.props for value in values):
            continue  # what is empty stands in the object
        # An <input> stands for a text that people will type.
        if not prop.endswith("-input") and not any(is_present(value) for value in values):
            is_absent = all(value is None for value in values)
            (expected if not is_absent and _is_expected(node, prop, context) else others).append(prop)
    return expected, others


def _is_expected(node: Node, prop: str, context: RuleContext) -> bool:
    """Does a rich result recommend the property or the empty object around it, or is its tag written wrongly?"""
    if hint_of(node, prop, context) != FILL_IN:
        return True
    while not context.is_empty_recommended(node, prop):
        via = node.via
        if not node.hollow or node.parent is None or not via:
            return False
        node, prop = node.parent, via
    return True


# Attributes from which HTML reads the value of a tag.
READ_FROM = {
    "meta": "content", "img": "src", "audio": "src", "video": "src", "source": "src", "embed": "src", "iframe": "src",
    "track": "src", "a": "href", "area": "href", "link": "href", "object": "data", "data": "value", "meter": "value",
}  # fmt: skip
WRITTEN_INSTEAD = ("value", "data-src", "content", "src", "href")
TAG = pattern(r"<([a-zA-Z]+)")
_LONGEST_TAG = 20


def hint_of(node: Node, prop: str, context: RuleContext) -> str:
    """Cause of an empty Microdata value: the tag lacks the attribute that HTML reads."""
    if node.block.syntax == "microdata":
        span = context.page.span_of(node, prop)
        tag = TAG.match(context.page.source_text(span.start, span.start + _LONGEST_TAG))
        if tag and tag[1].lower() in READ_FROM:
            attribute = READ_FROM[tag[1].lower()]
            written = context.page.source_text(*span)
            if f"{attribute}=" in written:
                return FILL_IN  # an element inside, or an attribute that is empty
            other = next((name for name in WRITTEN_INSTEAD if f" {name}=" in written), None)
            return f"the value of <{tag[1]}> is read from {attribute}" + (f", not from {other}" if other else "")
    return FILL_IN
