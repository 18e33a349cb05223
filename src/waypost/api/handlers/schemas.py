"""The schemas of the registry, for anybody."""

from __future__ import annotations

from typing import Any

from waypost.api.endpoint import JSON, PUBLIC, Answer, Endpoint, Query
from waypost.api.problems import Refused
from waypost.api.request import Call, Reply, reply
from waypost.contract.schemas import SCHEMA_JSON, names, published, title_of
from waypost.errors import UnknownType

_CACHE = "public, max-age=300, stale-while-revalidate=86400"


async def index(call: Call) -> Reply:
    registry = call.registry
    site = call.running.settings.site_url
    rows = [
        {
            "name": name,
            "title": title_of(registry, name),
            "standard_type": registry.schema(name).get("x-standard-type", ""),
            "href": f"/v1/schema/{name}",
            "id": f"{site}/schemas/{registry.version}/{name}.json",
        }
        for name in names(registry)
    ]
    for row in rows:
        if not row["standard_type"]:
            del row["standard_type"]
    return reply({"registry_version": registry.version, "schemas": rows})


async def read(call: Call) -> Reply:
    """One schema. The standard type's name answers with the service type's schema, and says so."""
    registry, name = call.registry, call.members["type"]
    known = names(registry)
    try:
        document = registry.schema(name)
    except UnknownType as unknown:
        more: dict[str, Any] = {"available_types": known}
        if unknown.near:
            more["did_you_mean"] = list(unknown.near)
        raise Refused("unknown-type", more=more) from None
    own = name if name in known else document["title"]
    headers = {"content-location": f"/v1/schema/{own}"} if own != name else {}
    media = call.accepts(SCHEMA_JSON, JSON)
    return Reply(published(registry, own, call.running.settings.site_url), 200, media, headers | {"vary": "Accept"})


async def by_id(call: Call) -> Reply:
    """What a schema's own `$id` leads to. For any other file of that folder the site is asked."""
    registry, file = call.registry, call.members["file"]
    name = file.removesuffix(".json")
    if call.members["version"] == registry.version and f"{name}.json" == file and name in names(registry):
        return Reply(published(registry, name, call.running.settings.site_url), 200, SCHEMA_JSON)
    return call.running.site.answer(call)


_TYPE = {"type": "string", "maxLength": 64}
ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/v1/schema",
        name="listSchemas",
        summary="List the schemas",
        about="Every service type, the standard type it is made from, and the unified model; with the registry's "
        "version, which changes whenever any file of it does.",
        needs=(PUBLIC,),
        policy="schema",
        handle=index,
        answers={200: Answer("The schemas.", "schema-index")},
        cache=_CACHE,
        cors=True,
        tag="Schemas",
    ),
    Endpoint(
        method="GET",
        path="/v1/schema/{type}",
        name="readSchema",
        summary="Get a schema definition",
        about="By service type (`NewsSnippet`), by standard type (`NewsArticle`, answered with the service type's "
        "schema and a Content-Location), or `Unified`. JSON Schema 2020-12.",
        needs=(PUBLIC,),
        policy="schema",
        handle=read,
        members={"type": Query("type", "The name of the type.", _TYPE)},
        answers={200: Answer("The schema.", "", SCHEMA_JSON, others=(JSON,))},
        problems=("unknown-type", "not-acceptable"),
        cache=_CACHE,
        cors=True,
        tag="Schemas",
    ),
    Endpoint(
        method="GET",
        path="/schemas/{version}/{file}",
        name="readSchemaById",
        summary="What a schema's $id leads to",
        about="The same bytes as `/v1/schema/{type}`, at the address that the schema itself names.",
        needs=(PUBLIC,),
        policy="schema",
        handle=by_id,
        members={
            "version": Query("version", "The registry's version.", _TYPE),
            "file": Query("file", "The type and `.json`.", _TYPE),
        },
        answers={200: Answer("The schema.", "", SCHEMA_JSON)},
        cache=_CACHE,
        cors=True,
        tag="Schemas",
        site=True,
    ),
)
