"""Addresses of the web in documents: as the URL standard writes them, and as RFC 3986 reads them."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

from waypost.formats.patterns import pattern
from waypost.formats.text import squeezed
from waypost.formats.urls import is_web_address

LONGEST = 8_000
_ABSOLUTE = pattern(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_NOT_IN_URI = pattern(r"[^A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]")
_STRAY_PERCENT = pattern(r"%(?![0-9A-Fa-f]{2})")


class AddressParts(NamedTuple):
    """Host in lower case ("" without one), path and query of a URL."""

    host: str
    path: str
    query: str


def address(value: str, base: str | None) -> str | None:
    """Absolute http(s) address of a text, resolved against `base`; None without one."""
    from ada_url import URL

    value = squeezed(value)
    if not value or len(value) > LONGEST:
        return None
    # A plain word would resolve to a path of the site.
    if not _ABSOLUTE.match(value) and not any(mark in value for mark in "/.#?"):
        return None
    try:
        url = URL(value, base) if base else URL(value)
    except ValueError:
        return None
    return as_uri(url.href) if is_web_address(url.href) and url.hostname else None


def as_uri(value: str) -> str:
    """URL with characters outside RFC 3986 percent-encoded."""
    head, mark, tail = value.partition("?")
    start, scheme, rest = head.partition("://")
    host, slash, path = rest.partition("/")
    # The URL standard leaves these as they are; RFC 3986 allows them in hosts of IPv6 alone.
    path = path.replace("[", "%5B").replace("]", "%5D")
    tail = tail.replace("[", "%5B").replace("]", "%5D")
    whole = f"{start}{scheme}{host}{slash}{path}{mark}{tail}" if scheme else value
    front, hash_, fragment = whole.partition("#")
    whole = front + hash_ + fragment.replace("#", "%23")
    return _STRAY_PERCENT.sub("%25", _NOT_IN_URI.sub(lambda found: quote(found[0]), whole))


def address_parts(url: str | None) -> AddressParts | None:
    """Parts of a URL by RFC 3986; None without a URL, or for an unreadable one."""
    try:
        parts = urlsplit(url) if url else None
        return parts and AddressParts(parts.hostname or "", parts.path, parts.query)
    except ValueError:
        return None


def without_percents(text: str) -> str:
    """Part of a URL, percent-encoding decoded; bytes outside UTF-8 become U+FFFD."""
    return unquote(text)
