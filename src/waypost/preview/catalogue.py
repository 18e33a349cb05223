"""Catalogue of mappings and shapes: mapping files and unified schema, decoded once for the interpreter.

Meaning of the keys: `schemas/README.md`; format: `schemas/meta/mapping.schema.json`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache

import msgspec

from waypost.errors import RegistryError
from waypost.models.json_value import Json, JsonObject
from waypost.registry import Registry
from waypost.registry.json_schema import conforms
from waypost.registry.service_types import ServiceTypes
from waypost.registry.vocabulary import Vocabulary


class Source(msgspec.Struct, frozen=True, rename={"as_": "as", "not_": "not"}, forbid_unknown_fields=True):
    """Source of a value: property `path` of the item, or `field` of the unfinished document."""

    path: str = ""
    of: str = "node"
    field: str = ""
    as_: str = ""
    only: tuple[str, ...] = ()
    share: tuple[str, ...] = ()
    add: JsonObject = {}
    table: dict[str, JsonObject] = {}
    into: str = ""
    fill: dict[str, str] = {}
    types: tuple[str, ...] = ()
    not_: tuple[str, ...] = ()
    unless: str = ""
    join: str = ""
    pick: str = "first"
    same: bool = False
    back: bool = True


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """Field of the document or member of a shape: sources in order, and the form of a value.

    kinds   a transform, or possible shapes; the last shape takes unclaimed values.
    many    the value is a list.
    unique  None: repeats stay; (): equal entries once; names: entries equal in these members once.
    """

    name: str
    kinds: tuple[str, ...]
    sources: tuple[Source, ...]
    many: bool = False
    take_all: bool = False
    choices: tuple[str, ...] = ()
    default: Json = None
    unique: tuple[str, ...] | None = None
    sort: str = ""
    join: str = ""
    never: tuple[str, ...] = ()


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """Object of the unified model.

    type   schema.org type, for documents without one.
    types  node types claimed by this shape first.
    text   member for a bare string; `url`: member for a bare URL.
    via    step of a dotted path -> schema.org type of the node at the step.
    bare   types that are enough without another member.
    """

    name: str
    members: dict[str, Member]
    required: tuple[str, ...] = ()
    type: str = ""
    types: tuple[str, ...] = ()
    text: str = ""
    url: str = ""
    via: dict[str, str] = {}
    bare: tuple[str, ...] = ()


class Mapping(msgspec.Struct, frozen=True, kw_only=True):
    """Service type: sources of the fields, and content of the card."""

    service: str
    standard: str
    fields: dict[str, Member]
    via: dict[str, str]
    card: JsonObject


class Standing(msgspec.Struct, frozen=True):
    """Status of a rich result at a consumer, for some service types and schema.org types."""

    services: tuple[str, ...]
    types: tuple[str, ...]
    status: str
    retired_on: str | None


class _Field(msgspec.Struct, frozen=True, rename={"as_": "as", "from_": "from"}, forbid_unknown_fields=True):
    as_: str | tuple[str, ...]
    from_: tuple[str | Source, ...]
    take: str = "first"
    sort: str = ""
    unique: tuple[str, ...] | None = None


class Catalogue:
    """Mappings, shapes, words and statuses of a registry, decoded on first use."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self.vocabulary: Vocabulary = registry.vocabulary
        self.service_types: ServiceTypes = registry.service_types
        self.order: tuple[str, ...] = tuple(registry.unified["properties"])
        self.words: JsonObject = registry.document("card-words.json")

    @cached_property
    def shapes(self) -> dict[str, Shape]:
        defs = self.registry.unified["$defs"]
        return {name: _shape(name, schema) for name, schema in defs.items() if "x-from" in _first_member(schema)}

    @cached_property
    def mappings(self) -> dict[str, Mapping]:
        return {service: self._mapping(service, document) for service, document in self.registry.mappings.items()}

    def _mapping(self, service: str, document: JsonObject) -> Mapping:
        properties = self.registry.unified["properties"]
        try:
            fields = msgspec.convert(document["x-fields"], dict[str, _Field])
        except msgspec.ValidationError as error:
            raise RegistryError(f"the mapping of {service}", str(error)) from None
        return Mapping(
            service=service,
            standard=document["x-standard-type"],
            fields={
                name: _member_of_field(name, fields[name], properties[name]) for name in self.order if name in fields
            },
            via=document.get("x-via", {}),
            card=document["x-card"],
        )

    def is_unified(self, document: JsonObject) -> bool:
        """Whether a document conforms to the schema of the unified model."""
        return self._conforms(document)

    @cached_property
    def _conforms(self) -> Callable[[Json], bool]:
        return conforms(self.registry.unified)

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """Statuses of every profile with a card."""
        documents = (self.registry.document(path) for path in self.registry.below("profiles/google/"))
        return tuple(
            Standing(
                services=tuple(document["mapping"].split("|")),
                types=tuple(document.get("types") or [document["type"]]),
                status=document["status"],
                retired_on=document.get("retired_on"),
            )
            for document in documents
            if document.get("mapping")
        )


@lru_cache(maxsize=8)
def catalogue_of(registry: Registry) -> Catalogue:
    """Catalogue of a registry, cached."""
    return Catalogue(registry)


def _first_member(schema: JsonObject) -> JsonObject:
    return next(iter(schema.get("properties", {}).values()), {})


def _words(value: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _sources(values: tuple[str | Source, ...]) -> tuple[Source, ...]:
    return tuple(Source(path=value) if isinstance(value, str) else value for value in values)


def _unique(schema: JsonObject, named: tuple[str, ...] | None) -> tuple[str, ...] | None:
    return named if named is not None else () if schema.get("uniqueItems") else None


def _member_of_field(name: str, field: _Field, schema: JsonObject) -> Member:
    return Member(
        name=name,
        kinds=_words(field.as_),
        sources=_sources(field.from_),
        many=schema.get("type") == "array",
        take_all=field.take == "all",
        choices=tuple(schema.get("items", schema).get("enum", ())),
        unique=_unique(schema, field.unique),
        sort=field.sort,
    )


def _shape(name: str, schema: JsonObject) -> Shape:
    return Shape(
        name=name,
        members={each: _member_of_shape(each, part) for each, part in schema["properties"].items()},
        required=tuple(schema.get("required", ())),
        type=schema.get("x-type", ""),
        types=tuple(schema.get("x-types", ())),
        text=schema.get("x-text", ""),
        url=schema.get("x-url", ""),
        via=schema.get("x-via", {}),
        bare=tuple(schema.get("x-bare", ())),
    )


def _member_of_shape(name: str, schema: JsonObject) -> Member:
    return Member(
        name=name,
        kinds=_words(schema["x-as"]),
        sources=_sources(msgspec.convert(schema["x-from"], tuple[str | Source, ...])),
        many=schema.get("type") == "array",
        take_all=schema.get("x-take") == "all",
        choices=tuple(schema.get("items", schema).get("enum", ())),
        default=schema.get("default"),
        unique=_unique(schema, None),
        join=schema.get("x-join", ""),
        never=tuple(schema.get("x-not", ())),
    )
