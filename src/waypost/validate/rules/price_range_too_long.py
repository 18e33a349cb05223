"""The price range is too long to be shown.

Google drops a `priceRange` of 100 characters or more. It is meant for `$$` or `€10-15`, not for a price list.
Source: https://developers.google.com/search/docs/appearance/structured-data/local-business, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "google"
SEVERITY = "warning"
PROPERTIES = frozenset({"priceRange"})
MOST = 99


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if isinstance(value, str) and len(value.strip()) > MOST:
        yield item.warning(
            prop,
            f"priceRange has {len(value.strip())} characters ({clip(value, 40)!r})",
            f"use at most {MOST}, as in $$ or €10-15",
            index=index,
        )
