"""Unknown type.

A consumer skips the entire item of an unknown type, with all its properties; the cause is nearly always a typo of a
letter, or an invented name. Types of other vocabularies, written as an IRI or with a prefix, are ignored. A type
in the wrong letter case is `type-wrong-case`.
Source: schema.org release 30.0, https://schema.org/docs/full.html, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.text import clip
from waypost.registry import Registry
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_kinds import did_you_mean, end_of, may_be_defined_elsewhere, nearest

AUTHORITY = "vocabulary"
SEVERITY = "error"
APPLIES_TO = frozenset({"*"})


def concerns(registry: Registry, types: tuple[str, ...], _names: tuple[str, ...]) -> bool:
    known = registry.vocabulary.types
    return any(name not in known for name in types)


def check(item: Item) -> Iterator[FindingDraft]:
    vocabulary = item.context.registry.vocabulary
    for name in item.node.types:
        # A prefixed name is of another vocabulary.
        if name in vocabulary.types or ":" in name or not name.strip():
            continue
        if may_be_defined_elsewhere(item):
            return
        if name in vocabulary.members:
            hint = f"it is a value of {', '.join(vocabulary.members[name].t)}: use it as a property's value"
        elif "," in name and all(part.strip() in vocabulary.types for part in name.split(",")):
            hint = "write several types as a list of strings, one type each"
        else:
            hint = (
                did_you_mean(nearest(vocabulary, "types", name) or end_of(vocabulary, name), name)
                or "take a type from https://schema.org/docs/full.html"
            )
        yield item.error(None, f"schema.org has no type {clip(name)!r}", hint, part="type")
