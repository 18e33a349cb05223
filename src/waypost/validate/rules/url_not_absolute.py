"""Relative URL that cannot be resolved.

Consumers resolve a relative address against the page's own, which is not known here: give the page's address, or
write this address in full. Where the page's address or its base is known, relative addresses are not error.
Source: https://schema.org/URL and https://www.w3.org/TR/json-ld11/#base-iri, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.patterns import pattern
from waypost.formats.text import clip
from waypost.formats.urls import parse_url
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_conditions import is_unusual_url
from waypost.validate.value_kinds import KINDS

AUTHORITY = "vocabulary"
SEVERITY = "info"
PROPERTIES = KINDS.url | {"image", "logo", "screenshot", "mainEntityOfPage"}
VALUES = frozenset({"text"})
WHEN = is_unusual_url


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    page = item.context.page
    # With either one the address can be resolved, as it was when the page was read.
    if page.base or page.url or not isinstance(value, str):
        return
    text = value.strip()
    # Of "//" and other texts that are no address `url-invalid` says what is wrong.
    if text.startswith("//") and parse_url(text[:2000]).error is not None:
        return
    if SCHEME.match(text) or any(c.isspace() for c in text) or not PATH_LIKE.match(text):
        return
    yield item.info(
        prop,
        f"{clip(text)!r} is relative and the page's own address is not known",
        "write it in full, with https://",
        index=index,
    )


SCHEME = pattern(r"[A-Za-z][A-Za-z0-9+.\-]*:")
PATH_LIKE = pattern(r"(?://?|\.{1,2}/|[#?]|[^\s/]+/|[^\s/]+\.[A-Za-z]{2,5}\Z)")
