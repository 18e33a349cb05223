"""Gaps of an item against a profile: which of them count, and their words in messages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from waypost.formats.numbers import number
from waypost.formats.placeholders import is_unfilled
from waypost.formats.text import clip, join_words
from waypost.models.finding import Severity, result_name
from waypost.models.page import Node, Value, is_present
from waypost.validate.item import kind_of_place
from waypost.validate.profiles.model import Gap, Outcome
from waypost.validate.profiles.nodes import holders
from waypost.validate.profiles.profile_set import Feature

_MOST_NAMED = 3
_MOST_COMPARED = 200
_Key: TypeAlias = tuple[object, ...]


def gap_value(gap: Gap) -> Value:
    return gap.node.props[gap.prop or ""][gap.value_index or 0]


@lru_cache(maxsize=4096)
def first_names(path: str) -> tuple[str, ...]:
    """First property of each alternative of a path."""
    return tuple(part.partition(".")[0] for part in re.split(r" with |\|", path))


def is_empty(node: Node, prop: str) -> bool:
    """Does a property stand there with an empty text or object, for which `empty-value` warns?"""
    values = node.props.get(prop, [])
    return any(value is not None for value in values) and not any(map(is_present, values))


def empty_on_way(node: Node, names: list[str]) -> tuple[str, str] | None:
    """(kind of place, property) of a property on the way of a path that stands there empty.

    The path leads from the node, or from the item to the node and on.
    """
    starts = [0, *(number for number, name in enumerate(names, 1) if name == node.via)]
    return next(filter(None, (first_empty([node], names[start:]) for start in starts)), None)


def first_empty(nodes: list[Node], names: list[str]) -> tuple[str, str] | None:
    for name in names:
        if holder := next((node for node in nodes if is_empty(node, name)), None):
            return kind_of_place(holder), name
        nodes = [inner for node in nodes[:_MOST_COMPARED] for inner in node.nodes(name)]
    return None


def object_hint(gap: Gap) -> str | None:
    """Hint where a string stands in the place of the object that would have the missing property."""
    prop, dot, last = gap.local_path.partition("|")[0].partition(".")
    # Without the string: pages whose strings differ have one cause.
    is_string = bool(dot) and isinstance(gap.node.get(prop), str)
    return f"{prop} is a string: write it as an object with {last.partition('.')[0]}" if is_string else None


_INVERSES = {
    "mainEntity": "mainEntityOfPage", "offers": "itemOffered", "hasVariant": "isVariantOf", "hasPart": "isPartOf",
    "containsPlace": "containedInPlace", "subEvent": "superEvent",
}  # fmt: skip
"""Inverses of properties that profiles require, by schema.org's inverseOf, read 2026-11-28."""


def inverse_hint(gap: Gap) -> str | None:
    """Hint where another node states the missing property from its own side, which search engines do not turn round."""
    if gap.of_holder:
        return None
    for name in gap.local_path.split("|"):
        inverse = _INVERSES.get(name)
        holder = next((holder for holder, prop in holders(gap.node) if prop == inverse), None) if inverse else None
        if holder is None:
            continue
        kind = " and ".join(holder.types) or "item"
        why = f"the {kind} refers to it by {inverse} only"
        if holder.id is None or holder.block.syntax != "json-ld":
            return f"add {name} with the {kind}: {why}"
        return f'say "{name}": {{"@id": "{clip(holder.id)}"}}: {why}'
    return None


def is_unrated(gap: Gap) -> bool:
    """Is an empty value that of a rating with counts of 0, which `rating-count-zero` reports?"""
    counts = [number(gap.node.get(prop)) for prop in ("ratingCount", "reviewCount") if gap.node.get(prop) is not None]
    return "ratingValue" in gap.local_path and bool(counts) and all(count == 0 for count in counts)


def is_never_rated(gap: Gap) -> bool:
    """Does a rating of 0, which `rating-out-of-range` reports, lack the number of ratings?"""
    return "ratingCount" in gap.local_path and number(gap.node.get("ratingValue")) == 0


# What programs fill in by themselves, also in a block that no one has filled in.
_FILLED_BY_PROGRAMS = frozenset(
    {"image", "logo", "url", "inLanguage", "isPartOf", "mainEntityOfPage", "publisher", "datePublished", "dateModified"}
)


def empty_texts(node: Node, gaps: Sequence[Gap]) -> list[str]:
    """Properties of an item whose texts are all empty, at least two of which cost a result; else none."""
    if node.parent is not None or len(node.props) > _MOST_COMPARED:
        return []
    empty = [name for name, values in node.props.items() if values and all(map(is_blank, values))]
    if len(empty) < 2 or any(name not in empty and name not in _FILLED_BY_PROGRAMS for name in node.props):
        return []
    needed = {name for gap in gaps if gap.node is node for name in first_names(gap.local_path)}
    return empty if needed and not needed.isdisjoint(empty) else []


def is_blank(value: Value) -> bool:
    """Has a value no content, or nothing but separators?"""
    return not is_present(value) or (isinstance(value, str) and is_unfilled(value))


def empty_property(gap: Gap) -> str | None:
    """Property of the node that is there without content, if that is why the path is missing."""
    if gap.kind != "missing":
        return None
    paths = re.split(r" with |\|", gap.local_path)
    # The node of a gap further down the path lacks the last property of it.
    names = (*(path.partition(".")[0] for path in paths), *(path.rpartition(".")[2] for path in paths))
    props = gap.node.props
    return next((name for name in names if props.get(name) and not any(map(is_present, props[name]))), None)


def innermost(node: Node, prop: str) -> tuple[Node, str, str]:
    """Node and property that people fill in, and the path to it: author.name for an author with an empty name alone."""
    below = ""
    while len(values := node.props[prop]) == 1 and isinstance(inner := values[0], Node) and len(inner.props) == 1:
        node, (prop,) = inner, inner.props
        below += f".{prop}"
    return node, prop, below


def place_of_empty(gap: Gap, prop: str, below: str) -> str:
    """Path of an empty property in words; `below`: the path from the property to what people fill in."""
    if gap.of_holder or is_inside(gap):
        return f"the {prop}{below} of the {' and '.join(gap.node.types) or 'holder'}"
    return f"{place_in_words(gap, prop)}{below}"


def place_in_words(gap: Gap, prop: str) -> str:
    """Path of a property of the node of a gap from the item, as in offers.price."""
    if gap.of_holder:
        return f"the {prop} of the {' and '.join(gap.node.types) or 'holder'}"
    path, local = gap.path.partition("|")[0], gap.local_path.partition("|")[0]
    if local.endswith(f".{prop}"):
        return path
    return f"{path.removesuffix(local)}{prop}" if path.endswith(local) else prop


def need_in_words(gap: Gap, prop: str) -> str:
    """Object of `is needed` behind the name of an empty property: `it`, or the path."""
    is_last = "|" not in gap.local_path and gap.local_path.rpartition(".")[2] == prop
    return "it" if is_last else path_in_words(gap.path)


def gap_key(gap: Gap) -> _Key:
    if gap.kind == "missing":
        return gap.node, from_node(gap)
    return gap.kind, gap.node, gap.prop, gap.value_index


def from_node(gap: Gap) -> str:
    """Path from the node itself: the item.name that a list lacks in an item is the name that the item lacks."""
    names = gap.local_path.split(".")
    if "|" in gap.local_path or gap.node.via not in names[:-1]:
        return gap.local_path
    return ".".join(names[names.index(gap.node.via) + 1 :])


def reasons(outcome: Outcome) -> tuple[int, str]:
    """(number, words) of the requirements by which an outcome misses the rich result."""
    gaps = distinct_gaps(outcome.required)
    if not gaps and outcome.is_short:
        return 1, "its list has too few entries"
    return len(gaps), "; ".join(gaps_in_words(gaps)[1])


def gaps_in_words(gaps: Iterable[Gap]) -> tuple[list[str], list[str]]:
    """Missing paths, and all gaps as parts of a sentence, those that are missing first."""
    gaps = list(gaps)
    missing = list(dict.fromkeys(list_entry(gap.path) for gap in gaps if gap.kind == "missing"))
    wrong = list(dict.fromkeys(gap_sentence(gap) for gap in gaps if gap.kind != "missing"))
    return missing, ([f"{', '.join(missing)} missing"] if missing else []) + wrong


def distinct_gaps(gaps: Sequence[Gap]) -> list[Gap]:
    """Gaps without repetitions, and without gaps below an object that is missing or is none."""
    once: dict[_Key, Gap] = {}
    for gap in gaps:
        once.setdefault(gap_key(gap), gap)
    paths = paths_without_object(gaps)
    return [
        gap
        for gap in once.values()
        if gap.kind != "missing" or not (is_below(gap.path, paths) or is_lacking_inside(gap, once))
    ]


def is_lacking_inside(gap: Gap, known: Mapping[_Key, Gap]) -> bool:
    """Does an object lack one of the alternatives by a gap of its own? The url of the item of a ListItem is one."""
    if "|" not in gap.local_path or "." not in gap.local_path:
        return False
    paths = (path.partition(".") for path in gap.local_path.split("|"))
    return any((inner, rest) in known for first, _, rest in paths if rest for inner in gap.node.nodes(first))


def paths_without_object(gaps: Iterable[Gap]) -> set[str]:
    """Paths of gaps where the expected object is not: one too many is an object whose gaps count."""
    return {gap.path for gap in gaps if gap.kind != "limit"}


def is_below(path: str, known: set[str]) -> bool:
    """Does a known path lead to an object on the way of `path`?"""
    return "." in path and not known.isdisjoint(paths_above(path))


@lru_cache(maxsize=4096)
def paths_above(path: str) -> tuple[str, ...]:
    """Paths to the objects on the way of a path of a profile."""
    parts = path.partition("|")[0].split(".")
    return tuple(".".join(parts[:count]) for count in range(1, len(parts)))


def is_of_group(node: Node, path: str) -> bool:
    """Does the group of a variant state a property for all its variants?"""
    return node.via == "hasVariant" and node.parent is not None and path.partition(".")[0] in node.parent.props


def unreported(
    paths: dict[str, tuple[str, ...]], recommended: dict[str, Feature], lacking: set[str]
) -> dict[str, tuple[str, ...]]:
    return {path: intents for path, intents in paths.items() if path not in recommended and path not in lacking}


def gap_message(gap: Gap, feature: Feature, severity: Severity, verb: str) -> str:
    if gap.kind == "limit":
        return gap_sentence(gap)
    if gap.kind == "unfit":
        return f"{gap_sentence(gap)}{f'; {result_name(feature.name)} need it' if severity == 'error' else ''}"
    missing = path_in_words(gap.path)
    if gap.of_holder or is_inside(gap):
        missing = f"the {missing} of the {' and '.join(gap.node.types) or 'holder'}"
    if gap.loses:
        return f"{missing} is missing; this costs the {gap.loses}"
    needs = "one of them" if "|" in gap.path else "it"
    return f"{missing} is missing; {result_name(feature.name)} {verb} {needs}"


def is_inside(gap: Gap) -> bool:
    """Is the gap one of a node inside of another item, whose name alone stands in front of the message?"""
    node = gap.node
    if gap.path != gap.local_path or gap.path.startswith(f"{node.via}."):
        return False
    return node.parent is not None and not node.block.is_apart(node)


def gap_sentence(gap: Gap) -> str:
    """Wrong value in words: "it is a text" of the path location is "location is a text"."""
    return f"{gap.path}{gap.problem[2:]}" if gap.problem.startswith("it ") else f"{gap.path}: {gap.problem}"


def path_in_words(path: str) -> str:
    """Alternatives of a path in words: "a, b or c"; of many only the first is named."""
    alternatives = path.split("|")
    if len(alternatives) <= _MOST_NAMED:
        return join_words(alternatives, "or")
    return f"{alternatives[0]} (or one of {len(alternatives) - 1} others)"


@lru_cache(maxsize=4096)
def list_entry(path: str) -> str:
    """Alternatives of a path as one entry of a list, whose entries are set apart by commas: "a or b or c"."""
    return path_in_words(path).replace(", ", " or ")
