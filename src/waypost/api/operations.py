"""Routes of the operations: parameters from the query string, the result as JSON."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, TypeVar

from litestar import get
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler

from waypost.api.endpoint import Answer, Contract, Parameter
from waypost.api.pagination import Pages
from waypost.api.request import Call, Reply, json_reply
from waypost.contract.struct_schemas import file_of
from waypost.models.decision import Target
from waypost.models.relationship import Relationship, RelationshipMatch, RelationshipType
from waypost.operations import OPERATIONS, Operation
from waypost.registry import Registry
from waypost.registry.world import World
from waypost.safety.relationship import shipped
from waypost.service import Checked
from waypost.service.problems import ErrorItem
from waypost.store import relationships, search
from waypost.store.cursors import Page, Position

T = TypeVar("T")


class CallContext:
    """Context of a request: the caller is its key, whose organization's reviews count."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._state = call.state

    @property
    def world(self) -> World:
        return self._state.decides(self._call.key).world

    @property
    def registry(self) -> Registry:
        return self._call.registry

    @property
    def site_url(self) -> str:
        return self._state.settings.site_url

    def now(self) -> int:
        return self._state.now()

    def place(self, member: str) -> ErrorItem:
        return {"parameter": member}

    async def check(self, url: str) -> Checked:
        with self._state.on_behalf_of(self._call.key.organization):
            return await self._state.decides(self._call.key).check_async(url)

    async def aside(self, work: Callable[[], T]) -> T:
        return await self._state.aside(work)

    async def search(self, work: Callable[[], T]) -> T:
        return await self._state.search(work)

    def reviews_of(self, checked: Checked) -> Iterable[Relationship]:
        return (*checked.case.relationships, *shipped(self.world, checked.case.target))

    def owner_of(self, review: Relationship) -> tuple[str, RelationshipType]:
        # An id of the store. The names of shipped relationships are those of the world's brands.
        if review.id.startswith("rel_"):
            record = self._state.read(lambda db: relationships.get(db, review.id))
            return record.entity_name, record.type
        return self.world.brands[review.entity].name, "official_site"

    def accepted(self, query: str, kinds: Collection[str]) -> Collection[tuple[RelationshipMatch, Relationship]]:
        found = self._state.read(
            lambda db: search.search(
                db, query, self.now(), organization=self._call.owner, limit=search.CANDIDATES, reviewed_only=True
            )
        )
        matches = [match for match in found if match.type in kinds]
        reviews = self._state.read(lambda db: relationships.reviews(db, [match.id for match in matches]))
        return [(match, reviews[match.id]) for match in matches]

    def disputed(self, targets: Iterable[Target]) -> Collection[tuple[str, str]]:
        subjects = sorted({name for target in targets for name in (target.host, target.registrable)})
        return self._state.read(lambda db: relationships.disputed(db, subjects, self._call.key.organization))

    async def page(
        self, cursor: str | None, bound: tuple[str, ...], find: Callable[[Position | None], Page[T]]
    ) -> tuple[tuple[T, ...], str | None]:
        pages = Pages(self._call, *bound)
        after = pages.position(cursor, {"parameter": "cursor"})
        found = await self.aside(lambda: find(after))
        return tuple(found.items), None if found.next is None else pages.token(found.next)

    async def readiness(self) -> tuple[dict[str, bool], dict[str, Any]]:
        return await self._state.checks(), self._state.versions()

    def signing_keys(self) -> dict[str, Any]:
        return self._state.signing.jwks(self.now())


def routes() -> tuple[HTTPRouteHandler, ...]:
    """Route handlers of all operations."""
    return tuple(_route(operation) for operation in OPERATIONS.values())


def _route(operation: Operation) -> HTTPRouteHandler:
    async def answer(call: NamedDependency[Call]) -> Reply:
        # `read_query` has checked the parameters by the schema.
        return json_reply(await operation.result(call.query, CallContext(call)))

    contract = Contract(
        scopes=(operation.scope,),
        limit=operation.limit,
        parameters=tuple(_parameters(operation)),
        answers={200: Answer(operation.answer, file_of(operation.gives), example=operation.example)},
        problems=operation.problems,
        cors=operation.cors,
    )
    if operation.cache:
        contract["cache"] = operation.cache
    route: HTTPRouteHandler = get(
        operation.path,
        operation_id=operation.id,
        summary=operation.title,
        description=operation.about,
        tags=[operation.tag],
        opt=contract,
    )(answer)
    return route


def _parameters(operation: Operation) -> Iterator[Parameter]:
    schema = operation.parameters
    for name, member in schema["properties"].items():
        # The values of a query string are texts.
        keywords = {"type": "string"} | {word: value for word, value in member.items() if word != "description"}
        yield Parameter(name, member["description"], keywords, required=name in schema.get("required", ()))
