"""Routes of the operations, and the context of a request."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import msgspec
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler, delete, get, post

from waypost.api import decisions
from waypost.api.auth import check_live, spend
from waypost.api.console.forms import is_form
from waypost.api.endpoint import Contract, Handle, Parameter, hot
from waypost.api.idempotency import idempotent
from waypost.api.pagination import Pages
from waypost.api.request import Call, Reply
from waypost.errors import WaypostError
from waypost.models.api_key import Key
from waypost.models.decision import Inclusion, Target
from waypost.models.relationship import Relationship, RelationshipMatch, RelationshipType
from waypost.models.wire.decisions import CheckRequest
from waypost.operations import OPERATIONS, Decided, Operation, Posted, Result
from waypost.operations.context import Work
from waypost.operations.decisions import dispute_link
from waypost.registry import Registry
from waypost.registry.world import World
from waypost.safety.relationship import shipped
from waypost.service import Checked, Service
from waypost.service.limit_policies import Policy, Standing
from waypost.service.page_work import Situation
from waypost.service.problems import ErrorItem, ProblemError, to_problem
from waypost.store import relationships, search
from waypost.store.cursors import Page, Position
from waypost.store.engines import Connection
from waypost.store.open import Store

T = TypeVar("T")
_METHODS: dict[str, Any] = {"GET": get, "POST": post, "DELETE": delete}


class CallContext:
    """Context of a request: the caller is its key, whose organization's reviews count."""

    __slots__ = ("_call", "_in_body", "_state")

    def __init__(self, call: Call, *, in_body: bool | None = None) -> None:
        self._call = call
        self._state = call.state
        self._in_body = call.endpoint.body is not None if in_body is None else in_body

    @property
    def world(self) -> World:
        return self._state.decides(self._call.key).world

    @property
    def registry(self) -> Registry:
        return self._call.registry

    @property
    def site_url(self) -> str:
        return self._state.settings.site_url

    @property
    def key(self) -> Key:
        return self._call.key

    @property
    def owner(self) -> str:
        return self._call.owner

    @property
    def scopes(self) -> Collection[str]:
        return self._call.key.scopes

    @property
    def situation(self) -> Situation:
        return self._state.situation

    def now(self) -> int:
        return self._state.now()

    def place(self, member: str) -> ErrorItem:
        return {"pointer": f"#/{member}"} if self._in_body else {"parameter": member}

    def problem(self, error: WaypostError) -> dict[str, Any]:
        return to_problem(error, self._call.request_id, self.site_url).body

    async def check(self, url: str) -> Checked:
        with self._state.on_behalf_of(self._call.key.organization):
            return await self._state.decides(self._call.key).check_async(url)

    async def decide(self, check: CheckRequest, always: Collection[Inclusion] = frozenset()) -> Decided:
        call = self._call
        made = await decisions.make_decision(call, check, frozenset(always), decisions.within_of(call))
        # Encoded during the disk write: when the write is done, all requests of its batch must be answered at once.
        members, decision = made.members, made.decision
        encoded, link = msgspec.json.encode(members), dispute_link(members)
        await decisions.wait_until_durable(call, made)
        return Decided(
            members, allowed=decision.action_allowed, document=encoded, headers=link, decision_id=decision.decision_id
        )

    async def all_decided(self, works: Sequence[Work[T]], *, until_denied: bool = False) -> list[tuple[T, bool]]:
        within_s = decisions.within_of(self._call)
        return await decisions.all_decided(self._call, works, within_s, until_denied=until_denied)

    async def spend(self, items: int) -> None:
        await spend(self._call, items)

    def check_live(self) -> None:
        check_live(self._call.key)

    def accepts(self, *media: str) -> str:
        return self._call.accepts(*media)

    def in_worker(self, work: Callable[..., T], *arguments: Any) -> Awaitable[T]:
        return self._call.in_worker(work, *arguments)

    async def aside(self, work: Callable[[], T]) -> T:
        return await self._state.aside(work)

    async def search(self, work: Callable[[], T]) -> T:
        return await self._state.search(work)

    async def fetch(self, work: Callable[[Connection], T]) -> T:
        return await self._state.fetch(work)

    async def write(self, work: Callable[[Connection], T]) -> T:
        return await self._state.write(work)

    def read(self, work: Callable[[Connection], T]) -> T:
        return self._state.read(work)

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
        after = pages.position(cursor, self.place("cursor"))
        found = await self.aside(lambda: find(after))
        return tuple(found.items), None if found.next is None else pages.token(found.next)

    @property
    def service(self) -> Service:
        return self._state.service

    @property
    def store(self) -> Store:
        return self._state.store

    @property
    def policies(self) -> Sequence[Policy]:
        return self._state.limits.policies

    async def standings(self) -> Iterable[Standing]:
        key, now = self._call.key, self._state.now()
        return await self._state.aside(lambda: self._state.limits.standings(key, now))

    async def refresh_keys(self) -> None:
        await self._state.refresh_keys()

    async def readiness(self) -> tuple[dict[str, bool], dict[str, Any]]:
        return await self._state.checks(), self._state.versions()

    def signing_keys(self) -> dict[str, Any]:
        return self._state.signing.jwks(self.now())


def routes() -> tuple[HTTPRouteHandler, ...]:
    """Route handlers of all operations."""
    return tuple(_route(operation) for operation in OPERATIONS.values())


FORMS: dict[str, Handle[Reply]] = {}
"""By operation: what answers a browser form that is sent in place of the body; added by modules of `handlers`."""


def _route(operation: Operation) -> HTTPRouteHandler:
    answer = _answer(operation)
    contract = Contract(
        scopes=operation.scopes,
        limit=operation.limit,
        parameters=tuple(_parameters(operation)),
        answers=operation.answers,
        problems=operation.problems,
        cors=operation.cors,
        live=operation.live,
        form_limit=operation.form_limit,
        as_query=operation.as_query,
    )
    if operation.body:
        contract["body"] = operation.body
    if operation.cache:
        contract["cache"] = operation.cache
    route: HTTPRouteHandler = _METHODS[operation.method](
        re.sub(r"{(\w+)}", r"{\1:str}", operation.path),
        operation_id=operation.id,
        summary=operation.title,
        description=operation.about,
        tags=[operation.tag],
        status_code=operation.status,
        opt=contract,
    )(idempotent(answer) if operation.idempotent else answer)
    return hot(route) if operation.hot else route


def _answer(operation: Operation) -> Handle[Reply]:
    """Function of a route: arguments from path, query string and body, the result as an answer."""
    run, reader, name, members, status = (
        operation.run, _reader(operation), operation.id, operation.members, operation.status
    )  # fmt: skip

    async def answer(call: NamedDependency[Call]) -> Reply:
        if name in FORMS and is_form(call):
            return await FORMS[name](call)
        parts = [call.members[member] for member in members] if members else []
        if reader is not None:
            parts.append(await reader(call))
        found = await run(*parts, CallContext(call))
        return reply(found, status)

    return answer


def _reader(operation: Operation) -> Callable[[Call], Awaitable[Any]] | None:
    """Reader of the struct that an operation takes; None where it takes none."""
    body = operation.body
    if operation.takes is None:
        return None

    async def query(call: Call) -> Any:
        return operation.typed(call.query)  # `read_query` has checked the parameters by the schema

    async def unread(call: Call) -> Any:
        assert body is not None
        media = call.media()
        return Posted(media, call.for_worker if media in body.others else call.json_for_worker)

    async def document(call: Call) -> Any:
        assert body is not None
        # A proxy on the way may drop the body of a query: said before its media type is missed.
        if operation.as_query and not (await call.raw()).strip():
            raise ProblemError("empty-body")
        try:
            return operation.typed(await (call.optional_document() if body.optional else call.document()))
        except ProblemError as error:
            raise _specific(error, operation) from None

    return query if body is None else unread if operation.unread else document


def _specific(error: ProblemError, operation: Operation) -> ProblemError:
    """Problem of its own where an unknown value of one member is the only error."""
    for member, code in operation.rejects.items():
        places = {(each.get("pointer"), each["code"]) for each in error.errors}
        if places == {(f"#/{member}", "enum")}:
            return ProblemError(code, errors=error.errors)
    return error


def reply(found: Any, status: int = 200) -> Reply:
    """Answer with the result of an operation."""
    if not isinstance(found, Result):
        return Reply(msgspec.json.encode(found), status)
    document = found.document
    made = Reply(
        document if isinstance(document, bytes) else msgspec.json.encode(document),
        found.status or status,
        found.media,
        found.headers,
        decision_id=found.decision_id,
    )
    if found.replay is not None:
        made.stored = msgspec.json.encode(found.replay)
    return made


def _parameters(operation: Operation) -> Iterator[Parameter]:
    for name, schema in operation.path_parameters():
        yield Parameter(name, schema.pop("description"), schema, place="path")
    parameters = operation.parameters
    for name, member in parameters["properties"].items():
        # The values of a query string are texts.
        keywords = {"type": "string"} | {word: value for word, value in member.items() if word != "description"}
        yield Parameter(name, member["description"], keywords, required=name in parameters.get("required", ()))
    if operation.deadline:
        yield decisions.DEADLINE_PARAMETER
