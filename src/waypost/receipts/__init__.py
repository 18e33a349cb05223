"""Signed decisions about one action at one URL, which can be verified offline.

    result = verify(receipt, jwks, url=url, action="payment", audience=organization)
    if not result:
        stop(result.reason)

A receipt is a JWS in compact form (RFC 7515), signed with Ed25519 (RFC 8037). It holds the host of the URL and a
salted hash of the whole, which only a party that knows the URL can check. A receipt expires no later than its
decision.

The keys are in `signing-keys.json` of the data folder, readable by its owner alone; their public halves are in
`jwks.json` in the same folder. A new key is published for a day before it signs, and an old key until the last
of its receipts has expired.
"""

from waypost.receipts.canonical_form import canonical_url
from waypost.receipts.claims import ALGORITHMS, LONGEST_S, SKEW_S, TYPE, Algorithm, ReceiptClaims
from waypost.receipts.key_file import (
    PUBLIC_FILE,
    SECRET_FILE,
    SigningError,
    SigningKey,
)
from waypost.receipts.rotation import AHEAD_MS, Rotated, RotationError, rotate_signing
from waypost.receipts.signing import SigningKeys
from waypost.receipts.verification import Reason, ReceiptInvalid, Verified, read, verify

__all__ = [
    "AHEAD_MS",
    "ALGORITHMS",
    "LONGEST_S",
    "PUBLIC_FILE",
    "SECRET_FILE",
    "SKEW_S",
    "TYPE",
    "Algorithm",
    "Reason",
    "ReceiptClaims",
    "ReceiptInvalid",
    "Rotated",
    "RotationError",
    "SigningError",
    "SigningKey",
    "SigningKeys",
    "Verified",
    "canonical_url",
    "read",
    "rotate_signing",
    "verify",
]
