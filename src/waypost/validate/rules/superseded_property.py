"""Deprecated property.

The old name still exists for old pages, but new readers expect the new name, and some consumers read nothing else.
Where the old and the new property take the same values, renaming is safe. `menu` is ignored because Google's page
for local businesses still asks for it by that name.
Source: schema.org release 30.1 (supersededBy), read 2026-11-28.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.text import join_words
from waypost.registry.vocabulary import Vocabulary
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_kinds import KINDS, rename_edits

AUTHORITY = "vocabulary"
SEVERITY = "warning"
APPLIES_TO = frozenset({"*"})
PROPERTIES = KINDS.superseded - {"menu"}


def check(item: Item) -> Iterator[FindingDraft]:
    vocabulary = item.context.registry.vocabulary
    for name in item.node.props.keys() & PROPERTIES:
        successors = _successors(vocabulary, name)
        # A rename is safe only if the successor takes every kind of value that the old one took.
        safe = len(successors) == 1 and _takes_the_same(vocabulary, name, successors[0])
        edits = rename_edits(item, name, name, successors[0]) if safe and successors[0] not in item.node.props else ()
        yield item.warning(
            name,
            f"{name} has been superseded by {join_words(successors, 'or')}",
            f"use {join_words(successors, 'or')}",
            part="key",
            edits=edits,
        )


def _successors(vocabulary: Vocabulary, name: str) -> tuple[str, ...]:
    """Current successors of a property, through successors that were superseded too."""
    found: tuple[str, ...] = (name,)
    # A limit, should two terms ever name each other.
    for _ in range(5):
        terms = {name: vocabulary.properties.get(name) for name in found}
        further = tuple(late for name, term in terms.items() for late in (term.s if term and term.s else (name,)))
        if further == found:
            break
        found = further
    return found


def _takes_the_same(vocabulary: Vocabulary, old: str, new: str) -> bool:
    ranges = vocabulary.properties[old].r
    if not ranges or new not in vocabulary.properties:
        return False
    taken = vocabulary.properties[new].r
    return all(name in taken for name in ranges)
