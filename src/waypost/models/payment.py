"""Payment of a caller: endpoint, payee and amount, and declarations of the merchant's own host about the payment."""

from __future__ import annotations

import hashlib
from typing import Literal

import msgspec

from waypost.models.decision import SensitiveUrl, Target

PayeeType = Literal["x402", "ap2", "ucp", "iban", "address", "other"]
DECLARED: frozenset[str] = frozenset({"x402", "ap2", "ucp"})
"""Types of payees in the files of a merchant's host."""
Outcome = Literal["", "agrees", "contradicts", "unseen", "failed"]
"""Result of a comparison with a host's files: empty without a comparison, `unseen` where the host is silent, `failed`
where a file could not be read."""
FileStatus = Literal["read", "absent", "failed", "not_attempted"]


class Amount(msgspec.Struct, frozen=True, kw_only=True):
    """Amount of a payment in the currency's minor unit (1999 is 19.99 EUR).

    currency  ISO 4217 code
    cap       most that the caller's own principal permits, in the same unit; None without a limit
    """

    currency: str
    value: int
    cap: int | None = None


class PaymentRequest(msgspec.Struct, frozen=True, kw_only=True, repr_omit_defaults=True):
    """Payment as the caller describes it. All texts are as secret as a URL and never displayed.

    checkout  checkout as the merchant signed it: a JWT, an AP2 checkout mandate, or the JSON of a UCP checkout
    """

    endpoint: SensitiveUrl | None = None
    payee_type: PayeeType | None = None
    payee_id: SensitiveUrl | None = None
    checkout: SensitiveUrl | None = None
    amount: Amount | None = None


class MerchantFile(msgspec.Struct, frozen=True, kw_only=True):
    """Well-known file of a host; `absent`: the host answers that the file does not exist."""

    status: FileStatus = "not_attempted"
    data: bytes = b""

    def __repr__(self) -> str:
        return f"MerchantFile(status={self.status!r}, data={len(self.data)} bytes)"


class MerchantFiles(msgspec.Struct, frozen=True, kw_only=True):
    """Files of a host with keys, endpoints and payees. Times are milliseconds since 1970, UTC.

    ucp   `/.well-known/ucp`
    x402  `/.well-known/x402`
    """

    host: str
    observed_at: int
    valid_until: int
    ucp: MerchantFile = MerchantFile()
    x402: MerchantFile = MerchantFile()


class MerchantReading(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Comparison of a payment with the files and signatures of the destination's host, without any of the texts.

    profile    status of `/.well-known/ucp`
    has_keys   the profile has a key for verifying a checkout
    signature  outcome of the signed checkout with time and amount; empty without a signed checkout
    because    why the signature does not agree, as a word
    payee      outcome of the payee's identifier; empty without an identifier
    names      hosts of the merchant in the signed checkout
    leads_to   hosts where the signed checkout continues
    endpoints  hosts of the services in the profile
    observed_at, valid_until  milliseconds since 1970, UTC; 0 where no file was read
    """

    profile: FileStatus = "not_attempted"
    has_keys: bool = False
    signature: Outcome = ""
    because: str = ""
    payee: Outcome = ""
    names: tuple[Target, ...] = ()
    leads_to: tuple[Target, ...] = ()
    endpoints: tuple[Target, ...] = ()
    observed_at: int = 0
    valid_until: int = 0


class Payment(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Payment in the input of a decision.

    endpoint    host that takes the money; None where the caller names none, or an unreadable one
    unreadable  the caller's endpoint is not the address of a host
    payee_type  kind of the payee's identifier; empty without one
    payee_hash  keyed BLAKE2b of the identifier, as hexadecimal digits; the identifier itself goes no further
    amount      amount of the payment
    merchant    comparison with the files of the destination's host; None without a comparison
    """

    endpoint: Target | None = None
    unreadable: bool = False
    payee_type: str = ""
    payee_hash: str = ""
    amount: Amount | None = None
    merchant: MerchantReading | None = None


def payee_hash(kind: str, identifier: str, key: bytes) -> str:
    """Keyed hash of a payee's identifier, without the spaces and the case in which people write one.

    The case of a Base58 address is part of the address: it stays, except in hexadecimal addresses and IBANs.
    """
    return hashlib.blake2b(f"{kind}\0{folded(kind, identifier)}".encode(), key=key, digest_size=16).hexdigest()


def folded(kind: str, identifier: str) -> str:
    """Identifier without spaces, and without case where case is not part of it."""
    text = "".join(identifier.split())
    return text.lower() if text[:2].lower() == "0x" or kind == "iban" else text
