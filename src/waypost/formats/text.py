"""Text in messages: similar names, clipping, lists of words, timestamps."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import lru_cache

from waypost.formats.patterns import pattern


def near(name: str, known: Iterable[str], most: int = 2) -> list[str]:
    """Known names similar to `name`, best first, letter case ignored."""
    import difflib

    folded: dict[str, str] = {}
    for candidate in known:
        folded.setdefault(candidate.casefold(), candidate)
    found = difflib.get_close_matches(name.casefold()[:80], folded, n=most, cutoff=0.75)
    return [folded[match] for match in found]


def clip(text: str, most: int = 60) -> str:
    """Value in a message: single line of at most `most` characters, control characters as escapes."""
    flat = " ".join(text.split()) if text.split() else text
    flat = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in flat[: most + 1])
    return flat if len(flat) <= most else flat[: most - 1].rstrip() + "…"


def join_words(words: Iterable[str], joint: str = "and") -> str:
    """Words as "a, b and c"."""
    *head, last = list(words) or [""]
    return f"{', '.join(head)} {joint} {last}" if head else last


@lru_cache(maxsize=4096)
def timestamp(at: int) -> str:
    """Milliseconds since 1970, UTC, as `2026-11-20T09:45:00.000Z`."""
    # Cached: one decision and the decisions on the same evidence repeat a timestamp many times.
    second, milliseconds = divmod(at, 1000)
    return f"{_second(second)}.{milliseconds:03}Z"


@lru_cache(maxsize=1024)
def _second(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat().removesuffix("+00:00")


_REFERENCE = pattern(r"&(?:[a-z][a-z0-9]{1,31}|#[0-9]{1,7}|#x[0-9a-f]{1,6});", re.IGNORECASE)


def unescaped(text: str) -> str:
    """Text after decoding one layer of HTML escapes.

    A reference without a semicolon stays: `?a=1&copy=2` contains no copyright sign.
    """
    from html import unescape

    return _REFERENCE.sub(lambda found: unescape(found[0]), text)
