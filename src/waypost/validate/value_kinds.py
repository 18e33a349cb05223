"""Value kinds: properties by the kind of value, and the types and properties allowed together by the vocabulary.

`tools/make_kinds.py` makes the lists; results are cached per vocabulary and pair of names.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import msgspec

from waypost.formats.text import one_letter_less
from waypost.models.page import Node, Span
from waypost.registry.vocabulary import DATA_TYPES, Vocabulary
from waypost.validate.item import Item

_FILE = Path(__file__).resolve().parent.parent / "data" / "kinds.json"


class ValueKinds(msgspec.Struct, frozen=True):
    """Properties with values of a single plain kind, and outdated properties.

    date: a date or date and time. time: also a time of day alone. attic: without a successor.
    """

    date: frozenset[str]
    time: frozenset[str]
    number: frozenset[str]
    integer: frozenset[str]
    boolean: frozenset[str]
    url: frozenset[str]
    duration: frozenset[str]
    enumeration: frozenset[str]
    superseded: frozenset[str]
    attic: frozenset[str]


KINDS: ValueKinds = msgspec.json.decode(_FILE.read_bytes(), type=ValueKinds)
LINKS = frozenset({"acquireLicensePage", "hasPart", "inCodeSet", "isPartOf", "license", "menu", "usageInfo", "video"})
"""Properties whose texts are addresses, although the vocabulary also allows a name or an object."""


def is_property_of(vocabulary: Vocabulary, types: tuple[str, ...], prop: str) -> bool:
    """Does the vocabulary allow the property for a type of `types`, for an ancestor or for a subtype?

    Subtypes count because a too general type is not an error of the properties. An unknown type, or a type of another
    vocabulary, may have any property.
    """
    term = vocabulary.properties.get(prop)
    if term is None or not term.d:
        return True
    if prop in vocabulary.properties_of(types) or any(name not in vocabulary.types for name in types):
        return True
    return any(vocabulary.is_a(domain, name) for domain in term.d for name in types)


@lru_cache(maxsize=8192)
def may_be_value_of(vocabulary: Vocabulary, types: tuple[str, ...], prop: str) -> bool:
    """May a node with `types` be a value of the property? A more general type may, except Thing; a Role may."""
    term = vocabulary.properties.get(prop)
    if term is None:
        return True
    # Properties of plain values alone are the subject of `thing-where-value-expected`.
    expected = [name for name in term.r if name not in DATA_TYPES]
    if not expected or not types or any(name not in vocabulary.types for name in types):
        return True
    if types == ("Thing",):
        return "Thing" in expected  # says no more than that it is something
    return any(
        vocabulary.is_a(name, other) or vocabulary.is_a(other, name) for name in types for other in (*expected, "Role")
    )


def holders(node: Node) -> Iterable[tuple[Node, str]]:
    """(node, property) pairs of the holders of a node, by nesting or by reference."""
    if node.parent is not None and node.via is not None and not node.reverse:
        yield node.parent, node.via
    # A node may be referred to from each of thousands of others.
    yield from node.referrers[:50]


def may_be_defined_elsewhere(item: Item, prop: str | None = None) -> bool:
    """Does the script of the node, or of a property, name a remote context, never fetched, which could define it?"""
    block = item.context.page.source_of(item.node, prop, None)[0].block
    return block.syntax == "json-ld" and any(
        read_error.rule == "jsonld-remote-context" and read_error.block == block.index
        for read_error in item.context.page.read_errors[:200]
    )


def is_value_of(node: Node, prop: str) -> bool:
    """Is the node a value of the property of any node?"""
    return any(via == prop for _, via in holders(node))


_MOST_EDITS = 200


@lru_cache(maxsize=256)
def _index(vocabulary: Vocabulary, kind: str, length: int) -> dict[str, list[str]]:
    """Name with a letter left out, or complete -> the original names, of names with a length."""
    index: dict[str, list[str]] = {}
    for name in _by_length(vocabulary, kind).get(length, ()):
        for shorter in set(one_letter_less(name.casefold())):
            index.setdefault(shorter, []).append(name)
    return index


@lru_cache(maxsize=8)
def _by_length(vocabulary: Vocabulary, kind: str) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for name in getattr(vocabulary, kind):
        found.setdefault(len(name.casefold()), []).append(name)
    return found


@lru_cache(maxsize=4096)
def nearest(vocabulary: Vocabulary, kind: str, name: str) -> tuple[str, ...]:
    """At most two names of "types", "properties" or "members" within a single typing error of `name`.

    A typing error is a letter too many, missing, wrong or swapped; letter case and separators are ignored. An index
    makes the cost independent of the size of the vocabulary: a page may have ten thousand wrong names. It is made for
    each length of names when it is first needed: most runs meet few wrong names.
    """
    folded = "".join(c for c in name.casefold() if c not in " _-.")
    # Shorter names have a neighbour by chance, longer ones are not names of the vocabulary.
    if not 3 <= len(folded) <= 60:
        return ()
    alike = _index(vocabulary, kind, len(folded)).get(folded, ())
    # Names that differ in letter case alone: `Name` is `name`, whatever else is near.
    if whole := [other for other in alike if other.casefold() == folded]:
        return tuple(whole[:2])
    lengths = range(len(folded) - 1, len(folded) + 2)
    found = {
        other: None
        for shorter in sorted(set(one_letter_less(folded)))
        for length in lengths
        for other in _index(vocabulary, kind, length).get(shorter, ())
    }
    return tuple(sorted(found, key=lambda other: (abs(len(other) - len(folded)), other))[:2])


def end_of(vocabulary: Vocabulary, name: str) -> tuple[str, ...]:
    """Longest type with which an invented name ends: Festival for MusicFestival."""
    ends = (name[start:] for start in range(1, len(name)) if name[start].isupper())
    return next(((end,) for end in ends if end in vocabulary.types), ())


def did_you_mean(names: Iterable[str], written: str) -> str | None:
    """Hint with the names probably intended instead of the one written, `None` without names."""
    if written != written.strip():
        return "remove the spaces around it"
    found = " or ".join(names)
    return f"did you mean {found}?" if found else None


def rename_edits(item: Item, prop: str | None, old: str, new: str) -> tuple[tuple[Span, str], ...]:
    """Edits to replace the name `old` by `new`: in the key of a property, or without `prop` in the node's type.

    A prefix or an IRI in front of the name stays. A key repeated per value is renamed everywhere. Empty if a key does
    not contain the name exactly once.
    """
    page, node = item.context.page, item.node
    if prop is None:
        spans = {page.span_of(node, None, None, "type")}
    else:
        spans = {page.span_of(node, prop, index, "key") for index in range(min(len(node.props[prop]), _MOST_EDITS))}
    edits = []
    for span in sorted(spans):
        written = page.source_text(*span)
        # Ambiguous: a wrong edit is worse than none.
        if written.count(old) != 1 or len(node.props.get(prop or "", ())) > _MOST_EDITS:
            return ()
        start = span.start + written.index(old)
        edits.append((Span(start, start + len(old)), new))
    return tuple(edits)
