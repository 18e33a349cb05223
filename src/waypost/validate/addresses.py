"""The quick look at an address: nearly every one on a page is plain, and no rule has anything to say about it."""

from __future__ import annotations

import re
from functools import lru_cache

from waypost.formats.patterns import pattern
from waypost.models.page import Node, Value

_PLAIN = pattern(
    r"https?://(?!localhost|127\.|10\.|192\.168\.)(?:[A-Za-z0-9](?:[A-Za-z0-9\-_]*[A-Za-z0-9])?\.)+"
    r"(?!local\b|internal\b|lan\b|localhost\b)[A-Za-z]{2,24}(?::\d{1,4})?(?:[/?#][^\s{}<>\[\]%]*(?:%[0-9A-Fa-f]{2}[^\s{}<>\[\]%]*)*)?",
    re.ASCII,
)
_MOST = 300


def is_sound(value: Value) -> bool:
    """Is it a well-formed http(s) address of a public name, or a thing that is more than a reference?

    False only means that a value is worth a closer look.
    """
    if isinstance(value, Node):
        return not value.reference or value.id is None or is_plain(value.id)
    return is_plain(value)


def is_plain(value: Value) -> bool:
    """Is it a text that is a well-formed http(s) address of a public name?"""
    return isinstance(value, str) and len(value) < _MOST and _is_plain(value)


@lru_cache(maxsize=2048)
def _is_plain(text: str) -> bool:
    return _PLAIN.fullmatch(text) is not None
