"""Routes of the operations: parameters from the query string, the result as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import msgspec
from litestar import get
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler

from waypost.api.endpoint import Answer, Contract, Parameter
from waypost.api.request import Call, Reply, json_reply
from waypost.contract.struct_schemas import file_of
from waypost.models.relationship import Relationship, RelationshipType
from waypost.operations import OPERATIONS, Operation
from waypost.registry.world import World
from waypost.safety.relationship import shipped
from waypost.service import Checked
from waypost.service.problems import ErrorItem
from waypost.store import relationships

T = TypeVar("T")


class CallContext:
    """Context of a request: the caller is its key, whose organization's reviews count."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._service = call.state.decides(call.key)

    @property
    def world(self) -> World:
        return self._service.world

    def place(self, member: str) -> ErrorItem:
        return {"parameter": member}

    async def check(self, url: str) -> Checked:
        with self._call.state.on_behalf_of(self._call.key.organization):
            return await self._service.check_async(url)

    async def aside(self, work: Callable[[], T]) -> T:
        return await self._call.state.aside(work)

    def reviews_of(self, checked: Checked) -> Iterable[Relationship]:
        return (*checked.case.relationships, *shipped(self.world, checked.case.target))

    def owner_of(self, review: Relationship) -> tuple[str, RelationshipType]:
        # An id of the store. The names of shipped relationships are those of the world's brands.
        if review.id.startswith("rel_"):
            record = self._call.state.read(lambda db: relationships.get(db, review.id))
            return record.entity_name, record.type
        return self.world.brands[review.entity].name, "official_site"


def routes() -> tuple[HTTPRouteHandler, ...]:
    """Route handlers of all operations."""
    return tuple(_route(operation) for operation in OPERATIONS.values())


def _route(operation: Operation) -> HTTPRouteHandler:
    async def answer(call: NamedDependency[Call]) -> Reply:
        # Numbers of a query string are texts; `read_query` has checked them by the schema.
        parameters = msgspec.convert(call.query, operation.takes, strict=False)
        return json_reply(await operation.run(parameters, CallContext(call)))

    route: HTTPRouteHandler = get(
        operation.path,
        operation_id=operation.id,
        summary=operation.title,
        description=operation.about,
        tags=[operation.tag],
        opt=Contract(
            scopes=(operation.scope,),
            limit=operation.limit,
            parameters=tuple(_parameters(operation)),
            answers={200: Answer(operation.answer, file_of(operation.gives), example=operation.example)},
            problems=operation.problems,
        ),
    )(answer)
    return route


def _parameters(operation: Operation) -> Iterator[Parameter]:
    schema = operation.parameters
    for name, member in schema["properties"].items():
        keywords = {word: value for word, value in member.items() if word != "description"}
        yield Parameter(name, member["description"], keywords, required=name in schema.get("required", ()))
