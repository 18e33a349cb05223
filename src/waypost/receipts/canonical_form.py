"""Canonical spellings in a receipt: base64url without padding, and the canonical form of a URL."""

from __future__ import annotations

import base64
import hashlib
import hmac

from waypost.models.decision import SensitiveUrl

SALT_BYTES = 16


def encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def decode(text: str) -> bytes:
    """Base64url without padding, in its canonical spelling (RFC 7515 appendix C). Raises ValueError."""
    # Padding is optional in base64url (RFC 4648, section 3.2), and Python's decoder demands it.
    data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    # The last letter may carry unused bits; a decoder that ignores them accepts two spellings of one receipt.
    if encode(data) != text:
        raise ValueError("this is not how base64url is written")
    return data


def canonical_url(url: SensitiveUrl | str) -> str:
    """A URL as the WHATWG parser writes it, without fragment and credentials. Raises ValueError."""
    if isinstance(url, SensitiveUrl):
        if known := url.canonical:
            return known
        text = url.reveal()
    else:
        text = url
    import ada_url

    # Without either sign the parser's short way suffices.
    if "#" not in text and "@" not in text:
        return str(ada_url.normalize_url(text))
    parsed = ada_url.URL(text)
    parsed.username = parsed.password = parsed.hash = ""
    return parsed.href


def url_hash(salt: bytes, url: SensitiveUrl | str) -> str:
    """Salted SHA-256 of the canonical URL, base64url. Raises ValueError."""
    return encode(hashlib.sha256(salt + canonical_url(url).encode()).digest())


def is_hash_of(digest: str, salt: str, url: SensitiveUrl | str) -> bool:
    """Whether a hash with its encoded salt belongs to a URL; False for an invalid URL or salt."""
    try:
        raw = decode(salt)
        return len(raw) == SALT_BYTES and hmac.compare_digest(digest, url_hash(raw, url))
    except Exception:  # noqa: BLE001 - a URL that cannot be parsed is another URL
        return False
