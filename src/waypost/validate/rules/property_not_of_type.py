"""Property does not belong to this type.

Consumers read a property where the vocabulary puts it: `recipeIngredient` on an Article, or `price` on a Product
instead of its Offer, is not read. Where a rich result misses the value by it, that is an error, and the hint says where
to put it. A property of a subtype is accepted on the general type, an item with several
types may have the properties of all of them (`additionalType` adds a type, as Microdata pages write it), and a
Role may repeat the property that holds the Role.
Source: schema.org release 30.1 (domainIncludes) and https://schema.org/additionalType, read 2026-11-28.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.text import join_words
from waypost.models.page import Node
from waypost.registry import Registry
from waypost.registry.vocabulary import Vocabulary, bare
from waypost.validate.item import FindingDraft, Item
from waypost.validate.profiles.nearby import HOLDERS
from waypost.validate.value_kinds import is_property_of, is_value_of

AUTHORITY = "vocabulary"
SEVERITY = "warning"
APPLIES_TO = frozenset({"*"})


# Google's product documentation reads `isbn` of a Product, where schema.org has it for Book alone.
AS_GOOGLE_READS = {"isbn": "Product"}


def concerns(registry: Registry, types: tuple[str, ...], names: tuple[str, ...]) -> bool:
    usual = registry.vocabulary.properties_of(types)
    return bool(types) and any(name not in usual for name in names)


def check(item: Item) -> Iterator[FindingDraft]:
    types = item.node.types + _added(item)
    vocabulary = item.context.registry.vocabulary
    props = item.node.props
    for name in props:
        # schema.org: a Role repeats the property that it stands in for.
        if is_property_of(vocabulary, types, name) or (item.is_a("Role") and is_value_of(item.node, name)):
            continue
        if name in AS_GOOGLE_READS and item.is_a(AS_GOOGLE_READS[name]):
            continue
        hint = item.context.hint_for(item.node, name) or _home(vocabulary, types, name)
        yield item.warning(name, f"{name} is not a property of {item.name}", hint, part="key")


def _home(vocabulary: Vocabulary, types: tuple[str, ...], name: str) -> str:
    """Hint where a property belongs: into an object that the item may have, else the types with the property."""
    owners = vocabulary.properties[name].d
    for owner, prop in HOLDERS.items():
        if owner in owners and is_property_of(vocabulary, types, prop):
            return f"put it into {prop}, in an object of type {owner}"
    displayed = join_words(owners[:3], "or") if len(owners) <= 3 else f"{', '.join(owners[:3])} and others"
    return f"it belongs to {displayed}"


def _added(item: Item) -> tuple[str, ...]:
    """Types of schema.org in `additionalType` of the node."""
    if "additionalType" not in item.node.props:
        return ()
    known = item.context.registry.vocabulary.types
    values = (value.id if isinstance(value, Node) else value for _, value in item.values("additionalType"))
    names = (bare(value) for value in values if isinstance(value, str) and len(value) < 200)
    return tuple(name for name in names if name is not None and name in known)
