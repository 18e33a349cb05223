"""Rotation of the signing keys: the next key, and the end of the current one."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import msgspec

from waypost.errors import WaypostError
from waypost.formats.text import timestamp
from waypost.receipts import key_file
from waypost.receipts.claims import LONGEST_S
from waypost.receipts.jose import registry
from waypost.receipts.key_file import PUBLIC_FILE, SECRET_FILE, KeyFile, SigningError, SigningKey

AHEAD_MS = 86_400_000
"""Milliseconds between the publication of a key and its first signature: verifiers may cache a key set for a day."""


class RotationError(WaypostError):
    """The next key is published already and has not begun to sign."""

    code, status = "conflict", 409


class Rotated(NamedTuple):
    """A new key, and when it begins to sign in milliseconds since 1970, UTC."""

    kid: str
    starts: int


def rotate_signing(folder: Path, now: int) -> Rotated:
    """Make the next key. The key is published at once and signs a day from now.

    Where the secret file is lost the new key signs at once; keys in the published file stay published for a day.
    Raises SigningError, RotationError and MissingExtra.
    """
    registry()
    path = folder / SECRET_FILE
    if path.exists():
        file, made = with_next(key_file.load(path)[0], now)
    else:
        file, made = _with_new(_published_keys(folder, now), now, now)
    key_file.write(folder, file, now, first=False)
    return made


def with_next(file: KeyFile, now: int) -> tuple[KeyFile, Rotated]:
    """Keys with the next one, published at once and signing a day from now. Raises RotationError."""
    if waiting := [key for key in file.keys if key.starts > now]:
        raise RotationError(
            f"the key {waiting[0].kid} is published already and signs from {timestamp(waiting[0].starts)} on; "
            "rotate again after that"
        )
    return _with_new(file, now, now + AHEAD_MS)


def after_loss(jwks: bytes, now: int) -> tuple[KeyFile, Rotated]:
    """Keys where the secret halves are lost: the published ones stay for a day, a new one signs at once.

    jwks  published key set; empty where there was never one. Raises ValueError.
    """
    return _with_new(_known_keys(jwks, now) if jwks else KeyFile(keys=()), now, now)


def _with_new(file: KeyFile, now: int, starts: int) -> tuple[KeyFile, Rotated]:
    taken = (*file.former, *(key.kid for key in file.keys))
    made = key_file.new_key(now, starts, taken)
    return _with_next(file, made, now), Rotated(made.kid, made.starts)


def _with_next(file: KeyFile, made: SigningKey, now: int) -> KeyFile:
    """Keys with a new key added. A key that signs no more loses its secret half; after its last receipt it goes."""
    # The last one that has begun, as in `current_key`.
    current = next((key.kid for key in reversed(file.keys) if key.d and key.starts <= now), "")
    keys: list[SigningKey] = []
    former = list(file.former)
    for key in file.keys:
        # A key that neither signs nor will has ended now.
        ended = key.ended or (0 if key.kid == current else now)
        if key.kid == current:
            ended = made.starts
        # Its last receipt has expired.
        if now >= ended + LONGEST_S * 1000:
            former.append(key.kid)
            continue
        keys.append(msgspec.structs.replace(key, ended=ended, d=key.d if ended > now else ""))
    return KeyFile(keys=(*keys, made), former=tuple(former))


def _published_keys(folder: Path, now: int) -> KeyFile:
    """Public halves from the published file, for keys with a lost secret half. Raises SigningError."""
    path = folder / PUBLIC_FILE
    try:
        return _known_keys(path.read_bytes(), now)
    except FileNotFoundError:
        return KeyFile(keys=())
    except (OSError, ValueError):
        raise SigningError(f"{path} cannot be read; remove it to begin with new keys") from None


def _known_keys(jwks: bytes, now: int) -> KeyFile:
    """Public halves of a key set. Raises ValueError."""
    try:
        known = msgspec.json.decode(jwks)["keys"]
        return KeyFile(keys=tuple(SigningKey(kid=key["kid"], x=key["x"], starts=0, ended=now) for key in known))
    except (KeyError, TypeError):
        raise ValueError("this is not a key set") from None
