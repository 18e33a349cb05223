"""Values of parameters named for a destination, `next` or `returnUrl`, where no entry describes the address.

Such a value redirects by a URL, by a host without a scheme, by slashes that a browser reads as the start of a host, or
by another scheme. All texts here are as secret as the URL.
"""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from collections.abc import Iterator

import msgspec

from waypost.registry.places import unquote_fully
from waypost.safety.suffixes import suffixes_of

FOREIGN = "\0"
"""Value that leads elsewhere and names no readable host: `javascript:...`, `@other.test`."""
_DROPPED = re.compile(r"[\x00-\x20\x7f]+")
"""Characters that a browser drops in or around a URL (WHATWG URL, 4.4)."""
# A host without a scheme: labels and a top-level domain that is not a number, then a port, a path or the end.
_HOST = re.compile(r"((?:[\w-]+\.)+[a-z][a-z0-9-]{1,23})\.?(?::\d+)?(?:[/?#\\]|$)", re.IGNORECASE)
# Any scheme with an authority, and those without one that run code or open an app.
_SCHEME = re.compile(r"(?:[a-z][a-z0-9+.-]*://|(?:javascript|data|vbscript|file|blob|intent|market):)", re.IGNORECASE)
HIDDEN = re.compile(r"(?P<three>aHR0c|Oi8v)|(?P<two>ovL)|(?P<one>6Ly)|(?P<hex>(?i:68747470(?:73)?3a(?:[0-9a-f]{2})+))")
"""Sign of a URL in base 64 (RFC 4648, sections 4 and 5) or in hexadecimal digits.

The names say how many bytes of the sign are in its first group of four letters.
"""
_RUN = re.compile(r"[\w+/-]{8,}", re.ASCII)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))")
_STANDARD = str.maketrans("-_", "+/")
_JSON = frozenset({"ey", "ew", "W3", "Wy", "Ww"})
"""First letters of base 64 of a JSON object or array."""
# Past these bounds a value counts as one that leads elsewhere: an unread rest must not look harmless.
_MOST_MEMBERS = 200
_MOST_DEEP = 4
_ENCODED = re.compile(r"[\w+/-]{12,}={0,2}", re.ASCII)
_FILES = frozenset({"do", "md", "pl", "ps", "py", "rs", "sh", "zip"})
"""Endings of files that are top-level domains too: `account.do` is a page."""
_RESERVED = frozenset({"example", "invalid", "test"})
"""Top-level domains for examples (RFC 2606), which the public suffix list does not name."""
_LEADING = frozenset(
    {"away", "exit", "go", "goto", "jump", "leave", "link", "out", "proxy", "redir", "redirect", "url"}
)
"""Segments of a path before a destination: `/redirect/other.test/`."""


def readable(text: str) -> str:
    """Text with its encodings undone: percent-encoding, character references, escapes, compatibility characters.

    Sites undo each of these somewhere, in HTML, JSON or a normalised host, before a browser follows the URL.
    """
    text = unquote_fully(text)
    if "&#" in text:
        from html import unescape

        text = unescape(text)
    if "\\" in text:
        text = _ESCAPE.sub(lambda found: chr(int(found[1] or found[2], 16)), text)
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def hidden_in(text: str) -> Iterator[str]:
    """Texts behind base 64 or hexadecimal digits, where these show a sign of a URL."""
    for run in _RUN.findall(text):
        begins: set[int] = set()
        for found in HIDDEN.finditer(run):
            if found["hex"]:
                yield readable(bytes.fromhex(found["hex"]).decode("utf-8", "replace"))
            else:
                # Groups of four letters are counted from the sign, whatever stands in front of the encoded text.
                begins.add((found.start() - (2 if found["two"] else 3 if found["one"] else 0)) % 4)
        for begin in begins:
            yield readable(_from_base64(run[begin:]))


def _from_base64(text: str) -> str:
    whole = text.translate(_STANDARD)
    # A single letter over is half a byte, and belongs to the text behind.
    whole = whole[:-1] if len(whole) % 4 == 1 else whole + "=" * (-len(whole) % 4)
    try:
        return base64.b64decode(whole).decode("utf-8", "replace")
    except ValueError:  # letters outside ASCII, or an error of the encoding
        return ""


def members_of(name: str, value: str) -> list[tuple[str, str]]:
    """Names and strings of a JSON object or array in a value, also in base 64 or a JWT; empty for another value."""
    text = readable(value).strip()
    parts = [text] if text[:1] in {"{", "["} else [_from_base64(part) for part in text.split(".") if part[:2] in _JSON]
    found: list[tuple[str, str]] = []
    for part in parts:
        try:
            _collect(name, msgspec.json.decode(part), found, _MOST_DEEP)
        except (msgspec.DecodeError, UnicodeEncodeError):
            return []
    return found


def _collect(name: str, value: object, found: list[tuple[str, str]], levels: int) -> None:
    """Add the strings of a JSON value. What is too deep or too much is added as a value that leads elsewhere."""
    if levels == 0 or len(found) > _MOST_MEMBERS:
        found.append((name, "https:" + FOREIGN))
    elif isinstance(value, dict):
        for key, member in value.items():
            _collect(key, member, found, levels - 1)
    elif isinstance(value, list):
        for member in value:
            _collect(name, member, found, levels - 1)
    elif isinstance(value, str):
        found.append((name, value))


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
    text = _DROPPED.sub("", readable(value))
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
    """FOREIGN where base64 hides a URL, a host behind slashes or a host without a scheme."""
    if not _ENCODED.fullmatch(text):
        return ""
    whole = text.rstrip("=").translate(_STANDARD)
    try:
        hidden = base64.b64decode(whole + "=" * (-len(whole) % 4)).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return ""
    return FOREIGN if "//" in hidden or "://" in unquote_fully(hidden) or url_of_host(hidden) else ""


def path_leads_to(path: str) -> str:
    """URL to which a path leads: `//other.test/`, `/redirect/other.test/`; empty for an ordinary path."""
    if path.count("/") < 2 and "%" not in path:  # no second host, and no segment before another
        return ""
    text = _DROPPED.sub("", readable(path))
    if rest := re.match(r"[/\\]{2,}(.*)|/(\\.*)", text, re.DOTALL):
        return url_of_host((rest[1] or rest[2] or "").lstrip("/\\"))
    segments = text.split("/")
    for at, segment in enumerate(segments[:-1]):
        if segment.lower() in _LEADING:
            rest_of = segments[at + 1 :]
            # `/redirect/https://other.test/`: the parser leaves an empty segment where the slashes were.
            if rest_of[0].lower().rstrip(":") in {"http", "https"}:
                rest_of = [each for each in rest_of[1:] if each]
            return url_of_host("/".join(rest_of)) or _encoded(rest_of[0] if rest_of else "")
    return ""
