"""Verification of a receipt against a key set. A defect is a result, never an exception."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from waypost.models.decision import SensitiveUrl
from waypost.receipts.canonical_form import is_hash_of
from waypost.receipts.claims import ALGORITHMS, LONGEST_S, SKEW_S, TYPE, ReceiptClaims, ReceiptHeader
from waypost.receipts.jose import public_key, registry

if TYPE_CHECKING:
    from joserfc.jwk import OKPKey

MOST_BYTES = 8192
Reason = Literal[
    "malformed",
    "unknown_type",
    "unknown_algorithm",
    "unknown_key",
    "bad_signature",
    "bad_claims",
    "not_yet_valid",
    "expired",
    "other_audience",
    "other_action",
    "other_url",
    "action_not_allowed",
]


class Verified(NamedTuple):
    """Result for a valid receipt. As a condition it is true.

    unknowns  facts that no offline verification can see: only the service (`POST /v1/receipts/verify`) knows whether
    the organization has frozen its actions since
    """

    claims: ReceiptClaims
    unknowns: tuple[str, ...] = ("freeze_not_checked",)

    def __bool__(self) -> bool:
        return True


class ReceiptInvalid(NamedTuple):
    """Result for a receipt that must be treated as a stop. As a condition it is false."""

    reason: Reason

    def __bool__(self) -> bool:
        return False


def verify(
    receipt: str,
    jwks: Mapping[str, Any],
    *,
    url: SensitiveUrl | str,
    action: str,
    audience: str | None = None,
    now: int | None = None,
) -> Verified | ReceiptInvalid:
    """Whether a receipt allows an action at a URL now; ReceiptInvalid with the reason where not.

    jwks      key set of the service that signed, from its `/.well-known/jwks.json`
    audience  required audience: your organization's id, or the audience named in your request; None accepts any
    now       milliseconds since 1970, UTC; the system's clock by default

    Raises MissingExtra where `joserfc` is not installed, and no further error.
    """
    result = read(receipt, jwks, now=now)
    if isinstance(result, ReceiptInvalid):
        return result
    claims = result.claims
    if audience is not None and claims.aud != audience:
        return ReceiptInvalid("other_audience")
    if claims.act != action:
        return ReceiptInvalid("other_action")
    if not is_hash_of(claims.uh, claims.us, url):
        return ReceiptInvalid("other_url")
    if claims.ok is not True:
        return ReceiptInvalid("action_not_allowed")
    return result


def read(receipt: str, jwks: Mapping[str, Any], *, now: int | None = None) -> Verified | ReceiptInvalid:
    """Signature and lifetime of a receipt, without regard to its decision. Parameters as in `verify`."""
    registry()
    try:
        claims = _signed_claims(receipt, jwks)
        if isinstance(claims, ReceiptInvalid):
            return claims
        return _in_time(claims, time.time_ns() // 1_000_000 if now is None else now)
    except Exception:  # noqa: BLE001 - a text that cannot be parsed is no receipt
        return ReceiptInvalid("malformed")


def _signed_claims(receipt: str, jwks: Mapping[str, Any]) -> ReceiptClaims | ReceiptInvalid:
    from joserfc.jws import extract_compact, validate_compact
    from joserfc.util import urlsafe_b64decode

    # Before anything is decoded.
    if len(receipt) > MOST_BYTES:
        return ReceiptInvalid("malformed")
    found = extract_compact(receipt.encode("ascii"), registry=registry())
    header = msgspec.json.decode(urlsafe_b64decode(found.segments["header"]), type=ReceiptHeader)
    urlsafe_b64decode(found.segments["signature"])  # another spelling is no wrong signature, but no receipt
    if header.typ != TYPE:
        return ReceiptInvalid("unknown_type")
    # RFC 8725, section 3.1: the verifier names the algorithms, `none` is not among them.
    if header.alg not in ALGORITHMS:
        return ReceiptInvalid("unknown_algorithm")
    key = _public_key(jwks, header.kid)
    if key is None:
        return ReceiptInvalid("unknown_key")
    if not validate_compact(found, key, registry=registry()):
        return ReceiptInvalid("bad_signature")
    # Claims are read after the signature: before it the payload is whatever a third party wrote.
    try:
        return msgspec.json.decode(found.payload, type=ReceiptClaims)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ReceiptInvalid("bad_claims")


def _in_time(claims: ReceiptClaims, now: int) -> Verified | ReceiptInvalid:
    if claims.exp <= claims.iat or claims.exp - claims.iat > LONGEST_S:
        return ReceiptInvalid("bad_claims")
    if now < (claims.iat - SKEW_S) * 1000:
        return ReceiptInvalid("not_yet_valid")
    if now >= (claims.exp + SKEW_S) * 1000:
        return ReceiptInvalid("expired")
    return Verified(claims)


def _public_key(jwks: Mapping[str, Any], kid: str) -> OKPKey | None:
    """Ed25519 key of a name. The key set says the kind of key, never the receipt (RFC 8725, 3.1)."""
    named = [key for key in jwks["keys"] if isinstance(key, Mapping) and key.get("kid") == kid]
    # Two keys of one name would leave it open which one signed.
    if len(named) != 1:
        return None
    key = named[0]
    if key.get("kty") != "OKP" or key.get("crv") != "Ed25519" or key.get("use", "sig") != "sig":
        return None
    if key.get("alg", "EdDSA") not in ALGORITHMS:
        return None
    return public_key(key["x"])
