"""Signing keys on disk: `signing-keys.json` with the secret halves, `jwks.json` with the public ones."""

from __future__ import annotations

import os
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from waypost.errors import WaypostError
from waypost.receipts.claims import LONGEST_S
from waypost.receipts.jose import generate_key, private_key, public_key

SECRET_FILE, PUBLIC_FILE = "signing-keys.json", "jwks.json"
Stamp = tuple[int, int]
"""Time of change in nanoseconds and inode of a file: another stamp, another file."""


class SigningError(WaypostError):
    """The signing keys cannot be used; names the file and what to do."""

    code, status = "not-ready", 503


class SigningKey(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A signing key. Times are milliseconds since 1970, UTC.

    x, d    public and secret half, base64url; the first rotation after `ended` drops the secret half
    starts  the key signs from then on
    ended   the key has not signed since; 0 while it does or will
    """

    kid: str
    x: str
    starts: int
    d: str = ""
    ended: int = 0


class KeyFile(msgspec.Struct, frozen=True, kw_only=True):
    """Content of the secret file. `former` are the names of keys no longer published; none is ever used again."""

    keys: tuple[SigningKey, ...]
    former: tuple[str, ...] = ()


def new_key(now: int, starts: int, taken: tuple[str, ...]) -> SigningKey:
    public, secret = generate_key()
    return SigningKey(kid=_name(now, taken), x=public, d=secret, starts=starts)


def current_key(file: KeyFile, now: int) -> SigningKey:
    """The key that signs now. Raises SigningError."""
    # In the order of their beginning: the last one able is the newest.
    able = [key for key in file.keys if key.d and key.starts <= now]
    # A clock set back to before the first key began finds that one: it is the only one that could have signed.
    able = able or [key for key in file.keys if key.d][:1]
    if not able:
        raise SigningError("there is no key to sign with; make one with `waypost keys rotate-signing`")
    return able[-1]


def to_jwks(file: KeyFile, now: int) -> dict[str, Any]:
    """Key set to publish (RFC 7517): keys that will sign, and keys with receipts that may not have expired."""
    # A receipt of a key lives LONGEST_S at most after the key's last signature.
    published = [key for key in file.keys if not key.ended or now < key.ended + LONGEST_S * 1000]
    return {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": key.x, "kid": key.kid, "use": "sig"} for key in published]}


def load(path: Path) -> tuple[KeyFile, Stamp]:
    """Keys of a secret file, both halves checked, and the stamp of the file. Raises SigningError."""
    try:
        mode = path.stat().st_mode
        if sys.platform != "win32" and mode & 0o077:
            raise SigningError(
                f"{path} may be read by others (mode {mode & 0o777:03o}): run `chmod 600` on it, then `waypost keys "
                "rotate-signing`, since someone may have copied it"
            )
        seen = stamp(path)  # before the content: a write in between is then noticed at the next check
        file = decoded(path.read_bytes())
    except OSError as error:
        raise unreadable(path, error) from None
    except (msgspec.DecodeError, ValueError):
        raise SigningError(
            f"{path} is damaged; put it back from a copy, or remove it and make a new key with `waypost keys "
            "rotate-signing`"
        ) from None
    return file, seen


def decoded(data: bytes) -> KeyFile:
    """Keys, both halves checked. Raises ValueError (msgspec.DecodeError is one)."""
    file = msgspec.json.decode(data, type=KeyFile)
    for key in file.keys:
        if key.d:
            private_key(key.x, key.d)
        else:
            public_key(key.x)
    return file


def stamp(path: Path) -> Stamp:
    status = path.stat()
    return status.st_mtime_ns, status.st_ino


def unreadable(path: Path, error: OSError) -> SigningError:
    return SigningError(f"{path} cannot be read: {(error.strerror or str(error)).lower()}")


def write(folder: Path, file: KeyFile, now: int, *, first: bool) -> None:
    """Replace both files, each as a whole. Raises SigningError.

    first  keep a secret file that exists already: of several processes that make a first key one wins
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # The secret file first: a published key without its secret half could never sign.
        _replace(folder / SECRET_FILE, msgspec.json.encode(file), 0o600, only_new=first)
        if first:
            # Of several processes one has won; the published file must be about its key.
            file = load(folder / SECRET_FILE)[0]
        _replace(folder / PUBLIC_FILE, msgspec.json.encode(to_jwks(file, now)), 0o644)
    except OSError as error:
        raise SigningError(f"{folder / SECRET_FILE} cannot be written: {(error.strerror or '').lower()}") from None


def _name(now: int, taken: tuple[str, ...]) -> str:
    """Key id of the month: `2026-11-a`, then `2026-11-b`; after z comes `z1`."""
    month = f"{datetime.fromtimestamp(now / 1000, UTC):%Y-%m}"
    names = [f"{month}-{chr(ord('a') + n)}" for n in range(26)]
    free = (name for name in names if name not in taken)
    number = 1 + sum(name.startswith(f"{month}-z") for name in taken)
    return next(free, f"{month}-z{number}")


def _replace(path: Path, data: bytes, mode: int, *, only_new: bool = False) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # made with mode 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        if only_new:
            try:
                os.link(name, path)  # fails where the file exists; a rename would overwrite the winner's key
            except FileExistsError:
                return
        else:
            Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)
