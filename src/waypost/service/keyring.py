"""API keys in memory: a check takes microseconds, and a revocation by any process counts within a second.

The store is the truth. A lookup first reads the changes in the store, at most once in `POLL_S`; where the store cannot
be read, no key is valid. At another server or database every key is read again. `flush` writes the times of last use.
"""

from __future__ import annotations

import hmac
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Literal, Self

from waypost.errors import NotReady
from waypost.models.api_key import Key, hash_of, is_key
from waypost.store import Store, keys
from waypost.store.engines import Connection, origin_of
from waypost.store.errors import StoreError

POLL_S = 0.5
"""Longest time in seconds that a key revoked by another process stays valid: half of the promised second."""

Refusal = Literal["unknown", "expired", "revoked", "address"]
"""Reason why a key is invalid. `unknown` also covers texts that are not keys; only holders see the other reasons."""


class Keyring:
    """Copy of all keys of a store. For a single thread, except for `flush` and `refresh`, which wait for the store.

    monotonic  monotonic clock in seconds; for tests
    """

    def __init__(self, store: Store, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._monotonic = monotonic
        self._keys: dict[bytes, Key] = {}
        self._version = 0
        self._origin: str | None = None
        self._due = float("-inf")
        self._used: dict[str, int] = {}
        self._lock = threading.Lock()

    def find(self, text: str, now: int, address: str = "") -> Key | Refusal:
        """Key of a secret if valid now for a caller at an IP address, else the reason. Raises NotReady."""
        found = self.known(text, now, address)
        if found is None:
            self.refresh()
            found = self.known(text, now, address, is_fresh=True)
        assert found is not None
        return found

    def known(self, text: str, now: int, address: str = "", *, is_fresh: bool = False) -> Key | Refusal | None:
        """As `find`, without the store; None where the keys have to be read again first.

        is_fresh  the keys were read during this request
        """
        digest = hash_of(text)
        key = self._keys.get(digest)
        # Another process may have made the key since the last reading: "unknown" is said of the store of now.
        if not is_fresh and (self._monotonic() >= self._due or (key is None and is_key(text))):
            return None
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
        """Read the changed keys. Raises NotReady: no key is then valid until the store can be read again."""
        with self._lock:  # an earlier reading never replaces a later one
            at = self._monotonic()
            try:
                origin, changed, version = self._store.read(self._changed)
            except Exception as error:  # noqa: BLE001  any failure may hide a revocation
                raise NotReady(f"the keys cannot be read ({type(error).__name__})") from None
            if origin != self._origin:
                # Keys that a failover lost go too.
                self._keys = {key.hash: key for key in changed}
            else:
                self._keys.update((key.hash, key) for key in changed)
            self._origin, self._version = origin, version
            self._due = at + POLL_S

    def _changed(self, db: Connection) -> tuple[str, list[Key], int]:
        origin = origin_of(db)
        return origin, *keys.changed(db, self._version if origin == self._origin else 0)

    def flush(self) -> None:
        """Write the times of last use and wait for the disk. Raises StoreError and keeps the times then."""
        taken, self._used = self._used, {}
        used = dict(taken)  # the thread in `find` may be about to add a key to the old dictionary
        if not used:
            return
        try:
            self._store.write(lambda db: keys.record_use(db, used))
        except BaseException:
            self._used = used | self._used
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with suppress(StoreError):  # times of last use are not a reason to fail on closing
            self.flush()
