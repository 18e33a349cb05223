"""URLs in structured data, absolute and relative."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlsplit

from waypost.formats.patterns import pattern


class UrlParts(NamedTuple):
    """Scheme ("" when relative) and host of a URL, in lower case. `error`: reason why the text is no URL."""

    scheme: str
    host: str
    error: str | None = None


_SCHEME = pattern(r"([A-Za-z][A-Za-z0-9+.\-]*):")


def parse_url(text: str) -> UrlParts:
    """Parse an absolute or relative URL; never raises."""
    text = text.strip()
    found = _SCHEME.match(text)
    scheme = found[1].lower() if found else ""
    if scheme not in ("http", "https") and not text.startswith("//"):
        return UrlParts(scheme, "")
    try:
        parts = urlsplit(text)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError as error:
        return UrlParts(scheme, "", str(error))
    if not host:
        return UrlParts(scheme, "", "it names no host")
    if any(c in '<>"^`{|}\\ %' or c.isspace() for c in host) or ".." in host or host.startswith("."):
        return UrlParts(scheme, host, f"{host!r} is no host name")
    return UrlParts(scheme, host)
