"""Places one step around a node where a value that a rich result misses may stand.

Searched only for a requirement that is missed: in the node under another name, in the node that holds it, in an object
of the node, in a node of the page that nothing links to.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from waypost.models.page import Node
from waypost.registry.vocabulary import DATA_TYPES, Vocabulary
from waypost.validate.item import RuleContext
from waypost.validate.profiles.model import Gap
from waypost.validate.profiles.nodes import holders
from waypost.validate.value_kinds import is_property_of

# Object that may hold a property -> property with such an object; before the other ranges of that property.
HOLDERS = {
    "Offer": "offers", "AggregateRating": "aggregateRating", "NutritionInformation": "nutrition",
    "PostalAddress": "address", "GeoCoordinates": "geo",
}  # fmt: skip
_MOST_NODES = 200
_TOO_GENERAL = frozenset({"Thing", "Intangible", "CreativeWork", "StructuredValue", "Enumeration"})


class Place(NamedTuple):
    """Where the value stands, and what to do.

    misplaced  (node, property) of properties that are not of the node's type: the rule about them reports the gap.
    apart      item of the page that would be the value.
    """

    hint: str
    misplaced: tuple[tuple[Node, str], ...] = ()
    apart: Node | None = None
    related: tuple[tuple[str, Any], ...] = ()


def place_of(context: RuleContext, gap: Gap) -> Place | None:
    """Place of the value that a gap misses, None for a value that is nowhere near."""
    if gap.kind != "missing" or gap.of_holder:
        return None
    node, names = gap.node, names_at(gap.node, gap.local_path)
    vocabulary = context.registry.vocabulary
    for find in (_on_the_node, _on_the_holder, _in_an_object, _under_another_name, _apart):
        for name in names:
            place = find(context, vocabulary, node, name)
            if place is not None:
                return place
    return None


def names_at(node: Node, path: str) -> tuple[str, ...]:
    """First property of each alternative of a path, seen from the node: addressCountry for an address that lacks it."""
    return _names_seen_from(node.via if node.via and node.via in path else "", path)


@lru_cache(maxsize=4096)
def _names_seen_from(via: str, path: str) -> tuple[str, ...]:
    found: list[str] = []
    for group in path.split("|"):
        for part in group.split(" with "):
            steps = part.split(".")
            found.append(steps[steps.index(via) + 1] if via in steps[:-1] else steps[0])
    return tuple(dict.fromkeys(found))


def _on_the_node(_: RuleContext, vocabulary: Vocabulary, node: Node, name: str) -> Place | None:
    """A property of the missing object on the node itself, as the price of a product without offers."""
    own = [prop for prop in islice(node.props, _MOST_NODES) if _is_misplaced(vocabulary, node, prop)]
    if not own or name not in vocabulary.properties:
        return None
    ranges = [owner for owner, prop in HOLDERS.items() if prop == name]
    ranges += [kind for kind in vocabulary.properties[name].r if kind not in DATA_TYPES and kind not in ranges]
    for owner in ranges:
        if of_owner := [prop for prop in own if prop in vocabulary.properties_of((owner,))]:
            return Place(f"put it into {name}, in an object of type {owner}", tuple((node, prop) for prop in of_owner))
    return None


def _on_the_holder(_: RuleContext, vocabulary: Vocabulary, node: Node, name: str) -> Place | None:
    for holder, via in islice(holders(node), _MOST_NODES):
        if not holder.foreign and holder.get(name) is not None and _is_misplaced(vocabulary, holder, name):
            owner = " and ".join(node.types) or "object"
            return Place(f"move it into {via}, to the {owner} that is there", ((holder, name),))
    return None


def _in_an_object(context: RuleContext, vocabulary: Vocabulary, node: Node, name: str) -> Place | None:
    usual = context.registry.other_names.misplaced.get(name)
    owner = " and ".join(node.types) or "item"
    for prop, inner in _objects(node):
        if inner.get(name) is None:
            continue
        if _is_misplaced(vocabulary, inner, name):
            return Place(f"move it out of {prop}, to the {owner}", ((inner, name),))
        if prop == usual:
            return Place(f"{name} stands inside {prop}: move it out, to the {owner}")
    return None


def _under_another_name(context: RuleContext, vocabulary: Vocabulary, node: Node, name: str) -> Place | None:
    for other in context.registry.other_names.properties.get(name, ()):
        if other == "@id":
            if node.id and node.block.syntax == "json-ld" and not node.id.startswith("_:"):
                return Place(f"the address stands in @id: write it as {name} too")
        elif _is_misplaced(vocabulary, node, other):
            return Place(f"write it as {name}", ((node, other),))
        elif node.get(other) is not None:
            return Place(f"{other} is there: if that is the {name}, write it as {name} too")
    return None


def _apart(context: RuleContext, vocabulary: Vocabulary, node: Node, name: str) -> Place | None:
    """The single item of the page that could be the value, and that nothing links to."""
    kinds = context.registry.other_names.apart.get(name, ())
    if not kinds and name in vocabulary.properties:
        kinds = vocabulary.properties[name].r
    types = frozenset(kind for kind in kinds if kind not in DATA_TYPES and kind not in _TOO_GENERAL)
    if not types:
        return None
    roots = islice(context.page.roots, _MOST_NODES)
    found = [root for root in roots if root is not node and _may_be(vocabulary, root, types) and not _holds(root, node)]
    if len(found) != 1:
        return None
    kind = " and ".join(found[0].types)
    where = ((f"the {kind}", (found[0], None, None, "node")),)
    if node.block.syntax == "json-ld" and found[0].id and not found[0].id.startswith("_:"):
        return Place(
            f'the {kind} is on the page: write "{name}": {{"@id": "{found[0].id}"}}', apart=found[0], related=where
        )
    return Place(f"the {kind} stands apart on the page: put it into {name}", apart=found[0], related=where)


def _may_be(vocabulary: Vocabulary, node: Node, types: frozenset[str]) -> bool:
    return not (node.foreign or node.reference) and bool(node.props) and vocabulary.are_a(node.types, types)


def _holds(root: Node, node: Node) -> bool:
    """Does a root hold the node?"""
    for _ in range(_MOST_NODES):
        if node.parent is None:
            return False
        node = node.parent
        if node is root:
            return True
    return False


def _objects(node: Node) -> Iterator[tuple[str, Node]]:
    pairs = ((prop, value) for prop, values in node.props.items() for value in values if isinstance(value, Node))
    return islice(pairs, _MOST_NODES)


def _is_misplaced(vocabulary: Vocabulary, node: Node, name: str) -> bool:
    """Is a present property of schema.org not one of the node's types? `property-not-of-type` reports it."""
    is_known = name in vocabulary.properties and bool(node.types) and node.get(name) is not None
    return is_known and "additionalType" not in node.props and not is_property_of(vocabulary, node.types, name)
