"""Requirements of rich results on an object, also by the objects around."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from waypost.lsp.cursor import Container
from waypost.models.profile import Entry, Profile, Shape
from waypost.registry import Registry
from waypost.registry.vocabulary import bare

Strength = Literal["required", "recommended"]
_FILTER = re.compile(r"\[[^\]]*\]")
MOST_DEPTH = 20


class Requirement(NamedTuple):
    """Property that a rich result requires or recommends.

    others    alternatives, of which one is enough.
    depends   required only under a condition about the rest of the object.
    """

    name: str
    strength: Strength
    result: str
    others: tuple[str, ...] = ()
    depends: bool = False

    @property
    def rank(self) -> int:
        """0 for a property required in every case, 1 for one of several, 2 for the rest."""
        if self.strength == "recommended" or self.depends:
            return 2
        return 1 if self.others else 0


class _Expected(NamedTuple):
    """Path of an entry, from the object. `values`: kinds of value, shapes among them."""

    path: str
    strength: Strength
    result: str
    values: tuple[str, ...]
    consumer: str
    others: tuple[str, ...] = ()
    depends: bool = False


def types_of(container: Container, registry: Registry) -> tuple[str, ...]:
    """Types of an object as written, else the types expected by the property around."""
    words = registry.vocabulary
    written = tuple(name for iri in container.types if (name := bare(iri)) and name in words.types)
    if written or container.via is None:
        return written
    term = words.properties.get(bare(container.via) or "")
    return tuple(name for name in term.r if name in words.types and not words.types[name].dt) if term else ()


def requirements_of(container: Container, registry: Registry) -> list[Requirement]:
    """Requirements of an object, the required ones first; one for each property and result."""
    found: dict[tuple[str, str], Requirement] = {}
    for expected in _expected(container, registry, 0):
        name = expected.path.partition(".")[0]
        known = found.get((name, expected.result))
        # A path into an inner object requires the object no more than the entry of the object does.
        if name and (known is None or (expected.strength == "required" != known.strength and "." not in expected.path)):
            found[name, expected.result] = Requirement(
                name, expected.strength, expected.result, expected.others, expected.depends
            )
    return sorted(found.values(), key=lambda each: (each.rank, each.name, each.result))


def _expected(container: Container, registry: Registry, depth: int) -> Iterator[_Expected]:
    types = types_of(container, registry)
    for profile in registry.profiles.values():
        if _fits(profile, types, registry) and profile.status != "retired":
            yield from _entries(profile, profile.title, profile.name.partition("/")[0])
    owner = container.parent.owner if container.parent is not None else None
    via = bare(container.via or "")
    if owner is None or owner is container or not via or depth >= MOST_DEPTH:
        return
    for expected in _expected(owner, registry, depth + 1):
        first, _, rest = expected.path.partition(".")
        if first != via:
            continue
        if rest:
            yield expected._replace(path=rest, others=())
        for value in () if rest else expected.values:
            _, is_shape, shape_name = value.partition("shape:")
            shape = registry.consumers[expected.consumer].shapes.get(shape_name) if is_shape else None
            if shape is not None and not shape.rule and _is_shaped(shape, types, registry):
                yield from _entries(shape, expected.result, expected.consumer)


def _is_shaped(shape: Shape, types: tuple[str, ...], registry: Registry) -> bool:
    words = registry.vocabulary
    is_one = not shape.types or words.are_a(types, frozenset(shape.types))
    return is_one and not words.are_a(types, frozenset(shape.exclude_types))


def _fits(profile: Profile, types: tuple[str, ...], registry: Registry) -> bool:
    words = registry.vocabulary
    return words.are_a(types, frozenset(profile.types)) and not words.are_a(types, frozenset(profile.exclude_types))


def _entries(holder: Profile | Shape, result: str, consumer: str) -> Iterator[_Expected]:
    lists: Iterable[tuple[Strength, tuple[Entry, ...]]] = (
        ("required", holder.required), ("recommended", holder.recommended)
    )  # fmt: skip
    for strength, entries in lists:
        for entry in entries:
            paths = (entry.path,) if entry.path else entry.any_of or tuple(p for g in entry.any_of_groups for p in g)
            for path in paths:
                whole = f"{entry.each}.{path}" if entry.each else path
                if whole.startswith("^"):
                    continue
                value = entry.values.get(path) or entry.value or ""
                others = tuple(_FILTER.sub("", other) for other in paths if other != path)
                depends = entry.when is not None or (
                    isinstance(holder, Profile) and not others and _is_sign(path, holder)
                )
                yield _Expected(
                    _FILTER.sub("", whole), strength, result, tuple(value.split("|")), consumer, others, depends
                )  # fmt: skip


def _is_sign(path: str, profile: Profile) -> bool:
    """Whether a property makes an object a candidate of a result."""
    first = path.partition(".")[0]
    return profile.applies_when is not None and re.search(rf"'{first}['.]", str(profile.applies_when)) is not None


def in_words(requirement: Requirement) -> str:
    """Requirement as a phrase: "required for Product snippet (or review, offers)"."""
    others = f" (or {', '.join(requirement.others)})" if requirement.others else ""
    condition = " in some cases" if requirement.depends else ""
    return f"{requirement.strength} for {requirement.result}{condition}{others}"
