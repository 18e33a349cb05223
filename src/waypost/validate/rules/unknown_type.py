"""Unknown type.

A consumer skips the entire item of an unknown type, with all its properties. It is an error where the name is a typing
mistake (`Recipie`) that costs a rich result, or where a rich result needs the item. The vocabulary that waypost has is
a snapshot: a name near no other may be newer, so that is a warning with the release and its date, and the table
`[vocabulary]` of waypost.toml lists further names. Types of other vocabularies, written as an IRI or with a prefix, are
ignored. A type in the wrong letter case is `type-wrong-case`.
Source: schema.org release 30.1, https://schema.org/docs/full.html, read 2026-11-28.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.text import clip
from waypost.registry import Registry
from waypost.validate.item import FindingDraft, Item
from waypost.validate.profiles.costs import costs_result
from waypost.validate.value_kinds import did_you_mean, end_of, may_be_defined_elsewhere, nearest

AUTHORITY = "vocabulary"
SEVERITY = "error"
APPLIES_TO = frozenset({"*"})


def concerns(registry: Registry, types: tuple[str, ...], _names: tuple[str, ...]) -> bool:
    known = registry.vocabulary.types
    return any(name not in known for name in types)


def check(item: Item) -> Iterator[FindingDraft]:
    vocabulary, types = item.context.registry.vocabulary, item.node.types
    is_alone = not any(name in vocabulary.types for name in types)
    for name in types:
        # A prefixed name is of another vocabulary.
        if name in vocabulary.types or ":" in name or not name.strip() or name in item.context.also:
            continue
        stated = item.of_type(name)
        if may_be_defined_elsewhere(stated):
            continue
        message = f"schema.org has no type {clip(name)!r}"
        intended = nearest(vocabulary, "types", name)
        if name in vocabulary.members:
            hint = f"it is a value of {', '.join(vocabulary.members[name].t)}: use it as a property's value"
        elif "," in name and all(part.strip() in vocabulary.types for part in name.split(",")):
            intended = tuple(part.strip() for part in name.split(","))
            hint = "write several types as a list of strings, one type each"
        elif known := did_you_mean(intended, name):
            hint = known
        else:
            message = f"the type {clip(name)!r} is not in schema.org {vocabulary.release} of {vocabulary.date}"
            hint = did_you_mean(end_of(vocabulary, name), name) or TAKE_ANOTHER
        is_costly = is_alone and bool(intended) and costs_result(item.context, item.node, intended)
        yield (stated.error if is_costly else stated.warning)(None, message, hint, part="type")


TAKE_ANOTHER = "take a type from https://schema.org/docs/full.html, or list it under [vocabulary] in waypost.toml"
