"""Payment that a caller is about to make: the endpoint that takes the money, and the payee."""

from __future__ import annotations

import hashlib
from typing import Literal

import msgspec

from waypost.models.decision import SensitiveUrl, Target

PayeeType = Literal["x402", "ap2", "ucp", "iban", "address", "other"]


class PaymentRequest(msgspec.Struct, frozen=True, kw_only=True, repr_omit_defaults=True):
    """Payment as the caller describes it. Endpoint and payee are as secret as a URL: no text of them is displayed."""

    endpoint: SensitiveUrl | None = None
    payee_type: PayeeType | None = None
    payee_id: SensitiveUrl | None = None


class Payment(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Payment in the input of a decision.

    endpoint    host that takes the money; None where the caller names none, or an unreadable one
    unreadable  the caller's endpoint is not the address of a host
    payee_type  kind of the payee's identifier; empty without one
    payee_hash  keyed BLAKE2b of the identifier, as hexadecimal digits; the identifier itself goes no further
    """

    endpoint: Target | None = None
    unreadable: bool = False
    payee_type: str = ""
    payee_hash: str = ""


def payee_hash(kind: str, identifier: str, key: bytes) -> str:
    """Keyed hash of a payee's identifier, without the spaces and the case in which people write one.

    The case of a Base58 address is part of the address: it stays, except in hexadecimal addresses and IBANs.
    """
    text = "".join(identifier.split())
    folded = text.lower() if text[:2].lower() == "0x" or kind == "iban" else text
    return hashlib.blake2b(f"{kind}\0{folded}".encode(), key=key, digest_size=16).hexdigest()
