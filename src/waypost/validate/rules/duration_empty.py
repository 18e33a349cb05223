"""Duration is zero.

A recipe without any time or a video without length is nearly always an empty field of a form; readers show "0 min"
or drop the value. A recipe without cooking may say so: `cookTime` of PT0S is ignored.
Source: https://developers.google.com/search/docs/appearance/structured-data/recipe, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.dates import read_duration
from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "waypost"
SEVERITY = "warning"
PROPERTIES = frozenset({"totalTime", "duration", "timeRequired"})


def is_zero(value: Value) -> bool:
    duration = read_duration(value) if isinstance(value, str) else None
    return duration is not None and duration.is_empty


WHEN = is_zero


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    yield item.warning(prop, f"{prop} is zero ({clip(str(value))})", "give the time, or leave it out", index=index)
