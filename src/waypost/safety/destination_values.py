"""Values of parameters named for a destination, `next` or `returnUrl`, where no entry describes the address.

Such a value leads on by a URL, by a host without a scheme, by slashes that a browser reads as the start of a host, or
by another scheme. All texts here are as secret as the URL.
"""

from __future__ import annotations

import base64
import binascii
import re

from waypost.registry.places import unquote_fully
from waypost.safety.suffixes import suffixes_of

FOREIGN = "\0"
"""Value that leads elsewhere and names no readable host: `javascript:...`, `@other.test`."""
_DROPPED = re.compile(r"[\x00-\x20\x7f]+")
"""Characters that a browser drops in or around a URL (WHATWG URL, 4.4)."""
_HOST = re.compile(r"((?:[\w-]+\.)+[a-z][a-z0-9-]{1,23})\.?(?::\d+)?(?:[/?#\\]|$)", re.IGNORECASE)
_SCHEME = re.compile(r"(?:[a-z][a-z0-9+.-]*://|(?:javascript|data|vbscript|file|blob|intent|market):)", re.IGNORECASE)
_ENCODED = re.compile(r"[\w+/-]{12,}={0,2}")
_FILES = frozenset({"do", "md", "pl", "ps", "py", "rs", "sh", "zip"})
"""Endings of files that are top-level domains too: `account.do` is a page."""
_RESERVED = frozenset({"example", "invalid", "test"})
"""Top-level domains for examples (RFC 2606), which the public suffix list does not name."""
_LEADING = frozenset(
    {"away", "exit", "go", "goto", "jump", "leave", "link", "out", "proxy", "redir", "redirect", "url"}
)
"""Segments of a path before a destination: `/redirect/other.test/`."""


def normal_name(name: str) -> str:
    """Name of a parameter in lower case, without separators: `return_URL` and `returnUrl` are the same."""
    return name.lower().replace("_", "").replace("-", "").replace(".", "")


def url_of_host(text: str) -> str:
    """Absolute URL for a text that begins with a host under a known suffix; empty for another text."""
    found = _HOST.match(text)
    if not found:
        return ""
    host = found[1].lower()
    suffixes = suffixes_of(host)
    file = host.count(".") == 1 and host.rpartition(".")[2] in _FILES
    known = suffixes.known or suffixes.registry in _RESERVED
    return f"https://{text}" if known and suffixes.registry != host and not file else ""


def leads_to(value: str) -> str:
    """URL to which a value leads: absolute, FOREIGN, or empty for a place on the same host or a plain word."""
    text = _DROPPED.sub("", unquote_fully(value))
    if re.match(r"[/\\]{2}", text):
        return f"https:{text}"
    if text[:1] in {"/", "?", "#", ""}:
        return ""
    if _SCHEME.match(text):
        return FOREIGN
    if text[0] in "@.\\" and _HOST.match(text.lstrip("@.\\")):
        return FOREIGN
    return url_of_host(text) or _encoded(text)


def _encoded(text: str) -> str:
    """FOREIGN where base64 hides a URL or a host behind slashes."""
    if not _ENCODED.fullmatch(text):
        return ""
    whole = text.rstrip("=").translate(str.maketrans("-_", "+/"))
    try:
        hidden = base64.b64decode(whole + "=" * (-len(whole) % 4)).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return ""
    return FOREIGN if "//" in hidden or "://" in unquote_fully(hidden) else ""


def path_leads_to(path: str) -> str:
    """URL to which a path leads: `//other.test/`, `/redirect/other.test/`; empty for an ordinary path."""
    text = _DROPPED.sub("", unquote_fully(path))
    if rest := re.match(r"[/\\]{2,}(.*)|/(\\.*)", text, re.DOTALL):
        return url_of_host((rest[1] or rest[2]).lstrip("/\\"))
    segments = text.lower().split("/")
    for at, segment in enumerate(segments[:-1]):
        if segment in _LEADING:
            rest_of = segments[at + 1 :]
            # `/redirect/https://other.test/`: the parser leaves an empty segment where the slashes were.
            if rest_of[0].rstrip(":") in {"http", "https"}:
                rest_of = [each for each in rest_of[1:] if each]
            return url_of_host("/".join(rest_of))
    return ""
