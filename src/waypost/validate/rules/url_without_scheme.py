"""The address has no https:// in front.

`www.example.com/page` looks complete to a person, but to a machine it is a path below the page it stands on.
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
from waypost.validate.value_kinds import KINDS

AUTHORITY = "vocabulary"
SEVERITY = "warning"
PROPERTIES = KINDS.url | {"image", "logo", "mainEntityOfPage"}
VALUES = frozenset({"text"})
WHEN = is_unusual_url

BARE = pattern(r"www\.[\w\-]+(?:\.[\w\-]+)+(?:[/?#]\S*)?", re.IGNORECASE)


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if isinstance(value, str) and BARE.fullmatch(value.strip()):
        right = f"https://{value.strip()}"
        yield item.warning(
            prop,
            f"{clip(value)!r} is read as a path of this site",
            f"write {clip(right, 200)}",
            index=index,
            safe=False,
            edits=(item.rewrite(prop, right, index),),
        )
