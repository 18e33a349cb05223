"""Interface of operations to their callers: a key of the service, or the process itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import msgspec

from waypost.models.wire.decisions import Decision
from waypost.service.body import JSON

if TYPE_CHECKING:
    from waypost.errors import WaypostError
    from waypost.isolation.documents import Document
    from waypost.models.api_key import Key
    from waypost.models.decision import Inclusion, Target
    from waypost.models.relationship import Relationship, RelationshipMatch, RelationshipType
    from waypost.models.wire.decisions import CheckRequest
    from waypost.registry import Registry
    from waypost.registry.world import World
    from waypost.service import Checked, Service
    from waypost.service.limit_policies import Policy, Standing
    from waypost.service.page_work import Situation
    from waypost.service.problems import ErrorItem
    from waypost.store.cursors import Page, Position
    from waypost.store.engines import Connection
    from waypost.store.open import Store

T = TypeVar("T")
S = TypeVar("S", bound=msgspec.Struct)


class Posted(Generic[S]):
    """Body for a worker process, which reads the bytes and checks the document by the schema of S.

    media  media type: JSON, or a further type of the operation's `body`
    read   the bytes as sent; raises ProblemError for a wrong media type and for a body over the limit
    """

    __slots__ = ("media", "read")

    def __init__(self, media: str, read: Callable[[], Awaitable[bytes | Document]]) -> None:
        self.media = media
        self.read = read

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Posted[S]:
        """JSON body with a document."""

        async def read() -> bytes:
            return msgspec.json.encode(document)

        return cls(JSON, read)


class Result(Generic[S]):
    """Result with headers, a status or an encoded document. Without these an operation returns the plain struct.

    document     struct, or members in the order of the answer, or the encoded document
    status       status of the answer; 0 for the operation's
    media        media type of an encoded document
    headers      headers of the answer, names in lower case
    decision_id  decision for the log
    replay       members of the answer to a repetition with the same Idempotency-Key, where different
    """

    __slots__ = ("decision_id", "document", "headers", "media", "replay", "status")

    def __init__(
        self,
        document: S | Mapping[str, Any] | bytes,
        status: int = 0,
        headers: Mapping[str, str] | None = None,
        *,
        media: str = JSON,
        decision_id: str = "",
        replay: Mapping[str, Any] | None = None,
    ) -> None:
        self.document = document
        self.status = status
        self.headers = headers
        self.media = media
        self.decision_id = decision_id
        self.replay = replay


class Decided(Result[Decision]):
    """Result of a decision. `members` are those of the document; only `allowed` permits the action."""

    __slots__ = ("allowed", "members")

    def __init__(
        self,
        members: dict[str, Any],
        *,
        allowed: bool,
        document: bytes = b"",
        headers: Mapping[str, str] | None = None,
        decision_id: str = "",
    ) -> None:
        super().__init__(document or members, headers=headers, decision_id=decision_id)
        self.members = members
        self.allowed = allowed


Work = Callable[[], Coroutine[Any, Any, tuple[T, bool]]]
"""Check of a batch: the result, and whether it permits the action."""


class Context(Protocol):
    """Caller of an operation: a key of the service, or the process."""

    @property
    def world(self) -> World: ...

    @property
    def registry(self) -> Registry: ...

    @property
    def site_url(self) -> str:
        """Address of the site; empty without a service."""

    @property
    def scopes(self) -> Collection[str]:
        """Scopes of the caller."""

    @property
    def situation(self) -> Situation:
        """Facts for work in a worker process."""

    def now(self) -> int:
        """Milliseconds since 1970."""

    def place(self, member: str) -> ErrorItem:
        """Place of a member in the request, for an error."""

    def problem(self, error: WaypostError) -> dict[str, Any]:
        """Problem document of an error, for an entry of a list."""

    async def check(self, url: str) -> Checked:
        """Check of a destination with the reviews of the caller. No decision is stored."""

    async def decide(self, check: CheckRequest, always: Collection[Inclusion] = frozenset()) -> Decided:
        """Decision about an action, durable on return. `always`: members included even where not requested.

        Raises WaypostError; without a decision every caller stops.
        """

    async def all_decided(self, works: Sequence[Work[T]], *, until_denied: bool) -> list[tuple[T, bool]]:
        """Results of a batch in order, within the caller's share of network checks.

        until_denied  the results end with the first denial, and nothing after it is checked
        """

    async def spend(self, items: int) -> None:
        """Count further items of a request, of which one is counted. Raises ProblemError over the limit."""

    def check_live(self) -> None:
        """Raise ProblemError for a test key, which changes nothing live."""

    def accepts(self, *media: str) -> str:
        """Media type that the caller prefers. Raises ProblemError if none fits."""

    def in_worker(self, work: Callable[..., T], *arguments: Any) -> Awaitable[T]:
        """Result of work in a worker process, in the caller's turn."""

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
    """Caller of an operation on the records of a service: a key."""

    @property
    def key(self) -> Key: ...

    @property
    def owner(self) -> str:
        """Organization with the records that the key reads. For a test key an organization without any."""

    async def fetch(self, work: Callable[[Connection], T]) -> T:
        """Result of a read of the store. Raises NotReady where a database does not answer in time."""

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Result of work that is durable on return. Raises StoreError."""

    def read(self, work: Callable[[Connection], T]) -> T:
        """Result of a short read of the store on this thread, inside `page` and `search`."""

    @property
    def service(self) -> Service:
        """Decision service for live keys."""

    @property
    def store(self) -> Store: ...

    @property
    def policies(self) -> Sequence[Policy]:
        """Policies of the rate limits."""

    async def standings(self) -> Iterable[Standing]:
        """What is left of the key's quotas."""

    async def refresh_keys(self) -> None:
        """Let a change of keys apply at once."""

    async def readiness(self) -> tuple[dict[str, bool], dict[str, Any]]:
        """(result of each check, versions and clock)"""

    def signing_keys(self) -> dict[str, Any]:
        """JSON Web Key Set of the receipts' keys."""
