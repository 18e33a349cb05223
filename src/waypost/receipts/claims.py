"""Header and claims of a receipt, and the limits on its lifetime."""

from __future__ import annotations

from typing import Literal

import msgspec

Algorithm = Literal["EdDSA", "Ed25519"]

TYPE = "waypost-receipt+jwt"
ALGORITHMS: tuple[Algorithm, ...] = ("EdDSA", "Ed25519")
"""Names from RFC 8037, known to more libraries, and from RFC 9864. Both are accepted, for an Ed25519 key alone."""
SKEW_S = 30
"""Largest difference between the clocks of signer and verifier, in seconds."""
LONGEST_S = 86_400
"""Longest lifetime of a receipt in seconds, however long its decision is valid."""


class ReceiptHeader(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """JOSE header. Unknown members are errors: RFC 7515 lets `crit`, `jwk` and others change the verification."""

    alg: str
    kid: str
    typ: str


class ReceiptClaims(msgspec.Struct, frozen=True, kw_only=True):
    """Payload of a receipt. `iat` and `exp` are seconds since 1970, UTC; `exp` is never after the decision's end.

    dom, act, ok   normalized domain, action, and whether the action may go ahead
    rc, unk, conf, pol  reason codes, unknowns, confidence class and policy version of the decision
    uh, us         hash of the URL, and the salt of that hash
    """

    iss: str
    aud: str
    jti: str
    iat: int
    exp: int
    dom: str
    act: str
    ok: bool
    rc: tuple[str, ...]
    unk: tuple[str, ...]
    conf: str
    pol: str
    uh: str
    us: str
