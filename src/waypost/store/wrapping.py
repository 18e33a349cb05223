"""Wrapping of the secrets in a database, by a key that is not in the database: AES-256-GCM (NIST SP 800-38D).

The keys come from WAYPOST_STORE_KEY, or from the file that WAYPOST_STORE_KEY_FILE names: 32 bytes in base64, one or
several. The first key wraps and every key unwraps: a new key is made known to every replica before it is the first.
Without a key, secrets are stored as they are, and a wrapped one cannot be read.

    wrapped = b"wpwrap1:" + 8 bytes of the key's SHA-256 + 12 bytes of nonce + ciphertext and tag
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from waypost.errors import MissingExtra
from waypost.store.errors import StoreError

KEY_VARIABLE, FILE_VARIABLE = "WAYPOST_STORE_KEY", "WAYPOST_STORE_KEY_FILE"
KEY_BYTES = 32
_MAGIC = b"wpwrap1:"
_MARK, _NONCE, _TAG = 8, 12, 16
_HEAD = len(_MAGIC) + _MARK
# A wrong name may lead to a device or a huge file.
_MOST_BYTES = 4096
HOW = f"set {FILE_VARIABLE} to a file with the key, or {KEY_VARIABLE} to the key; `waypost store new-key` prints one"


class WrappingError(StoreError):
    """A secret of the database cannot be wrapped or unwrapped; says what to set."""


def new_key() -> str:
    """New key, as the variables take it."""
    return base64.b64encode(secrets.token_bytes(KEY_BYTES)).decode("ascii")


class Wrapping:
    """Keys for the secrets of a database; without a key everything stays as it is.

    keys  the first one wraps
    """

    def __init__(self, keys: tuple[bytes, ...] = ()) -> None:
        self._keys = {_mark(key): key for key in reversed(keys)}
        self._first = _mark(keys[0]) if keys else b""
        # A missing package is reported at the start, not at the first secret.
        if keys:
            _aesgcm()

    def __bool__(self) -> bool:
        return bool(self._keys)

    def wrap(self, name: str, secret: bytes) -> bytes:
        """Wrapped secret; `name` is bound to it, so that no row can stand in for another."""
        if not self._keys:
            return secret
        nonce = secrets.token_bytes(_NONCE)
        sealed: bytes = _aesgcm()(self._keys[self._first]).encrypt(nonce, secret, name.encode())
        return _MAGIC + self._first + nonce + sealed

    def unwrap(self, name: str, stored: bytes) -> bytes:
        """Secret of a stored value, wrapped or not. Raises WrappingError."""
        if not is_wrapped(stored):
            return stored
        key = self._keys.get(stored[len(_MAGIC) : _HEAD])
        if key is None:
            other = "with another key" if self._keys else "with a key"
            raise WrappingError(f"the secrets of the database are wrapped {other}: {HOW}")
        from cryptography.exceptions import InvalidTag

        try:
            secret: bytes = _aesgcm()(key).decrypt(
                stored[_HEAD : _HEAD + _NONCE], stored[_HEAD + _NONCE :], name.encode()
            )
        except InvalidTag:
            raise WrappingError(f"the secret {name!r} of the database was changed or is another row's") from None
        return secret

    def is_current(self, stored: bytes) -> bool:
        """Whether a value is stored as `wrap` would store it now."""
        return not self._keys or (is_wrapped(stored) and stored[len(_MAGIC) : _HEAD] == self._first)


PLAIN = Wrapping()


def is_wrapped(stored: bytes) -> bool:
    return stored.startswith(_MAGIC) and len(stored) >= _HEAD + _NONCE + _TAG


def wrapping_of(db: Any) -> Wrapping:
    """Wrapping of a connection. A store in a file is for its owner alone, and its secrets stay as they are."""
    found: Wrapping = getattr(db, "wrapping", PLAIN)
    return found


def from_environment(environment: Mapping[str, str] = os.environ) -> Wrapping:
    """Wrapping by the variables; without one, none. Raises WrappingError, which never repeats a key."""
    text, where = environment.get(KEY_VARIABLE, ""), KEY_VARIABLE
    if not text and (name := environment.get(FILE_VARIABLE, "")):
        where = name
        try:
            with Path(name).open("rb") as file:
                text = file.read(_MOST_BYTES).decode("ascii")
        except OSError as error:
            raise WrappingError(f"{FILE_VARIABLE}: {name}: {(error.strerror or str(error)).lower()}") from None
        except UnicodeDecodeError:
            raise WrappingError(f"{name}: this is not a key; {HOW}") from None
        if not text.strip():
            raise WrappingError(f"{name} is empty; {HOW}")
    return Wrapping(tuple(_key(word, where) for word in text.replace(",", " ").split()))


def _key(text: str, where: str) -> bytes:
    try:
        # Both alphabets of RFC 4648, with or without padding: tools that make keys differ.
        key = base64.b64decode(text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) != KEY_BYTES:
        raise WrappingError(f"{where}: a key is {KEY_BYTES} bytes in base64; {HOW}")
    return key


def _mark(key: bytes) -> bytes:
    # Hashed with a prefix of its own: the mark stands in each row, and must not be the key's hash for another purpose.
    return hashlib.sha256(b"waypost store key\0" + key).digest()[:_MARK]


def _aesgcm() -> Any:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError:
        raise MissingExtra("cryptography", "receipts", "to wrap the secrets of a database") from None
    return AESGCM
