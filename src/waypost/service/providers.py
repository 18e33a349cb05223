"""Providers of facts about a destination: relationships of the store, evidence of the threat lists.

A provider may wait for a disk or hang, so it is called in a thread (`isolation.threads`). A provider with a second
method, `recent`, answers from memory where it can; `recent` is called on the event loop and must never wait.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from waypost.models.decision import Evidence, Target
from waypost.models.relationship import Relationship

if TYPE_CHECKING:
    from waypost.feeds import Feeds
    from waypost.registry.world import World
    from waypost.store.engines import Connection
    from waypost.store.open import Store
    from waypost.store.relationships import Version

Piece = TypeVar("Piece")
Provide = Callable[[Target, int], tuple[Piece, ...]]
Recent = Callable[[Target, int], tuple[Piece, ...] | None]
Known = Provide[Relationship]
"""Relationships for a destination at a time, in milliseconds since 1970."""
Lists = Provide[Evidence]
"""Evidence of the threat lists for a destination at a time; empty without a list."""

CURRENT_ORGANIZATION: ContextVar[str] = ContextVar("organization", default="")
"""Organization of the request, or empty. Reviews of an organization count in its own requests alone."""

FRESH_S = 0.5
"""Seconds until the next query whether another process has changed the store's relationships."""
_MOST = 4096
"""Most answers in memory; the memory starts again then."""


class MustWait(Exception):
    """The answer is not in memory."""


def from_memory(provide: Provide[Piece]) -> Recent[Piece]:
    """Function of a provider for the event loop, which returns None without an answer in memory."""
    recent: Recent[Piece] = getattr(provide, "recent", _unknown)
    return recent


def _unknown(_target: Target, _now: int) -> None:
    return None


class InMemory(Generic[Piece]):
    """Provider of a function that reads memory alone."""

    def __init__(self, provide: Provide[Piece]) -> None:
        self.recent = provide

    def __call__(self, target: Target, now: int) -> tuple[Piece, ...]:
        return self.recent(target, now)


_Version = tuple[str, "Version"]


class _Confirmed(NamedTuple):
    """Version that the relationships of a store had at a time, in seconds of a monotonic clock.

    version  origin of the store, and version there
    changes  commits of this process at that time, other than of decisions
    frozen   organizations that have frozen their sensitive actions
    own      texts of the operator's accepted policies, by version
    """

    version: _Version = ("", (-1, -1, -1))
    at: float = float("-inf")
    changes: int = -1
    frozen: frozenset[str] = frozenset()
    own: Mapping[str, str] = {}


class StoredRelationships:
    """Relationships of a store, kept in memory for destinations of earlier requests.

    An answer counts as long as the store has the answer's version. A change by this process counts
    at once, a change by another process within `FRESH_S`. Thread-safe: threads call, an event loop calls `recent`.
    """

    def __init__(self, store: Store, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._monotonic = monotonic
        self._confirmed = _Confirmed()
        self._answers: dict[tuple[str, str, str], tuple[_Version, tuple[Relationship, ...]]] = {}

    def recent(self, target: Target, now: int) -> tuple[Relationship, ...] | None:  # noqa: ARG002 - a provider's signature
        """Relationships in memory if up to date, or None."""
        confirmed = self._confirmed
        if self._monotonic() - confirmed.at >= FRESH_S or self._store.writer.changes != confirmed.changes:
            return None
        version, found = self._answers.get(_subject(target), (None, ()))
        return found if version == confirmed.version else None

    @property
    def is_frozen(self) -> bool:
        """Whether the request's organization had frozen its actions at the last answer of either function."""
        return CURRENT_ORGANIZATION.get() in self._confirmed.frozen

    @property
    def own_policies(self) -> Mapping[str, str]:
        """Texts of the operator's accepted policies by version, at the last answer of either function."""
        return self._confirmed.own

    def read_own_policies(self) -> Mapping[str, str]:
        """Texts of the operator's accepted policies by version, as the store has them now. Raises StoreError."""
        from waypost.store.own_policies import accepted

        return self._store.read(accepted)

    def certificate_since(self, host: str) -> int | None:
        """Start of the first valid certificate seen at a host, in milliseconds since 1970. Raises StoreError."""
        from waypost.store.certificates import since

        return self._store.read(lambda db: since(db, host))

    def __call__(self, target: Target, now: int) -> tuple[Relationship, ...]:  # noqa: ARG002 - a provider's signature
        """Relationships as the store has them now. Raises StoreError."""
        from waypost.store.relationships import about

        # Clock and counts are read before the version, and the version before the answer: each is at least as new as
        # what it is kept under, and so is never believed for too long.
        at, changes = self._monotonic(), self._store.writer.changes
        version, frozen, own = self._store.read(_state)
        confirmed = _Confirmed(version, at, changes, frozen, own)
        subject = _subject(target)
        known, found = self._answers.get(subject, (None, ()))
        if known != confirmed.version:
            found = self._store.read(lambda db: about(db, *subject))
            if len(self._answers) >= _MOST:
                self._answers.clear()
            self._answers[subject] = (confirmed.version, found)
        self._confirmed = confirmed
        return found


def _state(db: Connection) -> tuple[_Version, frozenset[str], Mapping[str, str]]:
    """Version of the relationships, the frozen organizations, and the operator's own policies."""
    from waypost.store.engines import origin_of
    from waypost.store.freezes import frozen
    from waypost.store.own_policies import accepted
    from waypost.store.relationships import version

    return (origin_of(db), version(db)), frozen(db), accepted(db)


def _subject(target: Target) -> tuple[str, str, str]:
    return target.host, target.registrable, CURRENT_ORGANIZATION.get()


class ThreatLists:
    """Threat lists as a provider. The lists are files, so a lookup may have to read a page from the disk."""

    def __init__(self, feeds: Feeds, world: World) -> None:
        self._feeds = feeds
        self._world = world

    def __call__(self, target: Target, now: int) -> tuple[Evidence, ...]:
        return self._feeds.evidence(target, self._world, now)

    def recent(self, target: Target, now: int) -> tuple[Evidence, ...] | None:
        return self(target, now) if self._feeds.is_in_memory(target.host, target.registrable) else None
