"""What the vocabulary allows where: the properties by the kind of their values, and whether two things go together.

The lists are made by `tools/make_kinds.py`; the answers are remembered per vocabulary and pair of names.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import msgspec

from waypost.models.finding import Severity
from waypost.models.page import Node, Span
from waypost.registry.vocabulary import DATA_TYPES, Vocabulary
from waypost.validate.item import Item

_FILE = Path(__file__).resolve().parent.parent / "data" / "kinds.json"


class ValueKinds(msgspec.Struct, frozen=True):
    """Properties whose values are of one plain kind only, and those that should no longer be used.

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


KINDS = msgspec.json.decode(_FILE.read_bytes(), type=ValueKinds)


@lru_cache(maxsize=8192)
def is_property_of(vocabulary: Vocabulary, types: tuple[str, ...], prop: str) -> bool:
    """Does the vocabulary name the property for one of the types, for what they descend from, or for a subtype?

    A type that is more general than it could be is no fault of its properties. A type that nobody knows,
    or that is not of schema.org, may have any.
    """
    term = vocabulary.properties.get(prop)
    if term is None or not term.d:
        return True
    if prop in vocabulary.properties_of(types) or any(name not in vocabulary.types for name in types):
        return True
    return any(vocabulary.is_a(domain, name) for domain in term.d for name in types)


@lru_cache(maxsize=8192)
def may_be_value_of(vocabulary: Vocabulary, types: tuple[str, ...], prop: str) -> bool:
    """May a thing of these types be a value of the property? A more general type may; so may a Role."""
    term = vocabulary.properties.get(prop)
    if term is None:
        return True
    wanted = [name for name in term.r if name not in DATA_TYPES]
    if not wanted or not types or any(name not in vocabulary.types for name in types):
        return True
    return any(
        vocabulary.is_a(name, other) or vocabulary.is_a(other, name) for name in types for other in (*wanted, "Role")
    )


def holders(node: Node, most: int = 50) -> Iterable[tuple[Node, str]]:
    """The (node, property) pairs that hold this node, by nesting or by reference."""
    if node.parent is not None and node.via is not None and not node.reverse:
        yield node.parent, node.via
    yield from node.referrers[:most]


def may_be_defined_elsewhere(item: Item) -> bool:
    """Does the node's script name a further context, not fetched, that could define what schema.org does not?"""
    block = item.node.block
    return block.syntax == "json-ld" and any(
        read_error.rule == "jsonld-remote-context" and read_error.block == block.index
        for read_error in item.context.page.read_errors[:200]
    )


def is_value_of(node: Node, prop: str) -> bool:
    """Is the node a value of this property of any node?"""
    return any(via == prop for _, via in holders(node))


# What a consumer demands of a type: a value that cannot be read there costs the rich result.
_DEMANDED = {
    "startDate": frozenset({"Event"}),
    "datePosted": frozenset({"JobPosting"}),
    "uploadDate": frozenset({"VideoObject"}),
    "datePublished": frozenset({"SocialMediaPosting"}),
    "dateCreated": frozenset({"Movie"}),
    "ratingValue": frozenset({"AggregateRating", "Rating"}),
    "ratingCount": frozenset({"AggregateRating"}),
    "reviewCount": frozenset({"AggregateRating"}),
}


def severity_of_unreadable(item: Item, prop: str) -> Severity:
    """Of an unreadable value: error where the property is demanded of the node's type, else warning."""
    types = _DEMANDED.get(prop)
    demanded = types is not None and item.context.registry.vocabulary.are_a(item.node.types, types)
    return "error" if demanded else "warning"


_MOST_EDITS = 200


@lru_cache(maxsize=8)
def _index(vocabulary: Vocabulary, kind: str) -> dict[str, list[str]]:
    """A name with one letter left out, or whole -> the names that it comes from."""
    index: dict[str, list[str]] = {}
    for name in getattr(vocabulary, kind):
        for shorter in _shorter(name.casefold()):
            index.setdefault(shorter, []).append(name)
    return index


def _shorter(text: str) -> set[str]:
    return {text, *(text[:n] + text[n + 1 :] for n in range(len(text)))}


@lru_cache(maxsize=4096)
def nearest(vocabulary: Vocabulary, kind: str, name: str) -> tuple[str, ...]:
    """At most two names of "types", "properties" or "members" that are one slip away from `name`.

    A slip is a letter too many, missing, wrong or swapped; letter case and separators count for nothing.
    Looked up, never compared one by one: a page with ten thousand wrong names costs no more than one right one.
    """
    folded = "".join(c for c in name.casefold() if c not in " _-.")
    if not 3 <= len(folded) <= 60:
        return ()
    index = _index(vocabulary, kind)
    if folded in index and (whole := [other for other in index[folded] if other.casefold() == folded]):
        return tuple(whole[:2])
    found = {other: None for shorter in sorted(_shorter(folded)) for other in index.get(shorter, ())}
    return tuple(sorted(found, key=lambda other: (abs(len(other) - len(folded)), other))[:2])


def did_you_mean(names: Iterable[str]) -> str | None:
    """A hint that names what was probably meant, None when nothing is near."""
    found = " or ".join(names)
    return f"did you mean {found}?" if found else None


def rename_edits(item: Item, prop: str | None, old: str, new: str) -> tuple[tuple[Span, str], ...]:
    """Edits that put a new name where `old` is written: in a property's key, or in the node's type when `prop` is None.

    Only the name itself is replaced, so a prefix or an IRI in front of it stays; a property that is written once
    for each of its values is renamed everywhere. Nothing when a name is not found exactly once where it should be.
    """
    page, node = item.context.page, item.node
    if prop is None:
        spans = {page.span_of(node, None, None, "type")}
    else:
        spans = {page.span_of(node, prop, index, "key") for index in range(min(len(node.props[prop]), _MOST_EDITS))}
    edits = []
    for span in sorted(spans):
        written = page.source_text(*span)
        if written.count(old) != 1 or len(node.props.get(prop or "", ())) > _MOST_EDITS:
            return ()
        start = span.start + written.index(old)
        edits.append((Span(start, start + len(old)), new))
    return tuple(edits)
