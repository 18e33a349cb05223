"""Shared files of the replicas: signing keys go into memory, threat lists and registries into the data folder.

`poll` reads the versions in the store, once a second, and updates the replica. While `problem` names a difference, or
the clocks differ too much, the replica is not ready and makes no decision.

    shared.json    digests of the files of the data folder that came from the store
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from waypost.feeds import FOLDER, REGISTRIES
from waypost.feeds.file import ENDING
from waypost.receipts import PUBLIC_FILE, SECRET_FILE, SigningKeys
from waypost.receipts.stored_keys import read_keys, wrap_again
from waypost.store import cursors, organizations, settings, shared_files
from waypost.store.engines import Connection, postgres
from waypost.store.errors import StoreError
from waypost.store.open import Store
from waypost.store.shared_files import SharedFile
from waypost.updates import installed as registry

INDEX = "shared.json"
POLL_S = 1.0
GRACE_S = 30.0
"""Seconds for which a replica goes on with the files of before while it fetches newer ones."""
MOST_SKEW_MS = 5_000
"""Most milliseconds between the clocks of the replica and of the database."""
WRAP_EVERY_S = 60.0
_SECRETS = (SECRET_FILE, PUBLIC_FILE)
_OF_REGISTRY = tuple(f"{registry.FOLDER}/{name}" for name in (registry.CURRENT, registry.PINNED, registry.SOURCE))
"""Names of the release of the registry in use, of its root and its address: their paths in the data folder as well."""


class SharedFiles:
    """Files of the store in a replica. `poll` waits for store and disk, and so runs in a thread.

    reload  callback after a change of lists or registries in the data folder
    """

    def __init__(
        self,
        store: Store,
        folder: Path,
        signing: SigningKeys,
    ) -> None:
        self._store, self._folder, self._signing = store, folder, signing
        self._lock = threading.Lock()
        self._known: dict[str, str] = {}
        self.version = 0
        self._keys_digest = ""
        self._differs = "the files of the store were not read yet"
        self._behind_since: float | None = None
        self._wrap_at = float("-inf")
        self.skew_ms = 0
        self.reload: Callable[[], None] = lambda: None

    @property
    def problem(self) -> str:
        """Difference between replica and store, or empty. A new difference counts after `GRACE_S`."""
        if self._behind_since is None or time.monotonic() - self._behind_since < GRACE_S:
            return self._differs
        return self._differs or "the newest shared files of the store could not be fetched"

    @property
    def is_on_time(self) -> bool:
        return abs(self.skew_ms) <= MOST_SKEW_MS

    def poll(self) -> None:
        """Update the replica to the versions of the store. Raises StoreError, OSError and the errors of `reload`."""
        with self._lock:
            sent = time.time()
            there = self._store.read(postgres.clock)
            # The clock of the database was read between two readings of ours: half the way is the best guess, as in
            # NTP.
            self.skew_ms = round((sent + time.time()) / 2 * 1000) - there
            files = self._store.read(shared_files.find_all)
            self._wrap()
            if shared_files.version(files) != self.version and self._behind_since is None:
                self._behind_since = time.monotonic()
            self._follow_keys(files)
            if self._follow_files([file for file in files if file.name not in _SECRETS]):
                self.reload()
            self._differs = "; ".join(self._unpublished())
            self.version, self._behind_since = shared_files.version(files), None

    def _wrap(self) -> None:
        """Wrap the secrets of the store, unless a replica without wrapping is connected."""
        if time.monotonic() < self._wrap_at:
            return
        self._wrap_at = time.monotonic() + WRAP_EVERY_S

        def wrap(db: Connection) -> None:
            wrap_again(db, int(time.time() * 1000))
            organizations.wrap_secrets(db, (cursors.NAME,))

        if self._store.read(lambda db: _is_unwrapped(db) and not postgres.has_old_sessions(db)):
            self._store.write(wrap)

    def _follow_keys(self, files: list[SharedFile]) -> None:
        for file in files:
            # By content: after a failover a version may be given a second time.
            if file.name == SECRET_FILE and file.digest != self._keys_digest:
                if keys := self._store.read(read_keys):
                    self._signing.replace(keys)
                self._keys_digest = file.digest

    def _follow_files(self, files: list[SharedFile]) -> bool:
        """Update the lists of the data folder. Whether the service has to load the lists again."""
        required = {file.name: file.digest for file in files if file.digest}
        index = self._index()
        changed = required != self._known
        for file in files:
            path = path_of(self._folder, file.name)
            if path is None:
                raise StoreError(f"the store has a shared file {file.name!r}, which this release does not know")
            if not file.digest:
                if file.name in index:  # it came from the store, and goes with it
                    path.unlink(missing_ok=True)
                    del index[file.name]
                    self._write_index(index)
            elif index.get(file.name) != file.digest or not path.is_file():
                self._fetch(file, path)
                index[file.name] = file.digest
                # After each file: a process that ends here does not fetch again what it has.
                self._write_index(index)
        self._known = required
        return changed

    def _fetch(self, file: SharedFile, path: Path) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as target:
                for data in _parts(self._store, file):
                    target.write(data)
            Path(name).replace(path)
        finally:
            Path(name).unlink(missing_ok=True)

    def _unpublished(self) -> Iterator[str]:
        """Sentences about lists of the data folder without a counterpart in the store."""
        for name in names_in(self._folder):
            if name not in self._known:
                yield f"{name} is in this data folder alone: publish it with `waypost feeds publish`, or remove it"

    def _index(self) -> dict[str, str]:
        try:
            return msgspec.json.decode((self._folder / INDEX).read_bytes(), type=dict[str, str])
        except (FileNotFoundError, msgspec.DecodeError):  # everything is fetched again
            return {}

    def _write_index(self, index: dict[str, str]) -> None:
        handle, name = tempfile.mkstemp(dir=self._folder, prefix=f".{INDEX}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(msgspec.json.encode(index))
            Path(name).replace(self._folder / INDEX)
        finally:
            Path(name).unlink(missing_ok=True)


def path_of(folder: Path, name: str) -> Path | None:
    """Path in a data folder of a shared file, by its name in the store; None for a name that is not a list's."""
    if name == "rdap":
        return folder / REGISTRIES
    if name in _OF_REGISTRY:
        return folder / name
    kind, _, feed = name.partition("/")
    if kind != "feeds" or not feed or "/" in feed or feed.startswith("."):
        return None
    return folder / FOLDER / f"{feed}{ENDING}"


def names_in(folder: Path) -> dict[str, Path]:
    """Lists and registries of a data folder: name in the store -> path."""
    found = {f"feeds/{path.stem}": path for path in sorted((folder / FOLDER).glob(f"*{ENDING}"))}
    if (folder / REGISTRIES).is_file():
        found["rdap"] = folder / REGISTRIES
    return found | {name: folder / name for name in _OF_REGISTRY if (folder / name).is_file()}


def fetch_all(store: Store, folder: Path) -> dict[str, str]:
    """Write the lists and registries of the store into an empty folder. Returns their digests by name."""
    digests: dict[str, str] = {}
    for file in store.read(shared_files.find_all):
        path = path_of(folder, file.name)
        if path is None or not file.digest:
            continue
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with path.open("wb") as target:
            for data in _parts(store, file):
                target.write(data)
        digests[file.name] = file.digest
    return digests


def publish_all(store: Store, folder: Path, before: dict[str, str], now: int) -> list[str]:
    """Update the lists and registries of the store from a folder. Returns the names of the changed files.

    before  digests of the files of the store; a file missing in the folder is removed
    """
    changed: list[str] = []
    found = names_in(folder)
    for name, path in found.items():
        with path.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() == before.get(name):
                continue
            file.seek(0)
            # A release is verified from the one before: two updates at once must not take each other's place.
            expected = before.get(name, "") if name in _OF_REGISTRY else None
            shared_files.publish(store, name, file, now, expected)
        changed.append(name)
    for name in before.keys() - found.keys():
        store.write(lambda db, gone=name: shared_files.remove(db, gone, now))  # type: ignore[misc]
        changed.append(name)
    return changed


def _parts(store: Store, file: SharedFile) -> Iterator[bytes]:
    # Part by part: a statement of a large list must not last as long as the list.
    return shared_files.parts(store.reader(), file)


def _is_unwrapped(db: Connection) -> bool:
    return settings.find(db, settings.WRAPPED) is None or organizations.has_other_wrapping(db, (cursors.NAME,))


__all__ = ["MOST_SKEW_MS", "POLL_S", "SharedFiles", "fetch_all", "names_in", "publish_all"]
