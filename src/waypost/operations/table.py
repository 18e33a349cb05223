"""Table of the operations, and the interface to their callers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, get_type_hints

import msgspec

from waypost.contract.struct_schemas import file_of, schema_of

if TYPE_CHECKING:
    from waypost.models.decision import Target
    from waypost.models.relationship import Relationship, RelationshipMatch, RelationshipType
    from waypost.registry import Registry
    from waypost.registry.world import World
    from waypost.service import Checked
    from waypost.service.problems import ErrorItem
    from waypost.store.cursors import Page, Position

T = TypeVar("T")
Run = TypeVar("Run", bound=Callable[..., Awaitable[msgspec.Struct]])


class Context(Protocol):
    """Caller of an operation: a key of the service, or the process."""

    @property
    def world(self) -> World: ...

    @property
    def registry(self) -> Registry: ...

    @property
    def site_url(self) -> str:
        """Address of the site; empty without a service."""

    def now(self) -> int:
        """Milliseconds since 1970."""

    def place(self, member: str) -> ErrorItem:
        """Place of a member in the request, for an error."""

    async def check(self, url: str) -> Checked:
        """Check of a destination with the reviews of the caller. No decision is stored."""

    async def aside(self, work: Callable[[], T]) -> T:
        """Result of work on the store."""

    def reviews_of(self, checked: Checked) -> Iterable[Relationship]:
        """Reviews about the destination of a check."""

    def owner_of(self, review: Relationship) -> tuple[str, RelationshipType]:
        """(name of the owner, type of the relationship)"""

    async def search(self, work: Callable[[], T]) -> T:
        """Result of a search of the store, which ends in time."""

    def accepted(self, query: str, kinds: Collection[str]) -> Collection[tuple[RelationshipMatch, Relationship]]:
        """Matches among the accepted relationships of the store that are of some types, with their reviews."""

    def disputed(self, targets: Iterable[Target]) -> Collection[tuple[str, str]]:
        """(name, scope) of the disputed relationships about the targets."""

    async def page(
        self, cursor: str | None, bound: tuple[str, ...], find: Callable[[Position | None], Page[T]]
    ) -> tuple[tuple[T, ...], str | None]:
        """(items, cursor of the next page) behind a cursor, which is valid for the same `bound` parameters."""


class ServiceContext(Context, Protocol):
    """Caller of an operation that is about the service itself."""

    async def readiness(self) -> tuple[dict[str, bool], dict[str, Any]]:
        """(result of each check, versions and clock)"""

    def signing_keys(self) -> dict[str, Any]:
        """JSON Web Key Set of the receipts' keys."""


class Method(NamedTuple):
    """Method of the client for an operation.

    name     of the method
    returns  class of `waypost.client.responses`, which ignores unknown members; empty for the document itself
    words    names of parameters that differ from those of the API
    about    docstring
    """

    name: str
    returns: str
    about: str
    words: Mapping[str, str] = MappingProxyType({})


class Operation(NamedTuple):
    """Operation with its words and limits.

    name     of the tool; the function's name
    takes    struct of the parameters; None without any
    gives    struct of the result
    call     method and path of the API; the method is GET
    id       operation id of the API
    title    purpose in a few words; `about` are the sentences
    scope    scope of a key, "any key", or "public" without a key
    limit    name of the limit on requests
    answer   description of the result
    example  a result
    remarks  sentences for agents, after `about`; without any there is no tool
    network  whether the operation checks the network
    cache    Cache-Control of results that are the same for everyone
    cors     whether pages of the configured origins may read the results
    client   method of the client; without it the client has none
    """

    name: str
    run: Callable[..., Awaitable[msgspec.Struct]]
    takes: type[msgspec.Struct] | None
    gives: type[msgspec.Struct]
    call: str
    id: str
    title: str
    about: str
    tag: str
    scope: str
    limit: str
    answer: str
    example: Mapping[str, Any] | None
    problems: tuple[str, ...]
    remarks: str
    network: bool
    cache: str
    cors: bool
    client: Method | None

    @property
    def method(self) -> str:
        return self.call.partition(" ")[0]

    @property
    def path(self) -> str:
        return self.call.partition(" ")[2]

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Schema of the parameters: an object with a property for each."""
        return schema_of(file_of(self.takes)) if self.takes else {"properties": {}}

    @property
    def members(self) -> frozenset[str]:
        """Names of the members of a result."""
        return frozenset(field.encode_name for field in msgspec.structs.fields(self.gives))

    async def result(self, parameters: Mapping[str, Any], context: Context) -> msgspec.Struct:
        """Result for parameters by name; numbers may be texts, as in a query string."""
        if self.takes is None:
            return await self.run(context)
        return await self.run(msgspec.convert(parameters, self.takes, strict=False), context)


OPERATIONS: dict[str, Operation] = {}
"""Operations by name."""


def operation(
    call: str,
    *,
    id: str,  # noqa: A002 - the word of OpenAPI
    title: str,
    tag: str,
    scope: str,
    answer: str,
    limit: str = "",
    example: Mapping[str, Any] | None = None,
    problems: tuple[str, ...] = (),
    remarks: str = "",
    network: bool = False,
    cache: str = "",
    cors: bool = False,
    client: Method | None = None,
) -> Callable[[Run], Run]:
    """Decorator of an operation. Parameters: members of `Operation`."""

    def add(run: Run) -> Run:
        hints = get_type_hints(run)
        result, _ = hints.pop("return"), hints.pop("context")
        takes = next(iter(hints.values()), None)
        OPERATIONS[run.__name__] = Operation(
            run.__name__, run, takes, result, call, id, title, " ".join((run.__doc__ or "").split()), tag, scope,
            limit, answer, example, problems, remarks, network, cache, cors, client,
        )  # fmt: skip
        return run

    return add
