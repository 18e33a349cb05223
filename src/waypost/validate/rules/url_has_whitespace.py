"""URL contains whitespace.

For many readers a space ends an address; in a path a space is written %20, and behind `https:` there is none. Browsers
and crawlers encode a space in a path, so that it costs no rich result. White
space around an address is dropped and does no harm.
Source: https://url.spec.whatwg.org/#url-writing and https://schema.org/URL, read 2026-11-20.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from waypost.formats.patterns import pattern
from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_conditions import is_unusual_url
from waypost.validate.value_kinds import KINDS, LINKS

AUTHORITY = "vocabulary"
SEVERITY = "warning"
PROPERTIES = KINDS.url | LINKS | {"image", "item", "logo", "screenshot", "mainEntityOfPage", "urlTemplate"}
VALUES = frozenset({"text"})
WHEN = is_unusual_url


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if not isinstance(value, str):
        return
    text = value.strip()
    if len(text.split()) < 2 or not (STARTS.match(text) or PATH.match(text)):
        return
    spaced = SPACED_SCHEME.match(text)
    closed = f"{spaced[1]}//{text[spaced.end() :]}" if spaced else text
    parts = closed.split()
    # A list of addresses needs a list, not an escape.
    if any(STARTS.match(part) for part in parts[1:]):
        yield item.warning(prop, f"several URLs in one value ({clip(text)!r})", "write a list of URLs", index=index)
        return
    right = SPACE.sub("%20", closed)
    yield item.warning(
        prop,
        f"{clip(text)!r} has white space in it",
        f"write {clip(right, 200)}",
        index=index,
        # Whether the space or the rest of the address is wrong, only the author knows.
        safe=False,
        edits=(item.rewrite(prop, right, index),),
    )


STARTS = pattern(r"(?:https?:\s*)?//", re.ASCII | re.IGNORECASE)
PATH = pattern(r"/[^\s/]", re.ASCII)
SPACE = pattern(r"[ \t\r\n\f]")
SPACED_SCHEME = pattern(r"(https?:)\s+//", re.ASCII | re.IGNORECASE)
