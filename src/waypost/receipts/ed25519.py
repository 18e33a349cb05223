"""Ed25519 on the package `cryptography`, which is loaded at the first use. Keys are their 32 raw bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from waypost.errors import MissingExtra

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

KEY_BYTES, SIGNATURE_BYTES = 32, 64
Checker = Callable[[bytes, bytes, bytes], bool]
"""(public key, signature, message) -> whether the signature is valid."""


def signature_checker() -> Checker:
    """Function that checks signatures. Raises MissingExtra."""
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        raise MissingExtra("cryptography", "receipts", "to sign decisions and to check them") from None

    def check(key: bytes, signature: bytes, message: bytes) -> bool:
        try:
            Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
        except InvalidSignature:
            return False
        return True

    return check


def generate_key() -> tuple[bytes, bytes]:
    """(public, secret) halves of a new key."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    private = Ed25519PrivateKey.generate()
    return private.public_key().public_bytes_raw(), private.private_bytes_raw()


def private_key(secret: bytes) -> Ed25519PrivateKey:
    """Key object of a secret half. Raises ValueError."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(secret)
