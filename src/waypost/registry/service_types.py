"""Service type of each schema.org type: the mapping of the nearest ancestor.

Computed from the mapping files (`x-source-types`, `x-excludes`, `x-rank`) and the vocabulary alone: a
new mapping needs no edit here.

The site's browser engine runs this module, translated: see `waypost.pages.py2js`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

import msgspec

from waypost.models.json_value import JsonObject
from waypost.models.page import Node
from waypost.registry.vocabulary import Vocabulary

# Nodes may refer to each other in a circle.
_MOST_DELEGATIONS = 5


class Delegate(msgspec.Struct, frozen=True, rename="kebab"):
    """Type whose card shows another node, the value at `path`. `keeps`: the type's own fields stay in the card."""

    type: str
    subtypes: bool
    path: str
    because: str
    keeps: str = ""


class ServiceTypes:
    """Map from schema.org types to service types, computed per type on first use; ranks for ties."""

    def __init__(
        self, mappings: Mapping[str, JsonObject], delegates: Iterable[Delegate], vocabulary: Vocabulary
    ) -> None:
        self._vocabulary = vocabulary
        self.page_rank: dict[str, int] = {service: mapping["x-rank"]["page"] for service, mapping in mappings.items()}
        self.lifts: dict[str, bool] = {service: mapping["x-rank"]["lifts"] for service, mapping in mappings.items()}
        self.tie_rank: dict[str, int] = {service: mapping["x-rank"]["tie"] for service, mapping in mappings.items()}
        self._starts: dict[str, str] = {
            start: service for service, mapping in mappings.items() for start in mapping["x-source-types"]
        }
        barred = (name for mapping in mappings.values() for name in mapping["x-excludes"])
        self._barred: frozenset[str] = frozenset(barred)
        # Exact types before those with subtypes, so that a special delegate wins over a general one.
        self._delegates: list[Delegate] = sorted(delegates, key=lambda delegate: delegate.subtypes)
        self._known: dict[str, str | None] = {}

    @cached_property
    def services(self) -> dict[str, str]:
        """Schema.org type with a card -> service type."""
        found = ((name, self.service_of(name)) for name in self._vocabulary.types)
        return {name: service for name, service in found if service is not None}

    def service_of(self, name: str) -> str | None:
        """Service type of a schema.org type: mapping of the nearest ancestor, breadth first over all parents.

        At equal distance the tie rank decides.
        """
        if name in self._known:
            return self._known[name]
        found = self._nearest(name)
        # Other names are chosen by pages: a long-lived service would collect them without end.
        if name in self._vocabulary.types:
            self._known[name] = found
        return found

    def _nearest(self, name: str) -> str | None:
        # Before the search: below an excluded type no ancestor gives a mapping.
        if not self._barred.isdisjoint(self._vocabulary.ancestors(name)):
            return None
        # schema.org types may have several parents, which meet again above: each type is visited once.
        level, seen = [name], {name}
        while level:
            # A level at a time, so that the nearest ancestor decides, not the first parent's line.
            services = {self._starts[ancestor] for ancestor in level if ancestor in self._starts}
            if services:
                return self._first(services)
            parents = (parent for ancestor in level for parent in self._parents(ancestor))
            level = [parent for parent in dict.fromkeys(parents) if parent not in seen]
            seen |= set(level)
        return None

    def _parents(self, name: str) -> tuple[str, ...]:
        term = self._vocabulary.types.get(name)
        return term.p if term else ()

    def _first(self, services: Iterable[str]) -> str:
        return min(services, key=lambda service: (self.tie_rank[service], service))

    def service(self, types: Iterable[str]) -> tuple[str, str] | None:
        """(service type, standard type) of a node with these types, else None.

        Among several types with a card the tie rank decides. The standard type is the most specific type of the
        service type, the first written of equals.
        """
        served = [(service, name) for name in types if (service := self.service_of(name)) is not None]
        if not served:
            return None
        best = self._first(service for service, _ in served)
        names = [name for service, name in served if service == best]
        for name in names:
            if not any(other != name and self._vocabulary.is_a(other, name) for other in names):
                return best, name
        return best, names[0]

    def delegate_of(self, name: str) -> Delegate | None:
        """Delegate of a type, else None; a type with a card of its own has none."""
        if self.service_of(name) is not None:
            return None
        for delegate in self._delegates:
            if name == delegate.type or (delegate.subtypes and self._vocabulary.is_a(name, delegate.type)):
                return delegate
        return None

    def delegate(self, types: Iterable[str]) -> Delegate | None:
        """Delegate of a node with these types, else None."""
        return next((found for name in types if (found := self.delegate_of(name))), None)

    def of_item(self, root: Node) -> str | None:
        """Service type of an item; for a page the type of the main entity, for a list the type of the first item."""
        node: Node | None = root
        for _ in range(_MOST_DELEGATIONS):
            if node is None:
                return None
            found = self.service(node.types)
            if found is not None:
                return found[0]
            delegate = self.delegate(node.types)
            if delegate is None:
                return None
            for prop in delegate.path.split("."):
                inner: Node | None = next(node.nodes(prop), None) if node is not None else None
                # A list may hold items without a ListItem in between.
                node = node if inner is None and prop == "item" else inner
        return None
