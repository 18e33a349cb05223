"""Files that every replica of a service has, in the store: signing keys, threat lists, servers of registration data.

A change of a file gives it a version, higher than every version before, in the order of the commits: a replica that
follows the versions misses none. The content is stored in parts under its digest before the file names it, so that a
large list holds the lock of the writer no longer than a small one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from waypost.store.engines import Connection
from waypost.store.errors import StoreError

if TYPE_CHECKING:
    from waypost.store.open import Store

# Small enough for a write that other writers wait for, large enough for few rows.
PART_BYTES = 1 << 20


class SharedFile(NamedTuple):
    """File by name. `version` grows over all files; an empty `digest` is a file that was removed."""

    name: str
    version: int
    digest: str
    size_bytes: int


_ALL = "SELECT name, version, digest, size_bytes FROM shared_file ORDER BY version"
_FIND = "SELECT name, version, digest, size_bytes FROM shared_file WHERE name = ?"
_NEXT = "SELECT ifnull(max(version), 0) + 1 FROM shared_file"
_PUT = (
    "INSERT INTO shared_file (name, version, digest, size_bytes, changed_at) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (name) DO UPDATE SET version = excluded.version, digest = excluded.digest,"
    " size_bytes = excluded.size_bytes, changed_at = excluded.changed_at"
)
_PUT_PART = "INSERT INTO shared_part (digest, part, data) VALUES (?, ?, ?) ON CONFLICT (digest, part) DO NOTHING"
_STORED = "SELECT ifnull(sum(length(data)), 0) FROM shared_part WHERE digest = ?"
_PART = "SELECT data FROM shared_part WHERE digest = ? AND part = ?"
_DROP_UNUSED = "DELETE FROM shared_part WHERE digest = ? AND NOT EXISTS (SELECT 1 FROM shared_file WHERE digest = ?)"


def find_all(db: Connection) -> list[SharedFile]:
    """Files, also those that were removed, in the order of their changes."""
    return [SharedFile(*row) for row in db.execute(_ALL).fetchall()]


def find(db: Connection, name: str) -> SharedFile | None:
    """File of a name; None where it was removed."""
    row = db.execute(_FIND, (name,)).fetchone()
    return SharedFile(*row) if row and row[2] else None


def read(db: Connection, name: str) -> bytes | None:
    """Content of a small file, read at once."""
    found = find(db, name)
    return b"".join(parts(db, found)) if found else None


def parts(db: Connection, file: SharedFile) -> Iterator[bytes]:
    """Content of a file. Raises StoreError where it was replaced meanwhile, or is damaged."""
    digest, size = hashlib.sha256(), 0
    while size < file.size_bytes:
        row = db.execute(_PART, (file.digest, size // PART_BYTES)).fetchone()
        if row is None:
            raise StoreError(f"the shared file {file.name} was replaced while it was read")
        data = bytes(row[0])
        digest.update(data)
        size += len(data)
        yield data
        if len(data) < PART_BYTES:
            break
    if digest.hexdigest() != file.digest:
        raise StoreError(f"the shared file {file.name} is damaged in the store")


def put(db: Connection, name: str, data: bytes, now: int) -> SharedFile:
    """Store a small file, in the transaction of the caller."""
    digest = hashlib.sha256(data).hexdigest()
    for at in range(0, len(data), PART_BYTES):
        db.execute(_PUT_PART, (digest, at // PART_BYTES, data[at : at + PART_BYTES]))
    return _name(db, name, digest, len(data), now)


def publish(store: Store, name: str, file: BinaryIO, now: int, expected: str | None = None) -> SharedFile:
    """Store a file of any size, part by part, and name it at last. Raises StoreError.

    expected  digest of the file that is replaced, empty for none; another one there is an error
    """
    digest, size = hashlib.sha256(), 0
    for data in _read_parts(file):
        digest.update(data)
        size += len(data)
    # Read twice: the parts are stored under the digest, which is known at the end only.
    file.seek(0)
    mark = digest.hexdigest()
    for number, data in enumerate(_read_parts(file)):
        store.write(lambda db, row=(mark, number, data): db.execute(_PUT_PART, row).rowcount)  # type: ignore[misc]

    def named(db: Connection) -> SharedFile:
        # Another process may have dropped parts of the same content between the writes, with a file that named it.
        if db.execute(_STORED, (mark,)).fetchone()[0] != size:
            raise StoreError(f"{name} was published by someone else at the same time; publish it again")
        there = find(db, name)
        if expected is not None and (there.digest if there else "") != expected:
            raise StoreError(f"{name} was published by someone else meanwhile; what they published stays")
        return _name(db, name, mark, size, now)

    return store.write(named)


def remove(db: Connection, name: str, now: int) -> None:
    """Remove a file. A row stays, so that the replicas learn of it."""
    _name(db, name, "", 0, now)


def version(files: Iterable[SharedFile]) -> int:
    """Version of all files together; 0 where there was never one."""
    return max((file.version for file in files), default=0)


def _name(db: Connection, name: str, digest: str, size_bytes: int, now: int) -> SharedFile:
    before = db.execute(_FIND, (name,)).fetchone()
    made = SharedFile(name, int(db.execute(_NEXT).fetchone()[0]), digest, size_bytes)
    db.execute(_PUT, (name, made.version, digest, size_bytes, now))
    # Parts go with the last file of their content: two names may have the same.
    if before and before[2] != digest:
        db.execute(_DROP_UNUSED, (before[2], before[2]))
    return made


def _read_parts(file: BinaryIO) -> Iterator[bytes]:
    while data := file.read(PART_BYTES):
        yield data
