"""Schemas of the registry."""

from __future__ import annotations

from waypost.contract.schemas import names, title_of
from waypost.models.wire.lookup import SchemaEntry, SchemaIndex
from waypost.operations.table import Context, Method, operation


@operation(
    "GET /v1/schema",
    id="listSchemas",
    title="List the schemas",
    tag="Schemas",
    scope="public",
    limit="schema",
    answer="The schemas.",
    cache="public, max-age=300, stale-while-revalidate=86400",
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
