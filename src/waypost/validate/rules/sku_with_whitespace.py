"""The article's number in the shop has white space in it.

Merchant listings are matched by `sku`, which Google takes as one word of ASCII characters; a space usually means
that a name or a list has got into the field.
Source: https://developers.google.com/search/docs/appearance/structured-data/merchant-listing, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "google"
SEVERITY = "warning"
APPLIES_TO = frozenset({"Product", "Offer"})
PROPERTIES = frozenset({"sku"})


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if isinstance(value, str) and any(c.isspace() for c in value.strip()):
        yield item.warning(prop, f"the sku {clip(value)!r} has white space in it", "write it as one word", index=index)
