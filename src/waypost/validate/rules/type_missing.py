"""Missing type.

Without `@type` no consumer knows the subject of the properties, and no rich result is possible. At the top of a
block nothing else names the subject; inside another node the property around it often does, and the finding is
only information. A mere reference (`{"@id": ...}`) needs no type.
Source: Google Search Central, introduction to structured data, and schema.org/docs/gs, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.text import join_words
from waypost.registry import Registry
from waypost.registry.vocabulary import DATA_TYPES
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "vocabulary"
SEVERITY = "warning"
APPLIES_TO = frozenset({"*"})


def concerns(_: Registry, types: tuple[str, ...], names: tuple[str, ...]) -> bool:
    return bool(names) and not types


def check(item: Item) -> Iterator[FindingDraft]:
    node = item.node
    if node.block.syntax != "json-ld":
        return
    properties = item.context.registry.vocabulary.properties
    known = [prop for prop in node.props if prop in properties]
    # Without a property of schema.org the object is of another vocabulary.
    if not known:
        return
    if node.parent is None and not node.referrers:
        yield item.warning(
            None, f"the object with {join_words(known[:3])} has no @type", f'add "@type"{_type_of_item(item, known)}'
        )
        return
    term = properties.get(node.via or "")
    fits = [name for name in term.r if name not in DATA_TYPES] if term else []
    # With a single possible type readers infer it.
    if len(fits) != 1:
        choice = f"one of {join_words(fits[:4], 'or')}" if fits else "the type of the item"
        yield item.info(None, f"the {node.via or 'node'} has no @type", f'add "@type": {choice}')


def _type_of_item(item: Item, known: list[str]) -> str:
    """End of the hint: the type to add, as far as the properties name it."""
    properties = item.context.registry.vocabulary.properties
    # A property that only one type has names it; every Thing has a name.
    owned = [(prop, properties[prop].d[0]) for prop in known if len(properties[prop].d) == 1]
    own = next((f": {prop} is a property of {owner}" for prop, owner in owned if owner != "Thing"), None)
    return own or " with the type of the item, such as Product or Organization"
