"""Canonical form of the URL in a receipt, and its salted hash."""

from __future__ import annotations

import hashlib
import hmac

from waypost.models.decision import SensitiveUrl

SALT_BYTES = 16


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
    from joserfc.util import urlsafe_b64encode

    return urlsafe_b64encode(hashlib.sha256(salt + canonical_url(url).encode()).digest()).decode()


def is_hash_of(digest: str, salt: str, url: SensitiveUrl | str) -> bool:
    """Whether a hash with its encoded salt belongs to a URL; False for an invalid URL or salt."""
    from joserfc.util import urlsafe_b64decode

    try:
        raw = urlsafe_b64decode(salt.encode())
        return len(raw) == SALT_BYTES and hmac.compare_digest(digest, url_hash(raw, url))
    except Exception:  # noqa: BLE001 - a URL that cannot be parsed is another URL
        return False
