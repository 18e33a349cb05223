"""Registry schemas at the address of their `$id`, public."""

from __future__ import annotations

from litestar import get
from litestar.di import NamedDependency

from waypost.api.endpoint import PUBLIC, Answer, Contract, Parameter
from waypost.api.request import Call, Reply
from waypost.api.site import Site
from waypost.contract.schemas import SCHEMA_JSON, names, published
from waypost.operations.schemas import A_WHILE

_TYPE = {"type": "string", "maxLength": 64}


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
        cache=A_WHILE,
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
