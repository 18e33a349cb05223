"""Rules of a robots.txt (RFC 9309, read 2026-11-20), and `crawl-delay`, which the RFC leaves out.

Pure functions: fetching and caching are the matter of `crawl`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote

import msgspec

MOST_BYTES = 512_000
"""RFC 9309, 2.5: at least 500 KiB must be read; the rest is ignored."""
MOST_RULES = 5_000
MOST_DELAY_S = 30.0

_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_SAFE = "!#$%&'()*+,/:;=?@[]~"
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_TOKEN = re.compile(r"[A-Za-z_-]+")


class _Line(msgspec.Struct, frozen=True):
    pattern: str
    allows: bool


class Robots(msgspec.Struct, frozen=True):
    """Rules for a crawler, in file order, with the delay between requests in seconds; `sitemaps` are for all."""

    lines: tuple[_Line, ...] = ()
    delay_s: float = 0.0
    sitemaps: tuple[str, ...] = ()

    def allows(self, target: str) -> bool:
        """Whether a path with query may be fetched. The longest matching pattern decides; on a tie, `Allow` (2.2.2)."""
        path = _plain(target)
        # The file itself is always allowed (RFC 9309, 2.2.2).
        if path == "/robots.txt":
            return True
        fitting = [line for line in self.lines if _fits(path, line.pattern)]
        return not fitting or max(fitting, key=lambda line: (len(line.pattern), line.allows)).allows


ALLOW_ALL = Robots()


def read(data: bytes, token: str) -> Robots:
    """Rules of a robots.txt for a product token. Never raises; invalid lines are ignored."""
    groups: dict[str, list[tuple[str, str]]] = {}
    named: list[str] = []
    heading = False
    for key, value in _pairs(data):
        if key == "user-agent":
            # Rules ended the group before; further user-agent lines in a row name the same group (RFC 9309, 2.1).
            if not heading:
                named = []
            found = _TOKEN.match(value)
            named.append("*" if value.startswith("*") else found[0].lower() if found else "")
            groups.setdefault(named[-1], [])
            heading = True
        elif key in {"allow", "disallow", "crawl-delay"}:
            heading = False
            for name in named:
                groups[name].append((key, value))
    # The group of our own name holds alone; the one of `*` is for crawlers without (RFC 9309, 2.2.1).
    mine = groups.get(token.lower(), groups.get("*", []))
    # An empty Disallow forbids nothing.
    lines = [_Line(_plain(value), key == "allow") for key, value in mine if key != "crawl-delay" and value]
    return Robots(
        tuple(lines[:MOST_RULES]),
        max((_delay(value) for key, value in mine if key == "crawl-delay"), default=0),
        tuple(value for key, value in _pairs(data) if key == "sitemap" and value),
    )


def _pairs(data: bytes) -> Iterator[tuple[str, str]]:
    text = data[:MOST_BYTES].decode("utf-8", "replace").removeprefix("\ufeff")
    for line in re.split(r"\r\n|\r|\n", text):
        key, colon, value = line.partition("#")[0].partition(":")
        if colon:
            yield key.strip().lower(), value.strip()


def _delay(value: str) -> float:
    try:
        return min(max(float(value), 0.0), MOST_DELAY_S)
    except ValueError:
        return 0.0


def _plain(path: str) -> str:
    """Path in the canonical spelling for comparisons (RFC 9309, 2.2.2)."""

    def spelled(escape: re.Match[str]) -> str:
        character = chr(int(escape[1], 16))
        return character if character in _UNRESERVED else escape[0].upper()

    return _ESCAPE.sub(spelled, quote(path, safe=_SAFE, errors="replace"))


def _fits(path: str, pattern: str) -> bool:
    """Whether a pattern matches the beginning of a path. `*` is any text; a final `$` is the end of the path."""
    whole = pattern.endswith("$")
    first, *rest = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    if not rest:
        return not whole or path == first
    at = len(first)
    # Each part at its first place: that leaves the most text for those behind it, so that no backtracking is needed.
    for part in rest[:-1] if whole else rest:
        at = path.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return not whole or (path.endswith(rest[-1]) and len(path) - len(rest[-1]) >= at)
