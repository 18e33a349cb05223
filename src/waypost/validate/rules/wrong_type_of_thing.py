"""Object of the wrong type.

A consumer that expects an Offer and finds a Product, or expects a Place and finds a Person, drops the value. A text
is accepted wherever an item is expected, a more general type is accepted too, but not Thing, the type of everything;
and a Role may stand in front of the real value. Items without a type, or of other vocabularies, are ignored.
Source: schema.org release 30.1 (rangeIncludes) and https://schema.org/docs/datamodel.html, read 2026-11-28.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from waypost.formats.text import join_words
from waypost.registry.vocabulary import DATA_TYPES, Vocabulary
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_kinds import holders, may_be_value_of

AUTHORITY = "vocabulary"
SEVERITY = "warning"
APPLIES_TO = frozenset({"*"})


def check(item: Item) -> Iterable[FindingDraft]:
    node = item.node
    if not node.types or (node.parent is None and not node.referrers):
        return ()
    vocabulary = item.context.registry.vocabulary
    # The usual case, a nested node that fits, without a generator.
    if not node.referrers and (node.via is None or may_be_value_of(vocabulary, node.types, node.via)):
        return ()
    return _misfits(item, vocabulary)


def _misfits(item: Item, vocabulary: Vocabulary) -> Iterator[FindingDraft]:
    node = item.node
    for holder, prop in holders(node):
        if holder.foreign or may_be_value_of(vocabulary, node.types, prop):
            continue
        expected = [name for name in vocabulary.properties[prop].r if name not in DATA_TYPES]
        displayed = join_words(expected[:4], "or") if len(expected) <= 4 else f"{', '.join(expected[:4])} and others"
        owner = " and ".join(holder.types) or "the item"
        message = f"{prop} of {owner} has an object of type {item.name}"
        hint = f"{prop} expects {displayed}"
        # A list of thousands would be searched for each of its values.
        values = islice(holder.props.get(prop, ()), MOST_CHECKED)
        index = next((n for n, value in enumerate(values) if value is node), 0)
        yield FindingDraft(severity="warning", node=holder, prop=prop, index=index, message=message, hint=hint)


MOST_CHECKED = 1000
