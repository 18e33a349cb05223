"""Notes of a service in its store: signals shared by its processes, and doubts about ownership for reviewers.

Written behind the decision, which never waits for them; read in the threads of the providers, at most once a second.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from waypost.models.observation import StoredSignal
from waypost.models.relationship import OwnershipDoubt
from waypost.store import certificates, doubts, signals
from waypost.store.engines import Connection, origin_of
from waypost.store.errors import StoreError
from waypost.store.open import Store

EVERY_S = 1.0
"""Seconds until another process's signals are read again."""
_MOST_RAISED = 4096


class StoreNotes:
    """Notes in a store. `news` is for any thread, the other functions for a single one."""

    def __init__(self, store: Store, every_s: float = EVERY_S) -> None:
        self._store = store
        self._every_s = every_s
        self._next = 0.0
        # Origin of the store and number of the latest signal, as one: several threads read.
        self._seen = ("", 0)
        self._raised: dict[OwnershipDoubt, None] = {}

    @property
    def is_due(self) -> bool:
        """Whether `news` would read the store."""
        return time.monotonic() >= self._next

    def news(self, now: int) -> tuple[StoredSignal, ...]:
        """Signals stored since the last call, all of them at the first; empty within `every_s`. Raises StoreError."""
        if not self.is_due:
            return ()
        seen, found = self._store.read(partial(self._since, now=now))
        if seen[0] != self._seen[0]:
            self._raised = {}
        self._seen = seen
        self._next = time.monotonic() + self._every_s
        return found

    def _since(self, db: Connection, now: int) -> tuple[tuple[str, int], tuple[StoredSignal, ...]]:
        origin, (known, number) = origin_of(db), self._seen
        number, found = signals.since(db, number if origin == known else 0, now)
        return (origin, number), found

    def write(self, changed: Sequence[StoredSignal]) -> None:
        """Store new signals, and those that are gone."""
        if changed:
            # A store that is being closed or that is full must not prevent the decision.
            with suppress(StoreError):
                self._store.writer.submit(partial(signals.write, signals=changed))

    def note_certificate(self, host: str, not_before: int) -> None:
        """Store the start of a valid certificate at a host, in milliseconds since 1970."""
        with suppress(StoreError):
            self._store.writer.submit(partial(certificates.note, host=host, not_before=not_before))

    def raise_doubt(self, doubt: OwnershipDoubt, now: int) -> None:
        """Raise a doubt, once per process, origin of the store and facts."""
        raised = self._raised
        if doubt in raised:
            return
        while len(raised) >= _MOST_RAISED:
            del raised[next(iter(raised))]
        raised[doubt] = None
        with suppress(StoreError):
            self._store.writer.submit(partial(doubts.raise_doubt, about=doubt, now=now))
