"""Trust store for certificates: that of the machine, or of certifi where the machine has none."""

from __future__ import annotations

import ssl
from functools import cache


def new_trust() -> ssl.SSLContext:
    """TLS context with verification of certificates and names. Loading takes some 20 ms."""
    paths = ssl.get_default_verify_paths()
    if paths.cafile or paths.capath:
        return ssl.create_default_context()
    import certifi

    return ssl.create_default_context(cafile=certifi.where())


@cache
def default_trust() -> ssl.SSLContext:
    """TLS context for HTTP/1.1 alone, cached."""
    trust = new_trust()
    # Only HTTP/1.1 is spoken, and a server must not choose HTTP/2.
    trust.set_alpn_protocols(["http/1.1"])
    return trust
