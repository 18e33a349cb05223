"""The address has a scheme that a consumer does not follow.

`javascript:`, `file:`, `blob:` or `data:` leads nowhere for anybody outside this page; an image as `data:` cannot
be indexed. Image and media addresses must be fetched over http or https.
Source: https://developers.google.com/search/docs/appearance/structured-data/image-license-metadata and
https://schema.org/URL, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.text import clip
from waypost.formats.urls import parse_url
from waypost.models.page import Node, Value
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_conditions import is_unusual_url
from waypost.validate.value_kinds import KINDS

AUTHORITY = "google"
SEVERITY = "warning"
PROPERTIES = KINDS.url | {"image", "logo", "screenshot", "thumbnail", "license", "mainEntityOfPage"}
VALUES = frozenset({"text", "thing"})
WHEN = is_unusual_url

NOWHERE = frozenset({"javascript", "file", "blob", "data", "about", "chrome", "content"})


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    text = value.id if isinstance(value, Node) and value.reference else value
    if not isinstance(text, str) or ":" not in text[:20]:
        return
    scheme = parse_url(text[:2000]).scheme
    if scheme in NOWHERE:
        yield item.warning(
            prop, f"{prop} is a {scheme}: address ({clip(text, 40)!r})", "give one with https://", index=index
        )
