"""Table of the operations, and the interface to their callers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, get_type_hints

import msgspec

from waypost.contract.struct_schemas import file_of, schema_of

if TYPE_CHECKING:
    from waypost.models.relationship import Relationship, RelationshipType
    from waypost.registry.world import World
    from waypost.service import Checked
    from waypost.service.problems import ErrorItem

T = TypeVar("T")
Run = TypeVar("Run", bound=Callable[..., Awaitable[msgspec.Struct]])


class Context(Protocol):
    """Caller of an operation: a key of the service, or the process."""

    @property
    def world(self) -> World: ...

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


class Operation(NamedTuple):
    """Operation with its words and limits.

    name     of the tool; the function's name
    takes    struct of the parameters
    gives    struct of the result
    call     method and path of the API; the method is GET
    id       operation id of the API
    title    purpose in a few words; `about` are the sentences
    scope    scope of a key
    limit    name of the limit on requests
    answer   description of the result
    example  a result
    remarks  sentences for agents, after `about`; without any there is no tool
    network  whether the operation checks the network
    """

    name: str
    run: Callable[[Any, Context], Awaitable[msgspec.Struct]]
    takes: type[msgspec.Struct]
    gives: type[msgspec.Struct]
    call: str
    id: str
    title: str
    about: str
    tag: str
    scope: str
    limit: str
    answer: str
    example: Mapping[str, Any]
    problems: tuple[str, ...]
    remarks: str
    network: bool

    @property
    def method(self) -> str:
        return self.call.partition(" ")[0]

    @property
    def path(self) -> str:
        return self.call.partition(" ")[2]

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Schema of the parameters: an object with a property for each."""
        return schema_of(file_of(self.takes))

    @property
    def members(self) -> frozenset[str]:
        """Names of the members of a result."""
        return frozenset(field.encode_name for field in msgspec.structs.fields(self.gives))


OPERATIONS: dict[str, Operation] = {}
"""Operations by name."""


def operation(
    call: str,
    *,
    id: str,  # noqa: A002 - the word of OpenAPI
    title: str,
    tag: str,
    scope: str,
    limit: str,
    answer: str,
    example: Mapping[str, Any],
    problems: tuple[str, ...] = (),
    remarks: str = "",
    network: bool = False,
) -> Callable[[Run], Run]:
    """Decorator of an operation. Parameters: members of `Operation`."""

    def add(run: Run) -> Run:
        hints = get_type_hints(run, globalns={**run.__globals__, "Context": Context})
        result = hints.pop("return")
        takes = next(iter(hints.values()))
        OPERATIONS[run.__name__] = Operation(
            run.__name__, run, takes, result, call, id, title, " ".join((run.__doc__ or "").split()), tag, scope,
            limit, answer, example, problems, remarks, network,
        )  # fmt: skip
        return run

    return add
