"""URLs in structured data, absolute and relative."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import urlsplit

from waypost.formats.patterns import pattern


class UrlParts(NamedTuple):
    """Scheme ("" when relative) and host of a URL, in lower case. `error`: reason why the text is not a URL."""

    scheme: str
    host: str
    error: str | None = None


RUNNABLE = frozenset({"javascript", "vbscript", "data"})
"""Schemes of URLs that carry their content: following one runs or shows it."""

_SCHEME = pattern(r"([A-Za-z][A-Za-z0-9+.\-]*):")
_CARRIES = pattern(r":\s*(?:[\w.+-]+/[\w.+-]+[^,]*|(?:;[^,\s]*)?),")
_WEB_ADDRESS = pattern(r"https?://[^\s/?#\\]", re.IGNORECASE)
_NAME = pattern(r"urn:[a-z0-9][a-z0-9-]{0,31}:[^\s]", re.IGNORECASE)
_BEFORE_PATH = pattern(r"[^/?#]*")
_IGNORED_BEFORE = "".join(map(chr, range(0x21)))
_IGNORED_INSIDE = str.maketrans("", "", "\t\n\r")


def is_web_address(text: str) -> bool:
    """Whether a reader may follow the text as a link: an absolute URL over http or https.

    The one rule for every address that leaves in a document, a card or an answer: nothing else can run a script.
    """
    return _WEB_ADDRESS.match(text) is not None


def is_identifier(text: str) -> bool:
    """Whether the text may stand as an identifier: a web address, or a `urn:`, which leads nowhere."""
    return is_web_address(text) or _NAME.match(text) is not None


def has_two_hosts(text: str) -> bool:
    """Whether programs read different hosts in an absolute web address, because a backslash stands before the path.

    Browsers end the host there (WHATWG URL, 4.4); by RFC 3986 the host goes on: `https://a.test\\@b.test/` leads a
    browser to a.test, and curl, urllib or httpx to b.test.
    """
    before = _BEFORE_PATH.match(text.partition(":")[2].lstrip("/"))
    return before is not None and "\\" in before[0]


def scheme_of(text: str) -> str:
    """Scheme in lower case as a browser reads it, "" without one.

    Browsers ignore control characters before a URL, and tabs and line ends inside: `java<tab>script:` runs.
    """
    found = _SCHEME.match(text.lstrip(_IGNORED_BEFORE).translate(_IGNORED_INSIDE))
    return found[1].lower() if found else ""


def runs_script(text: str) -> bool:
    """Whether a browser that follows the text would run it, or show what it carries as a page.

    `data: 5 GB` is a text: without a comma behind a media type nothing is carried.
    """
    scheme = scheme_of(text)
    return scheme in RUNNABLE and (scheme != "data" or _CARRIES.search(text) is not None)


_BAD_PORT = "the port is not a number up to 65535"


def parse_url(text: str) -> UrlParts:
    """Parse an absolute or relative URL; never raises."""
    text = text.strip()
    found = _SCHEME.match(text)
    scheme = found[1].lower() if found else ""
    # Other schemes have no host to check.
    if scheme not in ("http", "https") and not text.startswith("//"):
        return UrlParts(scheme, "")
    try:
        parts = urlsplit(text)
        host = parts.hostname or ""
        # Reading the port checks it: urlsplit alone does not.
        _ = parts.port
    except ValueError as error:
        return UrlParts(scheme, "", _BAD_PORT if str(error).startswith("Port") else str(error))
    if not host:
        return UrlParts(scheme, "", "it names no host")
    if any(c in '<>"^`{|}\\ %' or c.isspace() for c in host) or ".." in host or host.startswith("."):
        return UrlParts(scheme, host, f"{host!r} is not a host name")
    return UrlParts(scheme, host)


_BROKEN_SCHEME = pattern(
    r"(?!https?://)(?:h{0,2}t{1,3}p{1,2}(s{0,2})(?:[:;.,]{1,2}[/\\]{1,2}|[/\\]{2})|http(s?):)"
    r"(?=[a-z0-9-]+(?:\.[a-z0-9-]+)+(?:[/?#:]|\Z))",
    re.ASCII | re.IGNORECASE,
)
_DOUBLED_SCHEME = pattern(r"(?:https?:?/*|/{2,})(?=https?://[^/])", re.IGNORECASE)
_LOCAL_HOST = pattern(
    r"localhost|.*\.(?:localhost|local|internal|lan)|127\.\d+\.\d+\.\d+|10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|::1"
    r"|(?!https?\Z)[a-z\d_-]+",  # a scheme in the place of the host is reported as that
    re.ASCII,
)


def is_local_host(host: str) -> bool:
    """Is a host one of a private network or a developer's machine, or a name without a dot?"""
    return _LOCAL_HOST.fullmatch(host) is not None


def with_scheme_fixed(text: str) -> str | None:
    """URL whose misspelled or doubled scheme is corrected; None where the scheme is not the error.

    "https//example.com", "http:/example.com", "htps://example.com", "http://https://example.com" and
    "//https://example.com" have one reading.
    """
    if found := _DOUBLED_SCHEME.match(text):
        return text[found.end() :]
    found = _BROKEN_SCHEME.match(text)
    return f"{'https' if found[1] or found[2] else 'http'}://{text[found.end() :]}" if found else None
