"""Term was removed from schema.org.

Terms in the attic are kept for the record only; consumers do not read them. For a term with a successor the rule
is `superseded-property` or `superseded-type`.
Source: https://attic.schema.org/ and schema.org release 30.1, read 2026-11-28.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.registry import Registry
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_kinds import KINDS

AUTHORITY = "vocabulary"
SEVERITY = "warning"
APPLIES_TO = frozenset({"*"})


def concerns(registry: Registry, types: tuple[str, ...], names: tuple[str, ...]) -> bool:
    known = registry.vocabulary.types
    return not KINDS.attic.isdisjoint(names) or any((term := known.get(name)) and term.l == "attic" for name in types)


def check(item: Item) -> Iterator[FindingDraft]:
    vocabulary = item.context.registry.vocabulary
    for name in item.node.types:
        term = vocabulary.types.get(name)
        # A type with a successor is reported by superseded-type.
        if term is not None and term.l == "attic" and not term.s:
            yield item.of_type(name).warning(
                None, f"the type {name} was withdrawn from schema.org", "leave it out", part="type"
            )
    for name in item.node.props.keys() & KINDS.attic:
        yield item.warning(name, f"the property {name} was withdrawn from schema.org", "leave it out", part="key")
