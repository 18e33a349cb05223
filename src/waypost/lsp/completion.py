"""Completions in JSON-LD: properties of the surrounding types, types, members of enumerations."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from waypost.lsp.checked_document import CheckedDocument
from waypost.registry import Registry
from waypost.registry.vocabulary import Vocabulary, bare

LONGEST_BLOCK = 400_000
_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"?|[{}\[\]:,]')
_KEYWORDS = ("@type", "@id", "@context", "@graph")
_NOT_OFFERED = frozenset({"attic"})


class Offer(NamedTuple):
    """Completion. `rank` 0: a rich result of the type requires the property; `gone`: superseded term."""

    word: str
    about: str
    rank: int = 1
    gone: bool = False
    is_property: bool = False


class Offers(NamedTuple):
    """Completions for a range of code points: the text between the quotes."""

    start: int
    end: int
    words: list[Offer]


@dataclass(eq=False)
class _Object:
    """Object of the block, possibly incomplete: property of the parent, types, member names so far."""

    via: str | None
    types: list[str] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    key: str | None = None
    opening: str = "{"


class _StringAtCursor(NamedTuple):
    """String around the cursor."""

    start: int
    end: int
    around: _Object
    is_key: bool


def completions(checked: CheckedDocument, offset: int, registry: Registry) -> Offers | None:
    """Completions for the string around a code point; None without completions."""
    at = checked.document.byte(offset)
    block = next(((low, high) for low, high in checked.blocks if low <= at <= high), None)
    if block is None:
        return None
    low = checked.document.offset_of_byte(block[0])
    high = checked.document.offset_of_byte(block[1])
    if high - low > LONGEST_BLOCK:
        return None
    spot = _string_at(checked.document.text, low, high, offset)
    if spot is None:
        return None
    words = _words(spot, registry)
    return Offers(spot.start, spot.end, words) if words else None


def _string_at(text: str, low: int, high: int, offset: int) -> _StringAtCursor | None:
    """String around the cursor, in a block with possible syntax errors."""
    # A script that is being typed is rarely valid JSON: tokens are enough to know where the cursor is.
    stack = [_Object(None, opening="[")]
    found: _StringAtCursor | None = None
    behind = ""
    for token in _TOKEN.finditer(text, low, high):
        here, sign = stack[-1], token[0][0]
        if sign in "{[":
            via = here.key if here.opening == "{" else here.via
            stack.append(_Object(via, opening=sign))
        elif sign in "}]":
            if len(stack) > 1:
                stack.pop()
        elif sign == '"':
            whole = len(token[0]) > 1 and token[0].endswith('"')
            string = token[0][1 : -1 if whole else None]
            # In an object a string is a name unless a colon stands before it.
            is_key = here.opening == "{" and behind != ":"
            start, end = token.start() + 1, token.start() + 1 + len(string)
            if start <= offset <= end:
                found = _StringAtCursor(start, end, here, is_key)
            elif is_key:
                here.names.add(string)
            if is_key:
                here.key = string
            else:
                # In a list the types belong to the object around the list.
                owner = here if here.opening == "{" else stack[-2] if len(stack) > 1 else here
                if owner.key == "@type" and owner.opening == "{":
                    owner.types.append(string)
        behind = sign
        if found is not None and found.around not in stack:
            break  # the object around the cursor is complete
    return found


def _words(spot: _StringAtCursor, registry: Registry) -> list[Offer]:
    words = registry.vocabulary
    around = spot.around
    key = around.key if around.opening == "{" else around.via
    if spot.is_key:
        return _properties(around, registry)
    if key == "@type":
        return _types(around.via if around.opening == "{" else None, words)
    return _members(key, words) if key else []


def _properties(around: _Object, registry: Registry) -> list[Offer]:
    words = registry.vocabulary
    types = tuple(name for iri in around.types if (name := bare(iri)) and name in words.types)
    requested = _profile_properties(types, registry)
    found = [Offer(name, "JSON-LD", 0, is_property=True) for name in _KEYWORDS if name not in around.names]
    for name in sorted(words.properties_of(types) - around.names):
        term = words.properties[name]
        if term.l not in _NOT_OFFERED:
            found.append(Offer(name, " or ".join(term.r), int(name not in requested), bool(term.s), is_property=True))
    return found


def _profile_properties(types: tuple[str, ...], registry: Registry) -> set[str]:
    """Properties required or recommended by rich results of these types."""
    words = registry.vocabulary
    found: set[str] = set()
    for profile in registry.profiles.values():
        if profile.status == "retired" or not words.are_a(types, frozenset(profile.types)):
            continue
        for entry in (*profile.required, *profile.recommended):
            paths = [entry.path] if entry.path else [*entry.any_of]
            found |= {path.partition(".")[0] for path in paths}
    return found


def _types(via: str | None, words: Vocabulary) -> list[Offer]:
    """Types, the expected types of the surrounding property first."""
    term = words.properties.get(via) if via else None
    expected = frozenset(term.r) if term else frozenset()
    found = []
    for name, entry in words.types.items():
        if entry.dt or entry.l in _NOT_OFFERED:
            continue
        fits = not expected or not words.ancestors(name).isdisjoint(expected)
        found.append(Offer(name, " and ".join(entry.p), int(not fits), bool(entry.s)))
    return found


def _members(prop: str, words: Vocabulary) -> list[Offer]:
    """Members of the enumerations in a property's range."""
    term = words.properties.get(prop)
    if term is None:
        return []
    expected = frozenset(term.r)
    return [
        Offer(f"https://schema.org/{name}", " and ".join(entry.t), gone=bool(entry.s))
        for name, entry in sorted(words.members.items())
        if words.are_a(entry.t, expected) and entry.l not in _NOT_OFFERED
    ]
