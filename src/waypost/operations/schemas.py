"""Schemas of the registry."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from waypost.contract.schemas import SCHEMA_JSON, names, published, title_of
from waypost.errors import UnknownType
from waypost.models.wire.lookup import SchemaEntry, SchemaIndex
from waypost.models.wire.tools import ToolSchemaAnswer, ToolSchemaRequest
from waypost.operations.context import Context, Result
from waypost.operations.table import Answer, Method, Tool, operation
from waypost.service.body import JSON
from waypost.service.problems import ProblemError

A_WHILE = "public, max-age=300, stale-while-revalidate=86400"


@operation(
    "GET /v1/schema",
    id="listSchemas",
    title="List the schemas",
    tag="Schemas",
    scope="public",
    limit="schema",
    answer="The schemas.",
    cache=A_WHILE,
    cors=True,
    client=Method("schemas", "SchemaIndex", "Index of the schemas."),
)
async def schemas(context: Context) -> SchemaIndex:
    """Every service type, the standard type it is made from, and the unified model; with the registry's version,
    which changes whenever any file of it does.
    """
    registry = context.registry
    entries = (
        SchemaEntry(
            name=name,
            title=title_of(registry, name),
            standard_type=registry.schema(name).get("x-standard-type") or None,
            href=f"/v1/schema/{name}",
            id=f"{context.site_url}/schemas/{registry.version}/{name}.json",
        )
        for name in names(registry)
    )
    return SchemaIndex(registry_version=registry.version, schemas=tuple(entries))


@operation(
    "GET /v1/schema/{type}",
    id="readSchema",
    title="Get a schema",
    tag="Schemas",
    scope="public",
    limit="schema",
    answer={
        200: Answer(
            "The schema.",
            "",
            SCHEMA_JSON,
            headers={"Content-Location": "The address of the service type's schema, if a standard type was named."},
            others=(JSON,),
        )
    },
    problems=("unknown-type", "not-acceptable"),
    cache=A_WHILE,
    cors=True,
    client=Method(
        "schema",
        "",
        "JSON Schema by service type, by standard type, or of `Unified`. Raises NoAnswer.",
        {"type": "name"},
    ),
    tool=Tool(
        "schema",
        about="JSON Schema of a kind of snippet by service type, standard type or Unified; without a name the list.",
        takes=ToolSchemaRequest,
        gives=ToolSchemaAnswer,
        summary=lambda found: "the schema" if "schema" in found else "the list of schemas",
    ),
)
async def schema(
    type: Annotated[str, Meta(max_length=64, description="The name of the type.")],  # noqa: A002
    context: Context,
) -> Result[Any]:
    """By service type (`NewsSnippet`), by standard type (`NewsArticle`, answered with the service type's schema and a
    Content-Location), or `Unified`. JSON Schema 2020-12.
    """
    registry = context.registry
    known = names(registry)
    try:
        document = registry.schema(type)
    except UnknownType as unknown:
        more: dict[str, Any] = {"available_types": known}
        if unknown.near:
            more["did_you_mean"] = list(unknown.near)
        raise ProblemError("unknown-type", more=more) from None
    # RFC 9110, section 8.7: Content-Location names the resource that was answered with.
    own = type if type in known else document["title"]
    headers = {"content-location": f"/v1/schema/{own}"} if own != type else {}
    media = context.accepts(SCHEMA_JSON, JSON)
    return Result(published(registry, own, context.site_url), headers=headers | {"vary": "Accept"}, media=media)
