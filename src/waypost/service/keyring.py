"""The keys that may be used, in memory: checked in microseconds, and revoked within a second wherever that happens.

The store is the truth. Before a key is looked up, what changed in the store meanwhile is read, at most once in
`POLL_S`; where the store cannot be read no key holds. When a key was last used is written down by `flush`.
"""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Literal, Self

from waypost.errors import NotReady
from waypost.models.api_key import Key, hash_of
from waypost.store import Store, keys
from waypost.store.errors import StoreError

POLL_S = 0.5
"""At most this long a key that another process revoked is still good: half of what is promised."""

Refusal = Literal["unknown", "expired", "revoked", "address"]
"""Why a key does not hold. `unknown` is also what is no key at all; all others only the holder ever learns."""


class Keyring:
    """A copy of all keys of a store. For one thread at a time, but for `flush`, which waits for the disk.

    monotonic  seconds that only grow; for tests
    """

    def __init__(self, store: Store, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._monotonic = monotonic
        self._keys: dict[bytes, Key] = {}
        self._version = 0
        self._due = float("-inf")
        self._used: dict[str, int] = {}

    def find(self, text: str, now: int, address: str = "") -> Key | Refusal:
        """The key of this text if it holds now for a caller at an IP address, else why not. Raises NotReady."""
        if self._monotonic() >= self._due:
            self.refresh()
        digest = hash_of(text)
        key = self._keys.get(digest)
        if key is None or not hmac.compare_digest(key.hash, digest):
            return "unknown"
        if key.revoked_at is not None:
            return "revoked"
        if now >= key.expires_at:
            return "expired"
        if key.ip_allowlist and not key.is_allowed_from(address):
            return "address"
        self._used[key.id] = now
        return key

    def refresh(self) -> None:
        """Read what changed in the store. Raises NotReady: then nobody's key holds until it can be read again."""
        try:
            changed, self._version = self._store.read(lambda db: keys.changed(db, self._version))
        except Exception as fault:  # noqa: BLE001  whatever it was, it may be hiding a revocation
            raise NotReady(f"the keys cannot be read ({type(fault).__name__})") from None
        for each in changed:
            self._keys[each.hash] = each
        self._due = self._monotonic() + POLL_S

    def flush(self) -> None:
        """Write down when keys were last used, and wait for it. What could not be written is kept for the next time."""
        found, self._used = self._used, {}
        used = dict(found)  # the other thread may be about to put one more into it
        if not used:
            return
        try:
            self._store.write(lambda db: keys.record_use(db, used))
        except BaseException:
            self._used = used | self._used
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        with suppress(StoreError):  # when keys were last used is no reason to fail at the end
            self.flush()
