"""Shared parts of bodies and answers, and the table of published structs.

A struct under `@published("key")` is the source of `schemas/api/key.schema.json`. The docstring is the description,
an annotation with `Meta` gives bounds and description of a member, `Closed` forbids further members. A default of None
means "absent"; None in a required member means null. Structs under `@defined` are definitions, the rest
are written in place. `tools/make_schemas.py` writes the files.

Restrictions beyond annotations are given once, in the words of JSON Schema: conditions on several members as `also` of
`@published`, bounds of a member as `extra_json_schema` of a `Meta`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple, TypeVar

from msgspec import Meta, Struct

S = TypeVar("S", bound=type[Struct])


class Closed(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Object without further members."""


class Open(Struct, frozen=True, omit_defaults=True):
    """Object with room for further members."""


class Published(NamedTuple):
    """Struct behind a schema file. `also`: conditions on several members, in the words of JSON Schema."""

    shape: type[Struct]
    title: str
    also: Mapping[str, Any]


PUBLISHED: dict[str, Published] = {}
"""Structs by name of the file in `schemas/api`, of all imported modules."""


def published(file: str, *, title: str = "", also: Mapping[str, Any] = MappingProxyType({})) -> Callable[[S], S]:
    """Decorator of the struct behind `schemas/api/<file>.schema.json`. `title`: in place of the class name in words."""

    def note(shape: S) -> S:
        PUBLISHED[file] = Published(shape, title, also)
        return shape

    return note


DEFINED: dict[type[Struct], str] = {}
"""Names of definitions by struct."""


def defined(name: str) -> Callable[[S], S]:
    """Decorator of a struct for a definition under this name."""

    def note(shape: S) -> S:
        DEFINED[shape] = name
        return shape

    return note


class Words(NamedTuple):
    """Words of a schema about a struct, next to the types.

    members  by name, in order: a `Meta` for the member's own type, or another type; unnamed members are not published
    always   members present in spite of a default
    """

    title: str
    about: str
    members: Mapping[str, Any]
    always: tuple[str, ...] = ()


WORDS: dict[type[Struct], Words] = {}
"""Words for structs of every run and of its cache, where annotations would take time."""


def described(
    shape: type[Struct], title: str, about: str, definition: str = "", always: tuple[str, ...] = (), **members: Any
) -> None:
    """Add the words for a struct of another module. `definition`: as in `defined`."""
    WORDS[shape] = Words(title, about, members, always)
    if definition:
        DEFINED[shape] = definition


def like(file: str, member: str, description: str | None = None) -> Meta:
    """Annotation: the schema is that of a member of another file."""
    return Meta(description=description, extra_json_schema={"$ref": f"{file}.schema.json#/properties/{member}"})


def named(name: str) -> Meta:
    """Annotation: the type is a definition under this name."""
    return Meta(extra_json_schema={"$def": name})


def exactly_one(*members: str) -> dict[str, Any]:
    """Condition: exactly one of the members is present."""
    return {"oneOf": [{"required": [member]} for member in members]}


def at_least_one(*members: str) -> dict[str, Any]:
    """Condition: one or several of the members are present."""
    return {"anyOf": [{"required": [member]} for member in members]}


UNIQUE = Meta(extra_json_schema={"uniqueItems": True})
URI = Meta(extra_json_schema={"format": "uri"})

Time = Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$")]
"""Time in UTC with milliseconds."""
NO_CONTROLS = r"^[^\u0000-\u001f\u007f-\u009f]*$"
PlainText = Annotated[str, Meta(pattern=NO_CONTROLS)]
"""Text without control characters."""
Prose = Annotated[str, Meta(pattern=r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$")]
"""Text without control characters other than tabs and line breaks."""
WebAddress = Annotated[str, Meta(pattern=r"^https?://[^\u0000-\u0020\u007f-\u009f]+$")]
Unified = Annotated[
    dict[str, Any],
    Meta(
        description="The document of the unified model (GET /v1/schema/Unified).",
        extra_json_schema={"required": ["@context", "@type", "id", "name", "url"]},
    ),
]
NextCursor = Annotated[
    str | None,
    Meta(
        description="Cursor of the next page; absent on the last page. Valid for an hour, for the same query by the "
        "same organization."
    ),
]
FormToken = Annotated[
    PlainText, Meta(min_length=1, max_length=64, description="The token that the page put into the form.")
]
