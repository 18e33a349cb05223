"""Text in messages: similar names, clipping, lists of words, timestamps."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import lru_cache

from waypost.formats.patterns import pattern

_SIMILAR = 0.75
"""Least part of two similar names that is equal, as `difflib` measures it."""


def near(name: str, known: Iterable[str]) -> list[str]:
    """Known names similar to `name`, at most two, best first, letter case ignored."""
    written = name.casefold()[:80]
    folded: dict[str, str] = {}
    for candidate in known:
        folded.setdefault(candidate.casefold(), candidate)
    likely = [each for each in folded if _shared_letters(written, each) >= _SIMILAR * (len(written) + len(each)) / 2]
    if not likely:
        return []
    import difflib

    return [folded[match] for match in difflib.get_close_matches(written, likely, n=2, cutoff=_SIMILAR)]


def _shared_letters(name: str, other: str) -> int:
    """Letters in both names, at whatever place: no more are in a common order."""
    return sum(min(name.count(char), other.count(char)) for char in set(name))


def clip(text: str, most: int = 60) -> str:
    """Value in a message: single line of at most `most` characters, control characters as escapes."""
    # As many words are longer than the line: the rest of a long text need not be split.
    words = text.split(None, most + 1)
    flat = (" ".join(words) if words else text)[: most + 1]
    if not flat.isprintable():
        flat = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in flat)
    return flat if len(flat) <= most else flat[: most - 1].rstrip() + "…"


_CONTROL = pattern(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_TAG = pattern(r"<[a-zA-Z/!?][^<>]*>")


def squeezed(text: str) -> str:
    """White space collapsed; control characters and lone surrogates gone."""
    return " ".join(_CONTROL.sub(" ", text).split())


def untagged(text: str) -> str:
    """Text without tags, white space collapsed."""
    return squeezed(_TAG.sub(" ", text)) if "<" in text else text


def cut(text: str, most: int) -> str:
    """At most so many characters, cut at a word where one ends in the second half, the ellipsis counted."""
    if len(text) <= most:
        return text
    head = text[:most]
    space = head.rfind(" ")
    head = head[:space] if space > most // 2 else text[: most - 1]
    return head.rstrip(" ,;:-–—.") + "…"


# What no reader sees, or what reorders what a reader sees (UAX 9): direction marks, zero-width marks and fillers,
# variation selectors and tags that can carry a hidden message, control characters. A joiner stays where a script or
# a picture needs one, alone between two characters outside of ASCII. `text.js` has the same sets.
_HIDDEN = pattern(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
    "|[\u200c\u200d]{2,}|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
)
_LINE_END = pattern("[\u2028\u2029]")
_MOST_NAME = 200


def without_hidden(text: str) -> str:
    """Text of a third party without characters that are invisible or reorder the visible ones."""
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub("", _LINE_END.sub(" ", text))


def display_name(text: str) -> str:
    """Name given by a third party, for an answer or a page: one line without hidden characters, cut."""
    if text.isascii() and text.isprintable() and len(text) <= _MOST_NAME:
        return text
    line = " ".join(without_hidden(text).split())
    return line if len(line) <= _MOST_NAME else line[: _MOST_NAME - 1].rstrip() + "…"


def display_url(url: str) -> str:
    """URL given by a third party, for an answer or a page: hidden characters percent-encoded, so that they are seen."""
    if url.isascii():
        return url
    from urllib.parse import quote

    return _HIDDEN.sub(lambda found: quote(found[0]), url)


def spelled(value: object) -> str:
    """Value of JSON as a key: the same text for equal values."""
    return repr(value)


def one_letter_less(word: str) -> tuple[str, ...]:
    """Word, then the word without each of its letters: words a typing error apart have an entry in common."""
    return (word, *(word[:n] + word[n + 1 :] for n in range(len(word))))


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
