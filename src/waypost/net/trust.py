"""Trust store for certificates: that of the machine, or of certifi where the machine has none."""

from __future__ import annotations

import ssl
from functools import cache


@cache
def default_trust() -> ssl.SSLContext:
    """TLS context with verification of certificates and names, for HTTP/1.1. Cached: loading takes some 20 ms."""
    paths = ssl.get_default_verify_paths()
    if paths.cafile or paths.capath:
        trust = ssl.create_default_context()
    else:
        import certifi

        trust = ssl.create_default_context(cafile=certifi.where())
    # Only HTTP/1.1 is spoken, and a server must not choose HTTP/2.
    trust.set_alpn_protocols(["http/1.1"])
    return trust
