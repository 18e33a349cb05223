"""Graph of the entities of a site: what pages describe, how it is connected, and what contradicts itself."""

from __future__ import annotations

import msgspec

VERSION = 1


class GraphPlace(msgspec.Struct, frozen=True):
    """Place of an entity or a finding."""

    path: str
    line: int
    column: int


class GraphEntity(msgspec.Struct, kw_only=True):
    """Entity of the site: an `@id`, or a type with a name.

    key     `@id`; for an entity without one, type and name.
    pages   number of pages that describe the entity.
    known_to number of pages that describe the entity or refer to it.
    values  property -> values as written, the first few.
    places  first places of the description.
    """

    key: str
    id: str | None
    types: tuple[str, ...]
    name: str | None
    pages: int = 0
    known_to: int = 0
    values: dict[str, list[str]] = {}
    places: list[GraphPlace] = []

    @property
    def is_described(self) -> bool:
        return self.pages > 0


class GraphEdge(msgspec.Struct, frozen=True):
    """Property of an entity with another entity as its value. `prop`: "offers.seller" for a path through nodes without
    an id and a name. `pages`: number of pages with the property.
    """

    source: str
    prop: str
    target: str
    pages: int


class GraphFinding(msgspec.Struct, frozen=True):
    """Finding about the entities of a site: a rule of `waypost validate`, or "orphan"."""

    rule: str
    severity: str
    message: str
    hint: str | None
    place: GraphPlace
    related: tuple[GraphPlace, ...] = ()


class Graph(msgspec.Struct, kw_only=True):
    """Entities of a site with their connections and findings, the most connected entity first.

    left_out  number of nodes of entities beyond the limit.
    unreadable  path -> reason.
    """

    version: int = VERSION
    pages: int
    entities: list[GraphEntity]
    edges: list[GraphEdge]
    findings: list[GraphFinding]
    left_out: int = 0
    unreadable: dict[str, str] = {}
