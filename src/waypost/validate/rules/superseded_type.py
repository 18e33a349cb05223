"""Deprecated type.

The old name still exists for old pages; new features are defined on the new name.
Source: schema.org release 30.1 (supersededBy), read 2026-11-28.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.text import join_words
from waypost.registry import Registry
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_kinds import rename_edits

AUTHORITY = "vocabulary"
SEVERITY = "warning"
APPLIES_TO = frozenset({"*"})


def concerns(registry: Registry, types: tuple[str, ...], _names: tuple[str, ...]) -> bool:
    known = registry.vocabulary.types
    return any((term := known.get(name)) is not None and term.s for name in types)


def check(item: Item) -> Iterator[FindingDraft]:
    types = item.context.registry.vocabulary.types
    for name in item.node.types:
        term = types.get(name)
        if term is None or not term.s:
            continue
        only = term.s[0] if len(term.s) == 1 and term.s[0] in types else None
        stated = item.of_type(name)
        yield stated.warning(
            None,
            f"the type {name} has been superseded by {join_words(term.s, 'or')}",
            f"use {join_words(term.s, 'or')}",
            part="type",
            edits=rename_edits(stated, None, name, only) if only else (),
            safe=name in _SAME_PROPERTIES,
        )


# Types whose successor has every property they had; the others must be rewritten by hand.
_SAME_PROPERTIES = frozenset({"Code", "Season", "Taxi"})
