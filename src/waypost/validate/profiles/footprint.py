"""Footprint of a profile: the properties that it reads, of the node and of every node below it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from waypost.formats.patterns import pattern
from waypost.models.profile import Condition, Consumer, Entry, Profile, Shape

_STEP = pattern(r"(?<![@\w\[-])[A-Za-z]\w*(?:-input)?(?![\w\]-])")
_UP = "^."


class Footprint(NamedTuple):
    """Names of properties that are read, at any depth.

    of_holders     names of properties of the nodes that hold the node.
    reads_holders  whether the holders of the node count.
    """

    names: frozenset[str] = frozenset()
    of_holders: frozenset[str] = frozenset()
    reads_holders: bool = False

    def __or__(self, other: Footprint) -> Footprint:
        return Footprint(
            self.names | other.names, self.of_holders | other.of_holders, self.reads_holders or other.reads_holders
        )


def footprint_of(profile: Profile, consumer: Consumer, profiles: Mapping[str, Profile]) -> Footprint:
    """Footprint of a profile, with those of all shapes in it."""
    found: set[str] = set()
    of_holders: set[str] = set()
    reads_holders = False
    known: set[str] = set()
    waiting: list[Profile | Shape] = [profile]
    paths = [path for condition in consumer.filters.values() for path in _paths_in(condition)]
    paths += [path for when in (profile.applies_when, profile.supposed_when) for path in _paths_in(when)]
    while waiting:
        source = waiting.pop()
        for entry in (*source.required, *source.recommended, *source.limits):
            paths += _paths_of(entry)
            reads_holders |= entry.absent is not None
            for shape in _shapes_of(entry) - known:
                known.add(shape)
                named = consumer.shapes[shape]
                waiting.append(profiles[f"{consumer.name}/{named.rule}"] if named.rule else named)
    for path in paths:
        names = _STEP.findall(path)
        found.update(names)
        if path.startswith(_UP):
            reads_holders = True
            of_holders.update(names)
    return Footprint(frozenset(found), frozenset(of_holders), reads_holders)


def _paths_of(entry: Entry) -> Iterator[str]:
    yield from filter(None, (entry.path, entry.absent, entry.each))
    yield from entry.any_of
    for group in entry.any_of_groups:
        yield from group
    yield from _paths_in(entry.when)


def _shapes_of(entry: Entry) -> set[str]:
    kinds = "|".join(filter(None, (entry.value, entry.prefer, *entry.values.values())))
    return {kind.removeprefix("shape:") for kind in kinds.split("|") if kind.startswith("shape:")}


def _paths_in(condition: Condition | None) -> Iterator[str]:
    """Paths in a condition, at any depth."""
    waiting: list[Any] = [condition]
    while waiting:
        part = waiting.pop()
        if isinstance(part, list):
            waiting.extend(part)
        elif isinstance(part, dict):
            waiting.extend(part.values())
            yield from (
                part[form] for form in ("present", "absent", "number", "path") if isinstance(part.get(form), str)
            )
