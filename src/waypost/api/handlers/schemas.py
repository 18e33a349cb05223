"""Registry schemas, public."""

from __future__ import annotations

from typing import Any

from litestar import get
from litestar.di import NamedDependency

from waypost.api.endpoint import JSON, PUBLIC, Answer, Contract, Parameter
from waypost.api.request import Call, Reply
from waypost.api.site import Site
from waypost.contract.schemas import SCHEMA_JSON, names, published
from waypost.errors import UnknownType
from waypost.service.problems import ProblemError

_CACHE = "public, max-age=300, stale-while-revalidate=86400"


_TYPE = {"type": "string", "maxLength": 64}


@get(
    "/v1/schema/{type:str}",
    operation_id="readSchema",
    summary="Get a schema",
    description="By service type (`NewsSnippet`), by standard type (`NewsArticle`, answered with the service type's "
    "schema and a Content-Location), or `Unified`. JSON Schema 2020-12.",
    tags=["Schemas"],
    opt=Contract(
        scopes=(PUBLIC,),
        limit="schema",
        parameters=(Parameter("type", "The name of the type.", _TYPE, place="path"),),
        answers={
            200: Answer(
                "The schema.",
                "",
                SCHEMA_JSON,
                headers={"Content-Location": "The address of the service type's schema, if a standard type was named."},
                others=(JSON,),
            )
        },
        problems=("unknown-type", "not-acceptable"),
        cache=_CACHE,
        cors=True,
    ),
)
async def read(call: NamedDependency[Call]) -> Reply:
    """Schema by type name. A standard type gets the schema of its service type, named in Content-Location."""
    registry, name = call.registry, call.members["type"]
    known = names(registry)
    try:
        document = registry.schema(name)
    except UnknownType as unknown:
        more: dict[str, Any] = {"available_types": known}
        if unknown.near:
            more["did_you_mean"] = list(unknown.near)
        raise ProblemError("unknown-type", more=more) from None
    # RFC 9110, section 8.7: Content-Location names the resource that was answered with.
    own = name if name in known else document["title"]
    headers = {"content-location": f"/v1/schema/{own}"} if own != name else {}
    media = call.accepts(SCHEMA_JSON, JSON)
    return Reply(published(registry, own, call.state.settings.site_url), 200, media, headers | {"vary": "Accept"})


@get(
    "/schemas/{version:str}/{file:str}",
    operation_id="readSchemaById",
    summary="Get a schema file",
    description="The same bytes as `/v1/schema/{type}`, at the address that the schema itself names.",
    tags=["Schemas"],
    opt=Contract(
        scopes=(PUBLIC,),
        limit="schema",
        parameters=(
            Parameter("version", "The registry's version.", _TYPE, place="path"),
            Parameter("file", "The type and `.json`.", _TYPE, place="path"),
        ),
        answers={200: Answer("The schema.", "", SCHEMA_JSON)},
        cache=_CACHE,
        cors=True,
    ),
)
async def by_id(call: NamedDependency[Call], site: NamedDependency[Site]) -> Reply:
    """Schema at the address of its `$id`. Further files of the folder come from the site."""
    registry, file = call.registry, call.members["file"]
    name = file.removesuffix(".json")
    # Another version is not here: its $id stays valid on the site that published it.
    if call.members["version"] == registry.version and f"{name}.json" == file and name in names(registry):
        return Reply(published(registry, name, call.state.settings.site_url), 200, SCHEMA_JSON)
    return site.answer(call)
