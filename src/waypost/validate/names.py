"""The quick look at the name of an author: most are one or two plain words, of which no rule has anything to say."""

from __future__ import annotations

import re
from functools import lru_cache

from waypost.formats.patterns import pattern
from waypost.models.page import Node, Value

# Two words of letters, neither of which is a title or leads a name in; or a single one.
_PLAIN = pattern(
    r"(?:(?!(?:by|dr|prof|professor|doctor|mr|mrs|ms|sir|chef)\b)[^\W\d_]+ (?!(?:md|phd|rd|mba|esq)\b))?[^\W\d_]+",
    re.IGNORECASE,
)
_MOST = 100


def is_plain_name(value: Value) -> bool:
    """Is it, or what it is called, one name without anything around it? False only means: worth a closer look."""
    name = value.get("name") if isinstance(value, Node) else value
    return not isinstance(name, str) or (len(name) < _MOST and _is_plain(name))


@lru_cache(maxsize=1024)
def _is_plain(name: str) -> bool:
    return _PLAIN.fullmatch(name) is not None
