"""Signing keys in a database that replicas share: the secret halves wrapped, the public ones as they are published."""

from __future__ import annotations

from pathlib import Path

import msgspec

from waypost.receipts import key_file
from waypost.receipts.jose import registry
from waypost.receipts.key_file import PUBLIC_FILE, SECRET_FILE, KeyFile, SigningError
from waypost.receipts.rotation import Rotated, after_loss, with_next
from waypost.store import shared_files
from waypost.store.engines import Connection
from waypost.store.errors import StoreError
from waypost.store.wrapping import HOW, wrapping_of


def open_keys(db: Connection, folder: Path, now: int) -> KeyFile:
    """Keys of the database; at the first call those of a data folder, else a new one. Runs in a transaction.

    Raises SigningError, StoreError and MissingExtra.
    """
    registry()
    if (found := read_keys(db)) is not None:
        return found
    path = folder / SECRET_FILE
    file = key_file.load(path)[0] if path.exists() else KeyFile(keys=(key_file.new_key(now, now, ()),))
    write_keys(db, file, now)
    return file


def read_keys(db: Connection) -> KeyFile | None:
    """Keys of the database; None where there was never one. Raises SigningError and StoreError."""
    stored = shared_files.read(db, SECRET_FILE)
    if stored is None:
        return None
    try:
        return key_file.decoded(wrapping_of(db).unwrap(SECRET_FILE, stored))
    except ValueError:
        raise SigningError(
            "the signing keys of the database are damaged; make a new key with `waypost keys rotate-signing --lost`"
        ) from None


def write_keys(db: Connection, file: KeyFile, now: int) -> None:
    """Store keys, in the transaction of the caller. Raises StoreError without a key to wrap them."""
    wrapping = wrapping_of(db)
    if not wrapping:
        raise StoreError(f"signing keys are stored in a database only when they can be wrapped: {HOW}")
    # Both in one transaction: no replica sees one without the other.
    shared_files.put(db, PUBLIC_FILE, msgspec.json.encode(key_file.to_jwks(file, now)), now)
    shared_files.put(db, SECRET_FILE, wrapping.wrap(SECRET_FILE, msgspec.json.encode(file)), now)


def wrap_again(db: Connection, now: int) -> bool:
    """Wrap the keys by the first key of the wrapping, unless they are. Whether they were not."""
    stored = shared_files.read(db, SECRET_FILE)
    if stored is None or wrapping_of(db).is_current(stored):
        return False
    if (file := read_keys(db)) is not None:
        write_keys(db, file, now)
    return True


def rotate_stored(db: Connection, now: int, *, is_lost: bool = False) -> Rotated:
    """Make the next key in the database, in the transaction of the caller, see `rotate_signing`.

    is_lost  the secret halves cannot be unwrapped any more: the published keys stay for a day

    Raises SigningError, RotationError, StoreError and MissingExtra.
    """
    registry()
    file = None if is_lost else read_keys(db)
    try:
        changed, made = with_next(file, now) if file else after_loss(shared_files.read(db, PUBLIC_FILE) or b"", now)
    except ValueError:
        raise SigningError("the published keys of the database cannot be read") from None
    write_keys(db, changed, now)
    return made
