"""Signed checkout of a merchant, verified with the published keys of the destination's host.

Three forms are read: the checkout of the Universal Commerce Protocol with a detached signature in
`ap2.merchant_authorization`, a JWT of the checkout, and the checkout mandate of AP2, an SD-JWT around such a JWT. The
user's own signature on a mandate is not verified: the merchant's signature alone is evidence about the payee.

Sources: UCP, "AP2 Mandates Extension" and "Message Signatures" (ucp.dev, 2026-08-25); AP2 0.2, "Checkout Mandate"
(ap2-protocol.org); RFC 7515, 7517, 8785 and 9901. Read 2026-11-29.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from waypost.formats.canonical_json import canonical_json
from waypost.models.payment import Amount, Outcome

LONGEST = 65_536
"""Longest signed checkout in characters."""
_MOST_PARTS, _MOST_KEYS = 128, 16
_SKEW_S = 60
_CURVES = {"ES256": "P-256", "ES384": "P-384", "ES512": "P-521"}
"""Algorithms of mandates, with their curves (UCP, "AP2 Mandates Extension": Cryptographic Requirements)."""
_OVER = frozenset({"completed", "canceled"})
"""States in which a checkout takes no payment (UCP, "Checkout Status")."""


class Checkout(NamedTuple):
    """Outcome of a signed checkout, and the content where a key of the host signed."""

    outcome: Outcome
    because: str = ""
    content: Mapping[str, Any] = {}


class _Signed(NamedTuple):
    """Compact JWS, and the contradiction in the text around the JWS, or empty."""

    token: str
    contradiction: str = ""


def read_checkout(text: str, keys: Sequence[Mapping[str, Any]], amount: Amount | None, now: int) -> Checkout:
    """Checkout of a caller's text, verified by the host's keys. Never raises.

    keys  JSON Web Keys of the host
    now   milliseconds since 1970, UTC
    """
    try:
        signed = _signed_of(text) if len(text) <= LONGEST else None
        if signed is None:
            return Checkout("unseen", "unreadable")
        if signed.contradiction:
            return Checkout("contradicts", signed.contradiction)
        verified = _verified(signed.token, keys, now)
        if verified.outcome != "agrees":
            return verified
        because = _contradiction(verified.content, amount, now)
        if because:
            return Checkout("contradicts", because, verified.content)
        if amount is not None and _total(verified.content) is None:
            return Checkout("unseen", "amount", verified.content)
        return verified
    except Exception:  # noqa: BLE001  a text of a stranger must never prevent a decision
        return Checkout("unseen", "unreadable")


def _signed_of(text: str) -> _Signed | None:
    """Merchant's signature in a text of the three forms; None for any further text."""
    text = text.strip()
    if text.startswith("{"):
        return _detached(_object(text.encode()))
    if "~" in text:
        return _of_mandate(text)
    if text.count(".") != 2:
        return None
    # A mandate without disclosures is a JWT around the merchant's JWT.
    content = _object(_decoded(text.split(".")[1]))
    return _inner([content]) if "checkout_jwt" in content or "ap2" in content else _Signed(text)


def _detached(checkout: Mapping[str, Any]) -> _Signed | None:
    """Detached signature over a UCP checkout without its member `ap2` (RFC 7515, appendix F)."""
    ap2 = checkout.get("ap2")
    signature = ap2.get("merchant_authorization") if isinstance(ap2, Mapping) else None
    if not isinstance(signature, str):
        return None
    header, _, tail = signature.partition("..")
    payload = canonical_json({name: value for name, value in checkout.items() if name != "ap2"})
    return _Signed(f"{header}.{_encoded(payload)}.{tail}")


def _of_mandate(text: str) -> _Signed | None:
    """Merchant's JWT in an SD-JWT, or in a chain of them: payloads and disclosures are read alike."""
    parts = [part for part in text.split("~") if part]
    if len(parts) > _MOST_PARTS:
        return None
    found: list[Mapping[str, Any]] = []
    for part in parts:
        if part.count(".") == 2:
            found.append(_object(_decoded(part.split(".")[1])))
            continue
        disclosed = msgspec.json.decode(_decoded(part))
        if isinstance(disclosed, list) and len(disclosed) == 3 and isinstance(disclosed[1], str):
            found.append({disclosed[1]: disclosed[2]})
        elif isinstance(disclosed, list) and len(disclosed) == 2 and isinstance(disclosed[1], dict):
            found.append(disclosed[1])
    return _inner(found)


def _inner(found: Sequence[Mapping[str, Any]]) -> _Signed | None:
    """Merchant's signature among the claims of a mandate, with its hash compared."""
    tokens = [claims["checkout_jwt"] for claims in found if isinstance(claims.get("checkout_jwt"), str)]
    if not tokens:
        inner = (claims.get("checkout", claims) for claims in found)
        return next((made for each in inner if isinstance(each, Mapping) and (made := _detached(each))), None)
    hashes = [claims["checkout_hash"] for claims in found if isinstance(claims.get("checkout_hash"), str)]
    algorithms = {claims["_sd_alg"] for claims in found if "_sd_alg" in claims}
    if len(tokens) > 1 or len(hashes) != 1 or not algorithms <= {"sha-256"}:
        return None
    token = str(tokens[0])
    digest = _encoded(hashlib.sha256(token.encode()).digest())
    if not hmac.compare_digest(digest.encode(), str(hashes[0]).rstrip("=").encode()):
        return _Signed(token, "hash")
    return _Signed(token if "." in token else _decoded(token).decode())


def _verified(token: str, keys: Sequence[Mapping[str, Any]], now: int) -> Checkout:
    """Content of a JWS with the signature of a key of the host."""
    first, payload, _ = token.split(".")
    header = _object(_decoded(first))
    # Members that change what is signed; a key that comes with the token is the signer's word about itself.
    if "crit" in header or "b64" in header or header.get("alg") not in _CURVES:
        return Checkout("unseen", "algorithm")
    if not keys:
        return Checkout("unseen", "no_key")
    kid = header.get("kid")
    fitting = [
        key for key in keys if (kid is None or key.get("kid") == kid) and key.get("crv") == _CURVES[header["alg"]]
    ]
    current = [key for key in fitting[:_MOST_KEYS] if _is_in_time(key, now)]
    if not current:
        return Checkout("contradicts", "key_expired" if fitting else "key_unknown")
    try:
        is_signed = any(_is_signed_by(token, key, header["alg"]) for key in current)
    except ImportError:
        return Checkout("failed", "not_installed")
    return Checkout("agrees", "", _object(_decoded(payload))) if is_signed else Checkout("contradicts", "signature")


def _is_signed_by(token: str, key: Mapping[str, Any], algorithm: str) -> bool:
    from joserfc.errors import JoseError
    from joserfc.jwk import ECKey
    from joserfc.jws import JWSRegistry, deserialize_compact

    # Limits on the size are those of `LONGEST`.
    registry = JWSRegistry(algorithms=[algorithm])
    registry.max_payload_length = LONGEST
    registry.max_header_length = LONGEST
    try:
        public = ECKey.import_key({name: str(key[name]) for name in ("kty", "crv", "x", "y")})
        deserialize_compact(token, public, registry=registry)
    except (JoseError, ValueError, KeyError):
        return False
    return True


def usable_keys(profile: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """Keys of a UCP profile for verifying a mandate: of `signing_keys`, and of the mirror `keys`."""
    entries = [key for name in ("signing_keys", "keys") for key in _list(profile.get(name))[:_MOST_KEYS]]
    return tuple(
        key
        for key in entries
        if isinstance(key, Mapping) and key.get("kty") == "EC" and key.get("use", "sig") == "sig" and "d" not in key
    )


def _is_in_time(key: Mapping[str, Any], now: int) -> bool:
    """Whether a key is in force; `nbf` and `exp` of a key are seconds, as in OpenID Federation 1.0, section 8.7."""
    begins, ends = key.get("nbf", 0), key.get("exp", math.inf)
    return _is_number(begins) and _is_number(ends) and begins * 1000 <= now < ends * 1000


def _contradiction(content: Mapping[str, Any], amount: Amount | None, now: int) -> str:
    """Why a checkout does not belong to the payment, as a word, or empty."""
    for name in ("exp", "nbf", "iat"):
        if name in content and not _is_number(content[name]):
            return "unreadable"
    if content.get("exp", math.inf) * 1000 <= now or _ends(content) <= now:
        return "expired"
    if max(content.get("nbf", 0), content.get("iat", 0)) * 1000 > now + _SKEW_S * 1000:
        return "not_yet_valid"
    if content.get("status") in _OVER:
        return "over"
    total = _total(content)
    if amount is None or total is None:
        return ""
    differs = total != (amount.currency.upper(), amount.value)
    return "amount" if differs or (amount.cap is not None and total[1] > amount.cap) else ""


def _ends(content: Mapping[str, Any]) -> float:
    """End of a UCP checkout, `expires_at` by RFC 3339, in milliseconds since 1970; 0 for an unreadable date."""
    text = content.get("expires_at")
    if text is None:
        return math.inf
    try:
        ends = datetime.fromisoformat(str(text))
    except ValueError:
        return 0
    return ends.timestamp() * 1000 if ends.tzinfo else 0


def _total(content: Mapping[str, Any]) -> tuple[str, int] | None:
    """Currency and total of a checkout in minor units (UCP, "Checkout": `totals`); None without a single total."""
    totals = [
        each for each in _list(content.get("totals")) if isinstance(each, Mapping) and each.get("type") == "total"
    ]
    currency = content.get("currency")
    if len(totals) != 1 or not isinstance(currency, str):
        return None
    value = totals[0].get("amount")
    return (currency.upper(), value) if isinstance(value, int) and not isinstance(value, bool) else None


def merchant_sites(content: Mapping[str, Any]) -> Iterator[str]:
    """Addresses of the merchant in a checkout: `merchant.website` (AP2), and the URL of an issuer."""
    merchant = content.get("merchant")
    if isinstance(merchant, Mapping) and isinstance(merchant.get("website"), str):
        yield merchant["website"]
    issuer = content.get("iss")
    if isinstance(issuer, str) and "://" in issuer:
        yield issuer


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _object(data: bytes) -> dict[str, Any]:
    """JSON object. Raises ValueError for anything else (msgspec.DecodeError is one)."""
    value = msgspec.json.decode(data)
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except binascii.Error as error:
        raise ValueError("not base64url") from error


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
