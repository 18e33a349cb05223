"""Whom we believe about certificates: the machine's own store, or the one that comes with certifi where it has none."""

from __future__ import annotations

import ssl
from functools import cache


@cache
def default_trust() -> ssl.SSLContext:
    """Verification on, names checked, HTTP/1.1. Made once: reading a store takes some 20 ms."""
    paths = ssl.get_default_verify_paths()
    if paths.cafile or paths.capath:
        trust = ssl.create_default_context()
    else:
        import certifi

        trust = ssl.create_default_context(cafile=certifi.where())
    trust.set_alpn_protocols(["http/1.1"])
    return trust
